/// What happened in one hour.
public struct AuditHour: Hashable, Sendable {
    /// Hours since 1970-01-01T00:00:00Z, by the gate's clock.
    public let hour: Int64
    public internal(set) var accepted: UInt64 = 0
    public internal(set) var rejected: UInt64 = 0
    /// Visits that ended without a verdict.
    public internal(set) var withoutVerdict: UInt64 = 0
    /// Links that came to nothing and have no record of their own.
    public internal(set) var links: UInt64 = 0

    public var visits: UInt64 { accepted + rejected + withoutVerdict }
}

/// Counts by date and hour. A log of seven years has 61,000 hours; a clock that jumps, or somebody who makes times up, gets no more room
/// than `capacity`.
struct AuditHours {
    enum Kind { case accepted, rejected, withoutVerdict }

    static let capacity = 65_536
    /// Hours that can be written as a date with a year of four digits.
    private static let written: ClosedRange<Int64> = 0...253_402_300_799 / 3600

    private var hours: [AuditHour] = []
    private var places: [Int64: Int] = [:]
    private var last = 0
    /// Visits, and links, of hours that have no row: no time, one that is none, or one too many.
    private(set) var elsewhere = AuditHour(hour: -1)

    /// In the order of time.
    var rows: [AuditHour] { hours.sorted { $0.hour < $1.hour } }

    mutating func count(_ kind: Kind, at time: Int64?) {
        change(at: time) { hour in
            switch kind {
            case .accepted: hour.accepted += 1
            case .rejected: hour.rejected += 1
            case .withoutVerdict: hour.withoutVerdict += 1
            }
        }
    }

    mutating func count(links: UInt64, at time: Int64?) {
        change(at: time) { $0.links = $0.links.addingClamped(links) }
    }

    private mutating func change(at time: Int64?, _ body: (inout AuditHour) -> Void) {
        guard let time, let place = place(of: time) else { return body(&elsewhere) }
        body(&hours[place])
    }

    private mutating func place(of time: Int64) -> Int? {
        let hour = time / 3600
        guard time >= 0, Self.written.contains(hour) else { return nil }
        if last < hours.count, hours[last].hour == hour { return last }
        if let place = places[hour] {
            last = place
            return place
        }
        guard hours.count < Self.capacity else { return nil }
        places[hour] = hours.count
        hours.append(AuditHour(hour: hour))
        last = hours.count - 1
        return last
    }
}

extension UInt64 {
    /// What a record says may be any number.
    func addingClamped(_ other: UInt64) -> UInt64 {
        let sum = addingReportingOverflow(other)
        return sum.overflow ? .max : sum.partialValue
    }
}
