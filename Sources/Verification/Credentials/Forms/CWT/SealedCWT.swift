import CBOR
import Cryptography
import Envelopes
import Trust

/// A token that a COSE_Encrypt0 is around, as some codes have it (pixelpass.md section 3): opened with a key of the trust entries, and
/// signed all the same. It is not looked for in what a wallet sends.
struct SealedCWT {
    /// What a COSE_Encrypt0 held.
    struct Opened {
        let token: CWT
        /// The entry whose key opened it: it has to be the signer's own.
        let issuer: TrustedIssuer
    }

    private let sealed: COSEEncrypt0

    /// Nil where the message is no COSE_Encrypt0, with or without the tag of a CWT.
    ///
    /// - Parameter message: octets, or the same as hexadecimal text.
    init?(_ message: [UInt8]) throws(RejectReason) {
        guard let octets = try? CWT.octets(message), let root = try? CWT.root(octets) else { return nil }
        let item = root.content(of: CWT.tag) ?? root
        guard item.tag == COSEEncrypt0.tag else { return nil }
        do throws(COSEError) {
            sealed = try COSEEncrypt0(item)
        } catch {
            throw error.rejectReason
        }
    }

    /// The token inside. Throws `encrypted` where the key is not here, `decryptionFailed`, and `signatureMissing` where nobody signed what
    /// was sealed.
    func open(_ trust: TrustStore) throws(RejectReason) -> Opened {
        let (key, issuer) = try key(trust)
        var plain: [UInt8]
        do throws(COSEError) {
            plain = try sealed.open(with: key)
        } catch {
            throw error.rejectReason
        }
        defer { wipe(&plain) }
        guard let root = try? CWT.root(plain) else { throw .payloadMalformed }
        let token = root.content(of: CWT.tag) ?? root
        guard token.tag == COSESign1.tag || root.kind == .array else { throw .signatureMissing }
        return Opened(token: try CWT(plain, mayLackTag: true), issuer: issuer)
    }

    /// By `kid`; without one it is the only key of that length. Nobody tries keys until one fits.
    private func key(_ trust: TrustStore) throws(RejectReason) -> (ContentKey, TrustedIssuer) {
        var found: [(ContentKey, TrustedIssuer)] = []
        for issuer in trust.issuers {
            for pinned in issuer.contentKeys where pinned.key.bits == sealed.keyBits {
                if sealed.keyID == nil || sealed.keyID == pinned.octets { found.append((pinned.key, issuer)) }
            }
        }
        guard let first = found.first else { throw .encrypted }
        guard found.count == 1 else { throw .keyIDMissing }
        return first
    }
}
