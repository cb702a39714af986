import Cryptography
import Envelopes

/// A key shared with an issuer, which encrypts tokens with it (trust-format.md section 2.7). It is a secret that every gate with the bundle
/// has: it shows nothing about who encrypted, and whoever takes a gate apart has it.
public struct TrustedContentKey: Sendable {
    /// The `kid` of the encrypted token's header; text, `hex:` or `base64url:`, as for `TrustedKey`.
    public let id: String
    /// The same as COSE has it.
    package let octets: [UInt8]
    /// 128, 192 or 256.
    public var bits: Int { key.bits }
    package let key: ContentKey

    /// `contentKeys` of a trust file. No fault of it shows anything of a key.
    static func all(_ member: TrustMember) throws(TrustError) -> [TrustedContentKey] {
        var keys: [TrustedContentKey] = []
        guard member.value.kind == .array else { throw fault(member, .wrongType) }
        for element in try member.list() {
            guard element.value.kind == .object else { throw fault(element, .wrongType) }
            let found = try element.object(known: ["kid", "k"])
            let kid = try found.required("kid", of: element)
            let id = try kid.text()
            guard let octets = TrustedKey.octets(of: id) else { throw kid.fault(.wrongValue) }
            guard !keys.contains(where: { $0.octets == octets }) else { throw kid.fault(.duplicate) }
            keys.append(TrustedContentKey(id: id, octets: octets, key: try key(found.required("k", of: element))))
        }
        return keys
    }

    /// As the `k` of a JWK (RFC 7518 section 6.4.1).
    private static func key(_ member: TrustMember) throws(TrustError) -> ContentKey {
        guard var octets = member.value.string.flatMap({ Base64.decode($0) }) else { throw fault(member, .wrongValue) }
        defer { wipe(&octets) }
        do throws(CryptographyError) {
            return try ContentKey(octets.span)
        } catch {
            throw fault(member, .wrongValue)
        }
    }

    private static func fault(_ member: TrustMember, _ reason: TrustError.Reason) -> TrustError {
        TrustError(
            file: member.file, member: member.path, reason: reason, allowed: "a kid, and as k 16, 24 or 32 octets in base64url")
    }
}
