import JSON

/// `@type` of a message: whose words they are, in which protocol (aries.md section 3).
public struct MessageType: Sendable {
    /// Written, and read.
    public static let prefix = "https://didcomm.org/"
    /// Read: the name of the time before, which some wallets still send.
    public static let olderPrefix = "did:sov:BzCbsNYhMrjHiqZDTUASHg;spec/"
    /// Octets of the longest type. Those of the protocols read here have at most 80.
    public static let longest = 256

    public let family: String
    /// The number before the point. What differs behind it is additions, and is not looked at.
    public let major: Int
    public let name: String

    /// `PREFIX protocol/major.minor/name`. Nil for another form: nothing that anybody here understands.
    init?(_ value: JSONValue) {
        guard let text = value.stringBytes, text.count <= Self.longest else { return nil }
        let prefix = [Self.prefix, Self.olderPrefix].first { text.starts(with: $0.utf8) }
        guard let prefix else { return nil }
        let parts = text.dropFirst(prefix.utf8.count).split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        let numbers = parts[1].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard numbers.count == 2, let major = Self.number(numbers[0]), Self.number(numbers[1]) != nil else { return nil }
        family = String(decoding: parts[0], as: UTF8.self)
        self.major = major
        name = String(decoding: parts[2], as: UTF8.self)
    }

    /// Whether it is that protocol's message of that name.
    func isMessage(_ name: String, of other: String) -> Bool {
        family.utf8.elementsEqual(other.utf8) && self.name.utf8.elementsEqual(name.utf8)
    }

    /// Digits without a sign; no more than a version has.
    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        let zero = UInt8(ascii: "0")
        guard (1...3).contains(digits.count), digits.allSatisfy({ zero...zero + 9 ~= $0 }) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - zero) }
    }
}
