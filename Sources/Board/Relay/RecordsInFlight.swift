import Audit

/// Records that were handed to the other side and are not delivered yet, in their order. What is delivered is the unbroken row from the
/// first one on.
package struct RecordsInFlight {
    private struct Entry {
        let key: Int32
        let place: AuditPlace
        var isAcknowledged = false
    }

    private var entries: [Entry] = []
    private var start = 0
    /// Entries without an answer.
    package private(set) var unanswered = 0
    /// The last record up to which all are delivered; nil for none.
    package private(set) var delivered: AuditPlace?
    /// The last record that was handed out.
    package private(set) var last: AuditPlace?
    /// Up to this number the other end has said that it has all; nil where the acknowledgement is enough.
    private var confirmed: UInt64?

    /// - Parameter waitsForConfirmation: an acknowledged record counts when `confirm` has named it, too.
    package init(waitsForConfirmation: Bool) { confirmed = waitsForConfirmation ? 0 : nil }

    package var count: Int { entries.count - start }

    package mutating func add(_ key: Int32, _ place: AuditPlace) {
        entries.append(Entry(key: key, place: place))
        last = place
        unanswered += 1
    }

    /// The answer to one of them. What is not in flight any more, or never was, is nothing.
    package mutating func acknowledge(_ key: Int32) {
        guard let index = entries[start...].firstIndex(where: { $0.key == key && !$0.isAcknowledged }) else { return }
        entries[index].isAcknowledged = true
        unanswered -= 1
        advance()
    }

    /// Whether the answer to it is still waited for.
    package func isWaiting(_ key: Int32) -> Bool { entries[start...].contains { $0.key == key && !$0.isAcknowledged } }

    /// The other end has the records up to this number.
    package mutating func confirm(_ sequence: UInt64) {
        guard let before = confirmed else { return }
        confirmed = max(before, sequence)
        advance()
    }

    /// The other end's word for a record. Without an identity it counts as far as the log reaches; with one only for that very record.
    ///
    /// - Parameter end: number of the last record of the log that is known.
    package mutating func confirm(_ word: CollectorWord, logReaches end: UInt64) -> CollectorWord.Use {
        guard confirmed != nil else { return .ignored }
        if word.sequence > last?.sequence ?? 0 {
            guard word.identity == nil, word.sequence <= end else { return .ahead }
        } else if let identity = word.identity {
            guard entries[start...].contains(where: { $0.place.sequence == word.sequence && $0.place.identity == identity })
            else { return .ignored }
        }
        confirm(word.sequence)
        return .taken
    }

    /// The other end has said already that it has what comes next.
    package var isNextConfirmed: Bool { confirmed.map { $0 > last?.sequence ?? 0 } ?? false }

    /// Forgets those at the beginning that are acknowledged, but the last of all: they are delivered when a later one is.
    package mutating func thin() {
        while start + 1 < entries.count, entries[start].isAcknowledged { start += 1 }
        entries.removeFirst(start)
        start = 0
    }

    /// Nothing is in flight any more, and no word counts that was said before.
    package mutating func forget() {
        entries.removeAll(keepingCapacity: true)
        (start, unanswered, last) = (0, 0, delivered)
        if confirmed != nil { confirmed = 0 }
    }

    private mutating func advance() {
        while start < entries.count, entries[start].isAcknowledged, confirmed.map({ entries[start].place.sequence <= $0 }) ?? true {
            delivered = entries[start].place
            start += 1
        }
        if start > 1024 || start == entries.count {
            entries.removeFirst(start)
            start = 0
        }
    }
}
