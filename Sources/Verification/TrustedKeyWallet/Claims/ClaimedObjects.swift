import Envelopes

/// The values of all verified claims of one answer (trustedkey.md sections 3 and 6, step 9).
struct ClaimedObjects {
    private var values: [TrustedKeyObject: [(value: String, source: VerifiedTrustedKey.Source)]] = [:]
    private let key: String

    /// - Parameters:
    ///   - claims: each with the place of its root in the trust.
    ///   - key: what answers for the public key: the token.
    ///
    /// Throws `claimAmbiguous` for a claim with a second value of one of the objects that describe the claim itself.
    init(_ claims: [(claim: ClaimCertificate, root: Int)], key: String) throws(TrustedKeyFault) {
        self.key = key
        for (claim, root) in claims {
            let source = VerifiedTrustedKey.Source(
                root: root, type: try Self.only(.type, claim), claimClass: try Self.only(.claimClass, claim),
                levelOfAssurance: try Self.only(.levelOfAssurance, claim), validity: claim.validity)
            for (object, value) in claim.objects { values[object, default: []].append((value, source)) }
        }
    }

    private static func only(_ object: TrustedKeyObject, _ claim: ClaimCertificate) throws(TrustedKeyFault) -> String? {
        let values = claim.objects.filter { $0.object == object }.map(\.value)
        guard let first = values.first else { return nil }
        guard values.allSatisfy(first.isExactly) else { throw .claimAmbiguous }
        return first
    }

    /// The requested ones. Throws `objectMissing`, `claimAmbiguous`, `objectRefused`, in the order of the step.
    func requested(_ objects: [TrustedKeyObject]) throws(TrustedKeyFault) -> [VerifiedTrustedKey.Claim] {
        var claims: [VerifiedTrustedKey.Claim] = []
        for object in objects {
            if object == .publicKey {
                claims.append(VerifiedTrustedKey.Claim(object: object, value: key, source: nil))
                continue
            }
            guard let found = values[object]?.first else { throw .objectMissing }
            claims.append(VerifiedTrustedKey.Claim(object: object, value: found.value, source: found.source))
        }
        // Also where nobody asked: claims that contradict each other are not of one person.
        for (object, found) in values where !TrustedKeyObject.ofEachClaim.contains(object) || objects.contains(object) {
            guard let first = found.first, found.allSatisfy({ $0.value.isExactly(first.value) }) else { throw .claimAmbiguous }
        }
        guard !objects.contains(.endpoint) else { throw .objectRefused }
        return claims
    }
}
