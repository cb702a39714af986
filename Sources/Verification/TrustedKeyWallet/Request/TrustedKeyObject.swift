import Envelopes

/// What a claim says something about, by its object identifier in dotted form (trustedkey.md section 6).
public struct TrustedKeyObject: Hashable, Sendable {
    /// "2.5.4.3", in the newer private arc.
    public let identifier: String

    /// Octets of the longest identifier: the private arc's longest has 23.
    static let longest = 64
    private static let arc = "1.3.6.1.4.1.51341."
    /// How older issuers wrote the same arc.
    private static let olderArc = "1.3.6.1.4.1.53318295."

    /// Numbers joined by dots, without leading zeros; nil for anything else. The older private arc is read as the newer.
    public init?(_ dotted: String) {
        guard dotted.utf8.count <= Self.longest, let numbers = Array(dotted.utf8)[...].separated(by: UInt8(ascii: "."), most: Self.longest),
            numbers.count >= 2, numbers.allSatisfy(Self.isNumber)
        else { return nil }
        self.init(read: dotted)
    }

    /// An identifier that libcrypto has written.
    init(read dotted: String) {
        let older = Array(Self.olderArc.utf8)
        let rest = dotted.utf8.dropFirst(older.count)
        let isOlder = dotted.utf8.count > older.count && dotted.utf8.starts(with: older)
        identifier = isOlder ? Self.arc + String(decoding: Array(rest), as: UTF8.self) : dotted
    }

    private init(private number: Int) { identifier = Self.arc + String(number) }

    /// The kind of claim, in words.
    public static let type = TrustedKeyObject(private: 1)
    public static let claimClass = TrustedKeyObject(private: 6)
    /// X and Y of the holder's key, in hexadecimal: the token itself says it.
    public static let publicKey = TrustedKeyObject(private: 15)
    public static let levelOfAssurance = TrustedKeyObject(private: 16)
    /// Where to fetch the value.
    public static let endpoint = TrustedKeyObject(private: 24)

    /// Each claim has its own, and says by it what it is.
    static let ofEachClaim: Set<TrustedKeyObject> = [.type, .claimClass, .levelOfAssurance]

    private static func isNumber(_ digits: ArraySlice<UInt8>) -> Bool {
        guard let first = digits.first, digits.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else { return false }
        return first != UInt8(ascii: "0") || digits.count == 1
    }
}
