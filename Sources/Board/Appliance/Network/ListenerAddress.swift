import Glibc

/// The one address and port of the gate's own network that is listened on, and what wallets are told of it (aries.md section 6).
package struct ListenerAddress: Hashable, Sendable, CustomStringConvertible {
    /// IPv4 or IPv6, without brackets.
    package let host: String
    package let port: UInt16
    private let isIPv6: Bool

    /// Octets of the longest text: an IPv6 address that ends as an IPv4 one, in brackets, and a port.
    private static let longest = 54

    /// `192.168.7.1:80`, `[fd00::7]:8080`. No name, and not all addresses at once: a wallet has to be told where to post.
    package init(_ text: String) throws(ConfigurationError) {
        guard text.utf8.count <= Self.longest, let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]),
            port > 0, !text.hasSuffix(":+\(port)")
        else { throw Self.refusal(text) }
        var host = text[..<colon]
        isIPv6 = host.hasPrefix("[") && host.hasSuffix("]")
        if isIPv6 { host = host.dropFirst().dropLast() }
        guard let octets = Self.octets(String(host), isIPv6: isIPv6) else { throw Self.refusal(text) }
        guard octets.contains(where: { $0 != 0 }) else {
            throw ConfigurationError("--http \(text): name the one address of the gate's own network")
        }
        (self.host, self.port) = (String(host), port)
    }

    static let envelopePath = "/didcomm"
    /// Where wallets post envelopes.
    package var endpoint: String { origin + Self.envelopePath }
    /// Where they bring Trusted Key answers.
    package var callback: String { origin + "/tk/answer" }
    /// Without the port where it is HTTP's own.
    private var origin: String {
        "http://" + (isIPv6 ? "[\(host)]" : host) + (port == 80 ? "" : ":\(port)")
    }

    /// As it is written.
    package var description: String { (isIPv6 ? "[\(host)]" : host) + ":\(port)" }

    /// Whether what is posted to this host may come here: the same address, an IPv6 one in brackets, or a name.
    func mayBe(_ host: String) -> Bool {
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]"), own = Self.octets(self.host, isIPv6: isIPv6)
        if isBracketed { return isIPv6 && Self.octets(String(host.dropFirst().dropLast()), isIPv6: true) == own }
        guard let octets = Self.octets(host, isIPv6: false) else { return !host.isEmpty }
        return !isIPv6 && octets == own
    }

    private static func octets(_ host: String, isIPv6: Bool) -> [UInt8]? {
        var octets = [UInt8](repeating: 0, count: isIPv6 ? 16 : 4)
        return inet_pton(isIPv6 ? AF_INET6 : AF_INET, host, &octets) == 1 ? octets : nil
    }

    private static func refusal(_ text: String) -> ConfigurationError {
        ConfigurationError("--http \(text): use ADDRESS:PORT, as 192.168.7.1:80 or [fd00::7]:8080")
    }
}
