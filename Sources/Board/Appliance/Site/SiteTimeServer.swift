import Cryptography
import JSON

/// A server that the network's time comes from, as a site file names it: `time.example`, or `nts:time.example` for one that has to prove
/// who it is (RFC 8915).
public struct SiteTimeServer: Hashable, Sendable {
    static let most = 8
    private static let authenticated = "nts:"

    /// Its name or address.
    public let host: String
    /// Whether it is asked by NTS: whoever cannot prove to be `host` is not believed.
    public let isAuthenticated: Bool

    init?(_ text: String) {
        isAuthenticated = text.hasPrefix(Self.authenticated)
        host = isAuthenticated ? String(text.dropFirst(Self.authenticated.count)) : text
        // No host is called so, and a slip of the pen would make it one that proves nothing.
        guard Self.isHost(host), !host.lowercased().hasPrefix(Self.authenticated) else { return nil }
    }

    /// At most `most`, none twice: a server that is asked both ways would be believed for what anybody in between says.
    static func all(_ value: JSONValue, _ path: String) throws(SiteSettingsError) -> [SiteTimeServer] {
        guard let elements = value.elements else { throw .wrongType(path) }
        var servers: [SiteTimeServer] = []
        for element in elements {
            guard let text = element.string else { throw .wrongType(path) }
            guard let server = SiteTimeServer(text), servers.count < most, !servers.contains(where: { $0.host == server.host }) else {
                throw .badValue(path)
            }
            servers.append(server)
        }
        return servers
    }

    private static func isHost(_ text: String) -> Bool {
        guard text.utf8.count <= 253, let first = text.utf8.first, isAlphanumeric(first) || first == UInt8(ascii: ":") else { return false }
        return text.utf8.allSatisfy { isAlphanumeric($0) || ".-:".utf8.contains($0) }
    }

    private static func isAlphanumeric(_ octet: UInt8) -> Bool {
        switch octet {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: false
        }
    }
}

/// Who issues the certificates of time servers: a text of certificates in PEM. No others are believed for them, and there is no list of the
/// system's.
public struct SiteTimeAuthorities: Hashable, Sendable {
    /// Octets of the text.
    static let longest = 32_768

    /// Each certificate, DER.
    public let certificates: [[UInt8]]

    init(_ value: JSONValue, _ path: String) throws(SiteSettingsError) {
        guard let text = value.string else { throw .wrongType(path) }
        guard text.utf8.count <= Self.longest else { throw .badValue(path) }
        var certificates: [[UInt8]] = []
        do throws(CryptographyError) {
            for certificate in try Certificate.all(inPEM: Array(text.utf8)) { certificates.append(try certificate.der()) }
        } catch { throw .badValue(path) }
        self.certificates = certificates
    }
}
