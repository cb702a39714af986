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
        /// The entries whose key opened it: one has to be the signer's own.
        let issuers: [TrustedIssuer]
    }

    /// Keys that are tried where the message does not say which: a rotation, and some issuers. Each costs one pass over the message.
    private static let mostKeys = 8

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
        var plain: [UInt8] = [], issuers: [TrustedIssuer] = []
        defer { wipe(&plain) }
        for (key, issuer) in try keys(trust) {
            do throws(COSEError) {
                var opened = try sealed.open(with: key)
                if issuers.isEmpty { swap(&plain, &opened) }
                // AES-GCM commits to no key: another one that opens it to something else is not this token's.
                let isSame = issuers.isEmpty || opened == plain
                wipe(&opened)
                if isSame { issuers.append(issuer) }
            } catch {
                guard error == .cannotOpen else { throw error.rejectReason }
            }
        }
        guard !issuers.isEmpty else { throw .decryptionFailed }
        guard let root = try? CWT.root(plain) else { throw .payloadMalformed }
        let token = root.content(of: CWT.tag) ?? root
        guard token.tag == COSESign1.tag || root.kind == .array else { throw .signatureMissing }
        return Opened(token: try CWT(plain, mayLackTag: true), issuers: issuers)
    }

    /// By `kid`; without one those of that length (RFC 9052 section 3.1: which of several it is may have to be tried). A key that opens it
    /// proves nothing: the signature inside does.
    private func keys(_ trust: TrustStore) throws(RejectReason) -> [(ContentKey, TrustedIssuer)] {
        var found: [(ContentKey, TrustedIssuer)] = []
        for issuer in trust.issuers {
            for pinned in issuer.contentKeys where pinned.key.bits == sealed.keyBits {
                if sealed.keyID == nil || sealed.keyID == pinned.octets { found.append((pinned.key, issuer)) }
            }
        }
        guard !found.isEmpty else { throw .encrypted }
        guard found.count <= Self.mostKeys else { throw .keyIDMissing }
        return found
    }
}
