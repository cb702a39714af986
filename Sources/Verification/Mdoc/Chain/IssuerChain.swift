import Cryptography
import Envelopes

/// From a document's signer to a pinned root, directly: there is nothing between them (mdoc.md section 6.4, steps 3 to 5).
struct IssuerChain {
    let root: IssuerRoot
    let warnings: [MdocWarning]

    init(_ signer: DocumentSigner, _ trust: MdocTrust, docType: String, at now: Seconds) throws(DocumentFault) {
        let candidates = signer.roots(of: trust, for: docType)
        guard !candidates.isEmpty else { throw .invalid(.issuerNotTrusted) }
        let current = candidates.filter { $0.validity.contains(now) }
        guard let first = current.first else {
            let areOver = candidates.allSatisfy { $0.validity.upperBound < now }
            throw DocumentFault(areOver ? .trustedIssuerCertificateExpired : .trustedIssuerCertificateNotYetValid, .rootValidity)
        }
        root = try Self.root(of: signer, current, first, at: now)
        let lists = trust.revocationLists(of: trust.authority(of: root, for: docType))
        warnings = signer.warnings(under: root) + (try Self.checkRevocation(of: signer, lists, at: now))
    }

    /// Of several roots of one key, for example before and after a renewal, the first under which every rule holds; the reason is that of
    /// the first.
    private static func root(
        of signer: DocumentSigner, _ current: [IssuerRoot], _ first: IssuerRoot, at now: Seconds
    ) throws(DocumentFault) -> IssuerRoot {
        var reason: DocumentFault?
        for root in current {
            do throws(DocumentFault) {
                try signer.checkProfile(under: root, at: now)
                return root
            } catch {
                reason = reason ?? error
            }
        }
        if let reason { throw reason }
        return first
    }

    /// Whoever is listed is revoked, also by a list that is past its time: nobody is taken off a list by waiting.
    private static func checkRevocation(
        of signer: DocumentSigner, _ lists: [RevocationList], at now: Seconds
    ) throws(DocumentFault) -> [MdocWarning] {
        guard !lists.isEmpty else { return [.revocationListMissing] }
        var latest: Seconds?, isOpenEnded = false
        for list in lists {
            guard !list.lists(signer.certificate) else { throw DocumentFault(.invalidSignerCertificate, .signerRevoked) }
            if let next = list.next { latest = max(latest ?? next, next) } else { isOpenEnded = true }
        }
        guard !isOpenEnded, let latest, latest < now else { return [] }
        return [.revocationListStale(now.since(latest))]
    }
}

extension Seconds {
    /// Seconds from `earlier` to this; none where it is later, and the most there are where they do not fit.
    func since(_ earlier: Seconds) -> Seconds {
        let (difference, overflow) = subtractingReportingOverflow(earlier)
        return overflow ? (self < earlier ? 0 : .max) : Swift.max(0, difference)
    }

    /// This and `other` more, or the last second there is.
    func later(by other: Seconds) -> Seconds {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}
