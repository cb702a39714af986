import Cryptography
import Envelopes
import JSON

/// One trust file, read strictly. The format is trust-format.md section 2.
struct IssuerFile {
    private static let members: Set<String> = [
        "gatehouse-trust", "ids", "name", "keys", "x509", "contentKeys", "forms", "algorithms", "audiences", "suites", "types", "claims",
        "requires", "status", "skew", "anoncreds", "trustedkey",
    ]
    private static let version: Int64 = 1
    private static let defaultSkew: Seconds = 300
    private static let largestSkew: Seconds = 86_400
    /// Ten years: longer than any list is of use.
    private static let largestAge: Seconds = 315_360_000
    /// Ways to say where a claim is, and names in one of them.
    private static let mostPaths = 8

    private let file: TrustMember

    init(name: String, bytes: [UInt8]) throws(TrustError) {
        file = try TrustMember(file: name, bytes: bytes)
    }

    func issuer() throws(TrustError) -> TrustedIssuer {
        // The version first: a file of another version may well have members this one does not know.
        guard let version = file.value["gatehouse-trust"] else {
            throw TrustError(file: file.file, member: "gatehouse-trust", reason: file.value.members == nil ? .wrongType : .missing)
        }
        guard version.int64 == Self.version else {
            throw TrustError(file: file.file, member: "gatehouse-trust", reason: .unsupportedVersion)
        }
        let found = try file.object(known: Self.members)
        let keys = try found["keys"].map { (member) throws(TrustError) in try Self.keys(member) } ?? []
        let x509 = try found["x509"].map { (member) throws(TrustError) in try IssuerCertificates(member) } ?? IssuerCertificates()
        let ids = try found.required("ids", of: file).texts()
        let forms = try Self.forms(found.required("forms", of: file)), proofs = try ProofAnchors(found, forms, of: file)
        // An id can be a key: then no other needs to be pinned.
        guard !keys.isEmpty || !x509.roots.isEmpty || ids.contains(where: LocalDID.isKey) || !proofs.needsKeys else {
            throw TrustError(file: file.file, member: "keys", reason: .missing)
        }
        let suites = try found["suites"].map { (member) throws(TrustError) in try Self.suites(member) }
        guard suites != nil || !forms.contains(.ldpVC) else { throw TrustError(file: file.file, member: "suites", reason: .missing) }
        let types = try found.required("types", of: file).texts()
        let requires = try found["requires"].map { (member) throws(TrustError) in try member.choices(ClaimRole.self) } ?? []
        // Every credential of the issuer has this type, its public status lists too: something else has to tell a visitor's apart.
        guard !requires.isEmpty || !types.contains(where: BareType.isBare) else {
            throw TrustError(file: file.file, member: "requires", reason: .missing)
        }
        let claims = try found["claims"].map { (member) throws(TrustError) in try Self.claims(member) } ?? [:]
        guard requires.allSatisfy({ claims[$0] != nil }) else {
            throw TrustError(file: file.file, member: "requires", reason: .wrongValue, allowed: "only what claims names a path for")
        }
        return TrustedIssuer(
            ids: ids,
            name: try found["name"].map { (member) throws(TrustError) in try member.text() },
            keys: keys, roots: x509.roots, certificateNames: x509.names, extendedKeyUsages: x509.extendedKeyUsages,
            contentKeys: try found["contentKeys"].map { (member) throws(TrustError) in try TrustedContentKey.all(member) } ?? [],
            forms: forms,
            algorithms: proofs.needsKeys || found["algorithms"] != nil ? try Self.algorithms(found.required("algorithms", of: file)) : [],
            audiences: try found["audiences"].map { (member) throws(TrustError) in try member.texts() } ?? [],
            suites: suites ?? [],
            types: types,
            claims: claims,
            requires: requires,
            status: try found["status"].map { (member) throws(TrustError) in try Self.status(member) } ?? StatusPolicy(),
            skew: try found["skew"].map { (member) throws(TrustError) in try Self.seconds(member, most: Self.largestSkew) }
                ?? Self.defaultSkew,
            anoncreds: proofs.anoncreds, trustedKey: proofs.trustedKey)
    }

    private static func forms(_ member: TrustMember) throws(TrustError) -> Set<CredentialForm> {
        let forms = try member.choices(CredentialForm.self)
        guard !forms.contains(.unknown) else { throw member.fault(.wrongValue) }
        return forms
    }

    private static func keys(_ member: TrustMember) throws(TrustError) -> [TrustedKey] {
        var keys: [TrustedKey] = []
        for element in try member.list() {
            let found = try element.object(known: ["kid", "jwk", "pem", "multibase", "notBefore", "notAfter"])
            let id = try found.required("kid", of: element).text()
            guard let octets = TrustedKey.octets(of: id) else { throw element.fault(.wrongValue) }
            // Two texts can stand for the same octets.
            guard !keys.contains(where: { $0.id.isExactly(id) || $0.octets == octets }) else { throw element.fault(.duplicate) }
            let key: PublicKey
            var algorithm: SignatureAlgorithm?
            switch (found["jwk"], found["pem"], found["multibase"]) {
            case (let jwk?, nil, nil): (key, algorithm) = try trustedKey(jwk, id)
            case (nil, let pem?, nil): key = try publicKey(pem)
            case (nil, nil, let multibase?):
                guard let found = Multikey.publicKey(try multibase.text()) else { throw multibase.fault(.malformedKey) }
                key = found
            default: throw element.fault(.wrongValue, allowed: "one of jwk, pem and multibase")
            }
            let notBefore = try found["notBefore"].map { (time) throws(TrustError) in try time.time() }
            let notAfter = try found["notAfter"].map { (time) throws(TrustError) in try time.time() }
            if let notBefore, let notAfter, notBefore >= notAfter {
                throw element.fault(.wrongValue, allowed: "a notBefore that is earlier than notAfter")
            }
            keys.append(TrustedKey(id: id, octets: octets, key: key, algorithm: algorithm, notBefore: notBefore, notAfter: notAfter))
        }
        return keys
    }

    /// A JWK may repeat the entry's `kid`, but not contradict it.
    private static func trustedKey(_ member: TrustMember, _ id: String) throws(TrustError) -> (PublicKey, SignatureAlgorithm?) {
        let found = try member.object(known: JSONWebKey.publicMembers.union(JSONWebKey.secretMembers))
        for name in JSONWebKey.secretMembers {
            if let secret = found[name] { throw secret.fault(.secretKey) }
        }
        if let kid = found["kid"], !kid.value.isString(id) { throw kid.fault(.wrongValue, allowed: "the kid beside it, \(id)") }
        if let use = found["use"], !use.value.isString("sig") { throw use.fault(.wrongValue, allowed: "sig") }
        if let algorithm = found["alg"], JOSEAlgorithm.algorithm(algorithm.value) == nil {
            throw algorithm.fault(.wrongValue, allowed: JOSEAlgorithm.names)
        }
        guard let parsed = JSONWebKey(member.value) else { throw member.fault(.malformedKey) }
        return (parsed.key, parsed.algorithm)
    }

    private static func publicKey(_ member: TrustMember) throws(TrustError) -> PublicKey {
        let text = Array(try member.text().utf8)
        do throws(CryptographyError) {
            return try PublicKey(pem: text.span)
        } catch {
            throw member.fault(.malformedKey)
        }
    }

    private static func algorithms(_ member: TrustMember) throws(TrustError) -> Set<SignatureAlgorithm> {
        var algorithms: Set<SignatureAlgorithm> = [], names: Set<String> = []
        for element in try member.list() {
            guard element.value.kind == .string else { throw element.fault(.wrongType) }
            guard let algorithm = JOSEAlgorithm.algorithm(element.value) else {
                throw element.fault(.wrongValue, allowed: JOSEAlgorithm.names)
            }
            // EdDSA and Ed25519 are two names of one algorithm: whoever moves from one to the other lists both.
            guard names.insert(element.value.string ?? "").inserted else { throw element.fault(.duplicate) }
            algorithms.insert(algorithm)
        }
        return algorithms
    }

    private static func suites(_ member: TrustMember) throws(TrustError) -> Set<LinkedProofSuite> {
        var suites: Set<LinkedProofSuite> = []
        for element in try member.list() {
            let name = try element.text()
            guard let suite = LinkedProofSuite.allCases.first(where: { $0.name.isExactly(name) }) else {
                throw element.fault(.wrongValue, allowed: LinkedProofSuite.allCases.map(\.name).joined(separator: ", "))
            }
            guard suites.insert(suite).inserted else { throw element.fault(.duplicate) }
        }
        return suites
    }

    private static func claims(_ member: TrustMember) throws(TrustError) -> [ClaimRole: [[String]]] {
        let found = try member.object(known: Set(ClaimRole.allCases.map(\.rawValue)))
        var claims: [ClaimRole: [[String]]] = [:]
        for role in ClaimRole.allCases {
            guard let value = found[role.rawValue] else { continue }
            let elements = try value.list()
            // One path, or several to be tried in order: an issuer may use more than one form.
            let isOne = elements.allSatisfy { $0.value.kind == .string }
            var paths: [[String]] = []
            for path in isOne ? [value] : elements {
                var names: [String] = []
                for element in try path.list() { names.append(try element.text()) }
                guard names.count <= mostPaths else { throw path.fault(.wrongValue, allowed: "\(mostPaths) names at most") }
                paths.append(names)
            }
            guard paths.count <= mostPaths else { throw value.fault(.wrongValue, allowed: "\(mostPaths) paths at most") }
            claims[role] = paths
        }
        return claims
    }

    private static func status(_ member: TrustMember) throws(TrustError) -> StatusPolicy {
        guard member.value.kind == .object else {
            switch try member.text() {
            case "ignore": return StatusPolicy(isIgnored: true)
            case "reject": return StatusPolicy()
            default: throw member.fault(.wrongValue, allowed: "reject, ignore, or an object with unknown, softAge, hardAge, grace, lists")
            }
        }
        let found = try member.object(known: ["unknown", "softAge", "hardAge", "grace", "lists"])
        var policy = StatusPolicy()
        if let unknown = found["unknown"] { policy.unknown = try unknown.choice(StatusPolicy.Unknown.self) }
        if let age = found["softAge"] { policy.softAge = try seconds(age, most: largestAge) }
        if let age = found["hardAge"] { policy.hardAge = try seconds(age, most: largestAge) }
        if let age = found["grace"] { policy.grace = try seconds(age, most: largestAge) }
        if let lists = found["lists"] { policy.lists = try listNames(lists) }
        // A default may be the one that does not fit.
        func words(_ name: String, _ age: Seconds) -> String { "\(name) is \(age)" + (found[name] == nil ? " where it is not given" : "") }
        guard policy.softAge <= policy.hardAge else {
            let ages = words("softAge", policy.softAge) + ", " + words("hardAge", policy.hardAge)
            throw member.fault(.wrongValue, allowed: "a softAge of at most hardAge; here \(ages)")
        }
        return policy
    }

    private static func listNames(_ member: TrustMember) throws(TrustError) -> [StatusPolicy.ListName] {
        var names: [StatusPolicy.ListName] = []
        for element in try member.list() {
            let found = try element.object(known: ["url", "name"])
            let url = try found.required("url", of: element).text(), name = try found.required("name", of: element).text()
            guard !names.contains(where: { $0.url.isExactly(url) }) else { throw element.fault(.duplicate) }
            names.append(StatusPolicy.ListName(url: url, name: name))
        }
        return names
    }

    private static func seconds(_ member: TrustMember, most: Seconds) throws(TrustError) -> Seconds {
        guard let seconds = member.value.int64 else { throw member.fault(.wrongType, allowed: "a whole number of seconds") }
        guard 0...most ~= seconds else { throw member.fault(.wrongValue, allowed: "0 to \(most) seconds") }
        return seconds
    }
}
