/// What a gate is called in orders: its board's serial number, or what it drew at random once. Nothing of a person's.
public enum GateID {
    /// Octets.
    public static let longest = 64

    /// 1 to 64 of `A-Z a-z 0-9 . _ -`, the first of them a letter or a digit.
    public static func isWellFormed(_ id: String) -> Bool {
        guard 1...longest ~= id.utf8.count, let first = id.utf8.first, isAlphanumeric(first) else { return false }
        return id.utf8.allSatisfy { isAlphanumeric($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-") }
    }

    private static func isAlphanumeric(_ octet: UInt8) -> Bool {
        switch octet {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: false
        }
    }
}
