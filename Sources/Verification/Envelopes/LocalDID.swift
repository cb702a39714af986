import Cryptography
import JSON

/// Decentralized identifiers that are their own key: nothing has to be looked up (did:key v0.9, did:jwk). Whoever wants can make one, so
/// one is worth something only where a trust file lists it.
package enum LocalDID {
    private static let keyPrefix = "did:key:", jwkPrefix = "did:jwk:"
    private static let limits = JSONLimits(bytes: 16 << 10, depth: 4, nodes: 64)

    /// Whether the identifier is of a method that this gate resolves and holds a key it verifies with.
    package static func isKey(_ id: String) -> Bool { publicKey(of: id) != nil }

    /// - Parameter id: the DID without a fragment.
    package static func publicKey(of id: String) -> (key: PublicKey, algorithm: SignatureAlgorithm?)? {
        if let text = suffix(of: id, behind: keyPrefix) {
            return Multikey.publicKey(text).map { (key: $0, algorithm: nil) }
        }
        guard let text = suffix(of: id, behind: jwkPrefix), let octets = Base64.decode(text),
            let document = try? JSONDocument(parsing: octets, limits: limits),
            // Published with its private half: anybody's key.
            !JSONWebKey.secretMembers.contains(where: { document.root[$0] != nil }),
            let key = JSONWebKey(document.root)
        else { return nil }
        return (key: key.key, algorithm: key.algorithm)
    }

    /// The DID of a verification method, if the method is the one that DID has: its fragment is `#0` for did:jwk and the key itself for
    /// did:key.
    package static func controller(ofMethod method: String) -> String? {
        let octets = Array(method.utf8)
        guard let hash = octets.firstIndex(of: UInt8(ascii: "#")) else { return nil }
        let id = String(decoding: octets[..<hash], as: UTF8.self), fragment = String(decoding: octets[(hash + 1)...], as: UTF8.self)
        if let key = suffix(of: id, behind: keyPrefix) { return fragment.isExactly(key) ? id : nil }
        return suffix(of: id, behind: jwkPrefix) != nil && fragment.isExactly("0") ? id : nil
    }

    private static func suffix(of id: String, behind prefix: String) -> String? {
        guard id.utf8.starts(with: prefix.utf8) else { return nil }
        return String(decoding: id.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
    }
}
