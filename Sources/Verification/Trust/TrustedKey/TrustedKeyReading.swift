import Cryptography
import Envelopes
import TrustedKeyWallet

extension TrustedKeyBelief {
    /// Looks at all lists and at what the issuers' entries say.
    ///
    /// - Parameter entries: the entries of the bundle, each with the name of its file.
    ///
    /// Throws what is wrong first, by file and member.
    init(_ contents: TrustedKeyContents, _ entries: [(name: String, issuer: TrustedIssuer)]) throws(TrustError) {
        let revoked = try Self.revoked(contents)
        var reading = TrustedKeyReading()
        for (place, entry) in entries.enumerated() {
            guard let anchor = entry.issuer.trustedKey else { continue }
            try reading.read(anchor, entry, place, contents)
        }
        // A list that nobody names would revoke nobody, and nobody would be told.
        for list in contents.lists where !entries.contains(where: { $0.issuer.trustedKey?.revoked?.isExactly(list.url) ?? false }) {
            throw TrustError(file: list.url, reason: .ofNoEntry)
        }
        guard let question = reading.question?.question else {
            self = .nobody
            return
        }
        self.init(
            question: question, trust: TrustedKeyTrust(roots: reading.roots, revoked: revoked), issuers: reading.issuers,
            issuerOfRoot: reading.issuerOfRoot)
    }

    /// Of all lists together: an address is a digest, and means one key or certificate.
    private static func revoked(_ contents: TrustedKeyContents) throws(TrustError) -> Set<RevokedAddress> {
        var revoked: Set<RevokedAddress> = []
        for (place, list) in contents.lists.enumerated() {
            guard !contents.lists[..<place].contains(where: { $0.url.isExactly(list.url) }) else {
                throw TrustError(file: list.url, reason: .duplicate)
            }
            guard list.addresses.count.isMultiple(of: TrustedKeyContents.addressLength) else {
                throw TrustError(file: list.url, reason: .wrongValue, allowed: "addresses of \(TrustedKeyContents.addressLength) octets")
            }
            if let position = list.firstUnordered {
                throw TrustError(
                    file: list.url, member: "addresses[\(position)]", reason: .wrongValue, allowed: "an address above the one before it")
            }
            guard revoked.count + list.count <= TrustedKeyContents.mostAddresses else {
                throw TrustError(
                    file: list.url, reason: .tooLarge, found: "\(list.count)",
                    allowed: "\(TrustedKeyContents.mostAddresses) addresses at most in all lists together")
            }
            for row in list.rows { if let address = RevokedAddress(octets: row) { revoked.insert(address) } }
        }
        return revoked
    }
}

/// What the entries read so far come to.
private struct TrustedKeyReading {
    var question: (question: TrustedKeyBelief.Question, entry: String)?
    var roots: [TrustedKeyRoot] = []
    var issuers: [TrustedKeyIssuer] = []
    var issuerOfRoot: [Int] = []

    mutating func read(
        _ anchor: TrustedKeyAnchor, _ entry: (name: String, issuer: TrustedIssuer), _ place: Int, _ contents: TrustedKeyContents
    ) throws(TrustError) {
        let issuer = entry.issuer
        if let question { try Self.compare(anchor.question, question, entry.name) }
        question = question ?? (anchor.question, entry.name)
        for (position, certificate) in issuer.roots.enumerated() {
            func fault(_ reason: TrustError.Reason, _ allowed: String? = nil) -> TrustError {
                TrustError(file: entry.name, member: "x509.roots[\(position)]", reason: reason, allowed: allowed)
            }
            guard let der = try? certificate.der(), let root = try? TrustedKeyRoot(der.span) else { throw fault(.malformedCertificate) }
            guard root.isAuthority else { throw fault(.wrongValue, "an authority's certificate: CA true, with the key usage keyCertSign") }
            // Whose claims it would be nobody could say.
            guard !roots.contains(where: { $0.fingerprint == root.fingerprint }) else { throw fault(.duplicate) }
            roots.append(root)
            issuerOfRoot.append(issuers.count)
        }
        let list = contents.lists.first { list in anchor.revoked.map { list.url.isExactly($0) } ?? false }
        issuers.append(
            TrustedKeyIssuer(
                issuer: place, ids: issuer.ids, name: issuer.name, types: issuer.types, roles: try Self.roles(anchor, entry),
                requires: issuer.requires, status: issuer.status,
                addresses: list.map { TrustedKeyIssuer.AddressList(url: $0.url, fetched: $0.fetched, count: $0.count) }))
    }

    /// A gate shows one code, with one request.
    private static func compare(
        _ question: TrustedKeyBelief.Question, _ other: (question: TrustedKeyBelief.Question, entry: String), _ name: String
    ) throws(TrustError) {
        func fault(_ member: String) -> TrustError {
            TrustError(
                file: name, member: "trustedkey.\(member)", reason: .wrongValue, allowed: "what \(other.entry) says: a gate shows one code")
        }
        guard question.clientID.isExactly(other.question.clientID) else { throw fault("clientId") }
        guard question.wallet.isExactly(other.question.wallet) else { throw fault("wallet") }
        guard question.objects == other.question.objects else { throw fault("objects") }
    }

    /// Each role's first object that is asked for. One that nobody asks for would never be there.
    private static func roles(
        _ anchor: TrustedKeyAnchor, _ entry: (name: String, issuer: TrustedIssuer)
    ) throws(TrustError) -> [ClaimRole: TrustedKeyObject] {
        var roles: [ClaimRole: TrustedKeyObject] = [:]
        for role in ClaimRole.allCases {
            guard let paths = entry.issuer.claims[role] else { continue }
            func fault(_ allowed: String) -> TrustError {
                TrustError(
                    file: entry.name, member: "claims.\(role.rawValue)", reason: .wrongValue, found: paths.first?.first, allowed: allowed)
            }
            var objects: [TrustedKeyObject] = []
            for path in paths {
                guard path.count == 1, let object = TrustedKeyObject(path[0]) else { throw fault("object identifiers such as 2.5.4.3") }
                objects.append(object)
            }
            guard let object = objects.first(where: { anchor.question.objects.contains($0) && $0 != .publicKey }) else {
                throw fault("one of trustedkey.objects that an issuer vouches for")
            }
            roles[role] = object
        }
        return roles
    }
}
