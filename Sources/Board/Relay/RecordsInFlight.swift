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

    /// Nothing is in flight any more.
    package mutating func forget() {
        entries.removeAll(keepingCapacity: true)
        (start, unanswered) = (0, 0)
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
