/// What the statistics take from a record: numbers, and where in its line codes stand. One is used for all lines.
struct AuditEntry {
    /// The members that are looked at, under their names in the log.
    enum Member: UInt8, CaseIterable {
        case at, event
        case outcome, reasons, form, issuer, error, deadline
        case identifiedMs, receivedMs, openedMs, decidedMs, faceMs
        case links, left, silent, failed, visits, rejected, refused
        case name, gate
        case after, of, lost, to
        case what, by, kind, count

        var text: String { String(describing: self) }
    }

    private(set) var sequence: UInt64 = 0
    /// Codes of the member `reasons`.
    private(set) var reasons: [Range<Int>] = []
    /// A bit for each member: it was there; it is a number; it is one code.
    private var (claimed, numbers, codes): (UInt32, UInt32, UInt32) = (0, 0, 0)
    /// Of a code, where it begins and ends.
    private var values = InlineArray<32, Int64>(repeating: 0)

    mutating func begin(_ sequence: UInt64) {
        self.sequence = sequence
        (claimed, numbers, codes) = (0, 0, 0)
        reasons.removeAll(keepingCapacity: true)
    }

    /// False: the member was there already.
    mutating func claim(_ member: Member) -> Bool {
        defer { claimed |= Self.bit(member) }
        return claimed & Self.bit(member) == 0
    }

    mutating func set(_ member: Member, to number: Int64) {
        numbers |= Self.bit(member)
        values[Int(member.rawValue)] = number
    }

    mutating func set(_ member: Member, to code: Range<Int>) {
        codes |= Self.bit(member)
        values[Int(member.rawValue)] = Int64(code.lowerBound) << 32 | Int64(code.upperBound)
    }

    mutating func add(_ code: Range<Int>, to member: Member) {
        if member == .reasons { reasons.append(code) }
    }

    func number(_ member: Member) -> Int64? { numbers & Self.bit(member) == 0 ? nil : values[Int(member.rawValue)] }

    /// A number that counts something; 0 where there is none.
    func count(_ member: Member) -> UInt64 { UInt64(max(0, number(member) ?? 0)) }

    func code(_ member: Member) -> Range<Int>? {
        guard codes & Self.bit(member) != 0 else { return nil }
        let value = values[Int(member.rawValue)]
        return Int(value >> 32)..<Int(value & 0xFFFF_FFFF)
    }

    private static func bit(_ member: Member) -> UInt32 { 1 << UInt32(member.rawValue) }
}
