import Cryptography
import Envelopes

/// The certificate a list was signed with, believed: a path leads from it to a pinned one, or it is pinned itself (mdoc.md section 6.2).
struct VICALSigner {
    let certificate: Certificate
    let key: CurvePoint

    /// Extended key usage of whoever signs lists (ISO/IEC 18013-5 Annex C).
    static let usage = "1.0.18013.5.1.8"

    /// - Parameters:
    ///   - chain: DER, the signer's first.
    ///   - pinned: of the provider: a root of its own, or the signer's.
    init(_ chain: [[UInt8]], pinned: [Certificate], at now: Seconds) throws(VICALError) {
        guard !chain.isEmpty else { throw .chainMissing }
        var certificates: [Certificate] = []
        for der in chain {
            do throws(CryptographyError) {
                certificates.append(try Certificate(der.span))
            } catch {
                throw .certificateMalformed
            }
        }
        let signer = certificates.removeFirst()
        do throws(CryptographyError) {
            try signer.checkPath(through: certificates, to: pinned, usages: [Self.usage], at: now)
        } catch {
            throw Self.reason(error)
        }
        // A provider's root may have issued other certificates than its signer's: the usage tells them apart, so it has to be there.
        guard let usages = try? signer.extendedKeyUsages(), usages.contains(where: { $0.isExactly(Self.usage) }) else {
            throw .signerExtendedKeyUsage
        }
        guard let keyUsage = signer.keyUsage, keyUsage.contains(.nonRepudiation) else { throw .signerKeyUsage }
        do throws(CryptographyError) {
            key = try signer.curveKey()
        } catch {
            throw error == .unsupportedKey ? .unsupportedCurve : error == .unavailable ? .unavailable : .certificateMalformed
        }
        certificate = signer
    }

    private static func reason(_ error: CryptographyError) -> VICALError {
        switch error {
        case .untrustedRoot, .badCertificateSignature: .signerNotTrusted
        case .certificateExpired, .certificateNotYetValid: .signerValidity
        case .certificateUsage: .signerExtendedKeyUsage
        case .unavailable: .unavailable
        default: .signerChain
        }
    }
}
