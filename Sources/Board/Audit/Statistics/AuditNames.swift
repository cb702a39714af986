/// How often names occur, of which somebody may make any number: the first `capacity` have a row each, all that come after them share one.
/// So a log costs the same room whoever wrote it, and every row is exact.
struct AuditNames {
    private let capacity: Int
    /// What was counted under no row.
    private(set) var others: UInt64 = 0
    private var names: [[UInt8]] = []
    private var counts: [UInt64] = []
    private var places: [[UInt8]: Int] = [:]
    private var last = 0

    /// - Parameter known: names that have the first places, as many as there is room for.
    init(capacity: Int, known: [String] = []) {
        self.capacity = capacity
        for name in known {
            let octets = Array(name.utf8)
            _ = place(of: octets.span)
        }
    }

    /// Where a name is counted; `nowhere` when there is no row left for it.
    mutating func place(of name: Span<UInt8>) -> Int {
        // One record is much like the one before.
        if last < names.count, Self.isEqual(names[last], name) { return last }
        let octets = name.withUnsafeBufferPointer { [UInt8]($0) }
        if let place = places[octets] {
            last = place
            return place
        }
        guard names.count < capacity else { return Self.nowhere }
        places[octets] = names.count
        names.append(octets)
        counts.append(0)
        last = names.count - 1
        return last
    }

    static var nowhere: Int { -1 }

    mutating func count(_ place: Int, times: UInt64 = 1) {
        if counts.indices.contains(place) {
            counts[place] = counts[place].addingClamped(times)
        } else {
            others = others.addingClamped(times)
        }
    }

    /// How often the name at a place was counted.
    func count(at place: Int) -> UInt64 { counts.indices.contains(place) ? counts[place] : 0 }

    /// Everything that was counted.
    var total: UInt64 { counts.reduce(others) { $0.addingClamped($1) } }

    /// What occurred, the most frequent first.
    var rows: [AuditStatistics.Count] {
        zip(names, counts).filter { $0.1 > 0 }.map { AuditStatistics.Count(name: String(decoding: $0.0, as: UTF8.self), count: $0.1) }
            .sorted { ($1.count, $0.name) < ($0.count, $1.name) }
    }

    private static func isEqual(_ one: [UInt8], _ other: Span<UInt8>) -> Bool {
        guard one.count == other.count else { return false }
        for index in one.indices where one[index] != other[index] { return false }
        return true
    }
}
