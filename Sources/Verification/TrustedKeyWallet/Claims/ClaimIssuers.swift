import Cryptography
import Envelopes

/// Which of the certificates of an answer's `chain` may issue claims, and by which root (trustedkey.md section 4).
///
/// It is found from the roots downwards: a signature is checked with the key of somebody who is believed already, and never with a
/// stranger's. Certificates to which no path leads are not needed, and nothing is asked of them.
struct ClaimIssuers {
    /// Somebody who may issue, and what came out of the search about it.
    private struct Issuer {
        let certificate: Certificate
        let root: Int
        /// How many authorities may still stand below it.
        let room: Int
    }

    /// Most certificates between a claim and its root.
    static let mostIntermediates = 4

    private let sent: [Certificate]
    private let trust: TrustedKeyTrust
    private let now: Seconds
    /// The roots, each with the intermediates to which a path leads through nobody who is revoked.
    private let current: [Issuer]

    /// - Parameters:
    ///   - sent: the certificates of `chain`, in any order.
    ///   - now: seconds since 1970.
    init(sent: [Certificate], trust: TrustedKeyTrust, at now: Seconds) {
        // Who has a number that no list can name is not believed to be good.
        self.sent = sent.filter { Self.mayIssue($0, now) && RevokedAddress(serialOf: $0) != nil }
        self.trust = trust
        self.now = now
        current = Self.search(trust.roots, self.sent.filter { !Self.isRevoked($0, trust.revoked) }, now)
    }

    /// The place of the root in the trust to which a path from the claim leads.
    ///
    /// Throws `claimUntrusted` where there is none, `revoked` where each leads through somebody who is revoked.
    func root(of claim: ClaimCertificate) throws(TrustedKeyFault) -> Int {
        if let issuer = current.first(where: { Self.hasIssued($0, claim.certificate) }) { return issuer.root }
        let all = Self.search(trust.roots, sent, now)
        throw all.contains { Self.hasIssued($0, claim.certificate) } ? .revoked : .claimUntrusted
    }

    private static func search(_ roots: [TrustedKeyRoot], _ sent: [Certificate], _ now: Seconds) -> [Issuer] {
        var found: [Issuer] = []
        for (place, root) in roots.enumerated() where mayIssue(root.certificate, now) {
            let room = min(root.certificate.pathLength ?? mostIntermediates, mostIntermediates)
            found += intermediates(below: Issuer(certificate: root.certificate, root: place, room: room), sent)
        }
        return found
    }

    /// The issuer, and everybody below it. Each round is one step further away from the root, so that a longer path is taken only where it
    /// leaves more room than a shorter one: four rounds at most, each of which asks every pair once.
    private static func intermediates(below root: Issuer, _ sent: [Certificate]) -> [Issuer] {
        var rooms = [Int?](repeating: nil, count: sent.count)
        var last = [root]
        while !last.isEmpty {
            var next: [Issuer] = []
            for issuer in last where issuer.room > 0 {
                for (place, certificate) in sent.enumerated() {
                    let room = min(issuer.room - 1, certificate.pathLength ?? mostIntermediates)
                    guard room > rooms[place] ?? -1, hasIssued(issuer, certificate) else { continue }
                    rooms[place] = room
                    next.append(Issuer(certificate: certificate, root: root.root, room: room))
                }
            }
            last = next
        }
        return [root]
            + zip(sent, rooms).compactMap { certificate, room in
                room.map { Issuer(certificate: certificate, root: root.root, room: $0) }
            }
    }

    private static func hasIssued(_ issuer: Issuer, _ certificate: Certificate) -> Bool {
        issuer.certificate.isExactlyNamedAsIssuer(of: certificate) && issuer.certificate.hasSignedWithECDSAOrRSA(certificate)
    }

    /// What is asked of every issuer, the root among them. A root's own signature is not: it was pinned.
    private static func mayIssue(_ certificate: Certificate, _ now: Seconds) -> Bool {
        guard isAuthority(certificate), let validity = try? certificate.validity() else { return false }
        return validity.contains(now)
    }

    /// The same at whatever time.
    static func isAuthority(_ certificate: Certificate) -> Bool {
        certificate.hasReadableExtensions && certificate.isAuthority && certificate.keyUsage?.contains(.certificateSigning) == true
            && UnderstoodExtensions.areAll(of: certificate)
    }

    /// By its number, or by its key.
    private static func isRevoked(_ certificate: Certificate, _ revoked: Set<RevokedAddress>) -> Bool {
        if RevokedAddress(serialOf: certificate).map(revoked.contains) ?? true { return true }
        guard let key = try? certificate.publicKey(), key.curve != nil else { return false }
        guard let coordinates = try? key.coordinates(), let address = try? RevokedAddress(ofCoordinates: coordinates) else { return true }
        return revoked.contains(address)
    }
}
