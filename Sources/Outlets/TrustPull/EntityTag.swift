/// What a server calls one version of a file (RFC 9110 section 8.8.3): `"33a64df5"`, or `W/"33a64df5"`.
public struct EntityTag: Hashable, Sendable {
    public let text: String

    /// Octets of the longest that is kept; with a longer one everything is fetched each time.
    public static let longest = 256

    /// Nil for anything else: it is sent back in a header of ours.
    public init?(_ text: String) {
        let octets = Array(text.utf8), opaque = octets.starts(with: "W/".utf8) ? octets.dropFirst(2) : octets[...]
        guard octets.count <= Self.longest, opaque.count >= 2, opaque.first == 0x22, opaque.last == 0x22,
            opaque.dropFirst().dropLast().allSatisfy({ $0 == 0x21 || (0x23...0x7E).contains($0) })
        else { return nil }
        self.text = text
    }
}
