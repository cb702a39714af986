import Cryptography
import Envelopes
import JSON

/// The optional key binding JWT (RFC 9901 section 4.3).
///
/// Without a challenge, as in Tuvali, even a perfect one may be a recording: it shows that the presentation is whole, not that the holder
/// is here. A broken one rejects all the same, because somebody changed something.
enum KeyBinding {
    private static let limits = JSONLimits(bytes: 64 << 10, depth: 8, nodes: 200)

    /// - Parameters:
    ///   - text: the key binding JWT.
    ///   - presentation: everything before it.
    ///   - digest: the credential's hash.
    ///   - claims: the covered claims, for `cnf`.
    ///   - challenge: what this gate asked to be signed along.
    static func check(
        _ text: ArraySlice<UInt8>, over presentation: ArraySlice<UInt8>, digest: DisclosureDigest, claims: JSONValue, challenge: Challenge?
    ) throws(RejectReason) -> HolderBinding {
        let token: CompactJWS
        do throws(RejectReason) {
            token = try CompactJWS(text, malformed: .keyBindingMalformed)
        } catch {
            throw .keyBindingMalformed
        }
        guard token.header.isType("kb+jwt"), let payload = (try? JSONDocument(parsing: token.payload, limits: limits))?.root,
            payload["iat"]?.double != nil, let audience = payload["aud"]?.string, let nonce = payload["nonce"]?.string,
            let hash = payload["sd_hash"]?.stringBytes
        else { throw .keyBindingMalformed }
        let expected = try digest.text(of: presentation)
        guard hash == expected else { throw .keyBindingHashMismatch }
        guard let holder = holderKey(claims["cnf"]), token.header.algorithm.fits(holder.key.kind),
            holder.algorithm == nil || holder.algorithm == token.header.algorithm
        else { throw .keyBindingKeyMissing }
        guard token.isSigned(by: holder.key) else { throw .keyBindingSignatureInvalid }
        guard let challenge, nonce.isExactly(challenge.nonce), audience.isExactly(challenge.audience) else { return .stale }
        return .proven
    }

    /// The holder's key: `cnf.jwk` (RFC 7800 section 3.2), else a `cnf.kid` that is a did:jwk and so holds the key itself, as Inji and
    /// others write it.
    private static func holderKey(_ confirmation: JSONValue?) -> JSONWebKey? {
        if let jwk = confirmation?["jwk"] { return JSONWebKey(jwk) }
        guard let id = confirmation?["kid"]?.string, id.utf8.starts(with: "did:jwk:".utf8) else { return nil }
        // Up to a fragment; issuers pad the text although did:jwk says not to.
        let text = id.utf8.dropFirst(8).prefix { $0 != UInt8(ascii: "#") && $0 != UInt8(ascii: "=") }
        guard let bytes = Base64.decode(Array(text)[...]),
            let jwk = try? JSONDocument(parsing: bytes, limits: limits)
        else { return nil }
        return JSONWebKey(jwk.root)
    }
}
