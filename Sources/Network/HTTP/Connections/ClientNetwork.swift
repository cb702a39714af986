/// Who connects, as far as shares are counted: an IPv4 address, or the first 64 bits of an IPv6 address, of whose rest a host has as many
/// as it likes.
public struct ClientNetwork: Hashable, Sendable {
    private let prefix: UInt64
    private let isShort: Bool

    public init(ipv4 address: UInt32) { (prefix, isShort) = (UInt64(address), true) }

    /// - Parameter octets: the 16 of an address, in network order; fewer are filled up with zeros. An IPv4 address in an IPv6 one is that.
    public init(ipv6 octets: [UInt8]) {
        func number(_ range: Range<Int>) -> UInt64 {
            range.reduce(0) { $0 << 8 | UInt64($1 < octets.count ? octets[$1] : 0) }
        }
        let isMapped = number(0..<8) == 0 && number(8..<12) == 0xFFFF
        (prefix, isShort) = isMapped ? (number(12..<16), true) : (number(0..<8), false)
    }
}
