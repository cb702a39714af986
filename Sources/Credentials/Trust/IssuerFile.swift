import Cryptography
import JSON

/// One trust file, read strictly. The format is `FORMAT.md` beside this file.
struct IssuerFile {
    private static let members: Set<String> = [
        "gatehouse-trust", "ids", "name", "keys", "x509", "forms", "algorithms", "types", "claims", "status", "skew",
    ]
    private static let version: Int64 = 1
    private static let defaultSkew: Seconds = 300
    private static let largestSkew: Seconds = 86_400

    private let file: TrustMember

    init(name: String, bytes: [UInt8]) throws(TrustError) {
        do throws(JSONError) {
            file = TrustMember(file: name, path: "", value: try JSONDocument(parsing: bytes, limits: JSONLimits(bytes: TrustStore.largestFile)).root)
        } catch {
            throw TrustError(file: name, reason: error.reason == .tooLong ? .tooLarge : .malformed(error))
        }
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
        let x509 = try found["x509"].map { (member) throws(TrustError) in try Self.roots(member) } ?? (roots: [], names: [])
        guard !keys.isEmpty || !x509.roots.isEmpty else { throw TrustError(file: file.file, member: "keys", reason: .missing) }
        return TrustedIssuer(
            ids: try found.required("ids", of: file).texts(),
            name: try found["name"].map { (member) throws(TrustError) in try member.text() },
            keys: keys, roots: x509.roots, certificateNames: x509.names,
            forms: try Self.forms(found.required("forms", of: file)),
            algorithms: try found.required("algorithms", of: file).choices(SignatureAlgorithm.self),
            types: try found.required("types", of: file).texts(),
            claims: try found["claims"].map { (member) throws(TrustError) in try Self.claims(member) } ?? [:],
            status: try found["status"].map { (member) throws(TrustError) in try member.choice(StatusPolicy.self) } ?? .reject,
            skew: try found["skew"].map { (member) throws(TrustError) in try Self.skew(member) } ?? Self.defaultSkew)
    }

    private static func forms(_ member: TrustMember) throws(TrustError) -> Set<CredentialForm> {
        let forms = try member.choices(CredentialForm.self)
        guard !forms.contains(.unknown) else { throw member.fault(.wrongValue) }
        return forms
    }

    private static func keys(_ member: TrustMember) throws(TrustError) -> [TrustedKey] {
        var keys: [TrustedKey] = []
        for element in try member.list() {
            let found = try element.object(known: ["kid", "jwk", "pem", "notBefore", "notAfter"])
            let id = try found.required("kid", of: element).text()
            guard !keys.contains(where: { $0.id.isExactly(id) }) else { throw element.fault(.duplicate) }
            let key: PublicKey
            var algorithm: SignatureAlgorithm?
            switch (found["jwk"], found["pem"]) {
            case (let jwk?, nil): (key, algorithm) = try trustedKey(jwk, id)
            case (nil, let pem?): key = try publicKey(pem)
            default: throw element.fault(.wrongValue)
            }
            let notBefore = try found["notBefore"].map { (time) throws(TrustError) in try time.time() }
            let notAfter = try found["notAfter"].map { (time) throws(TrustError) in try time.time() }
            if let notBefore, let notAfter, notBefore >= notAfter { throw element.fault(.wrongValue) }
            keys.append(TrustedKey(id: id, key: key, algorithm: algorithm, notBefore: notBefore, notAfter: notAfter))
        }
        return keys
    }

    /// A JWK may repeat the entry's `kid`, but not contradict it.
    private static func trustedKey(_ member: TrustMember, _ id: String) throws(TrustError) -> (PublicKey, SignatureAlgorithm?) {
        let found = try member.object(known: JSONWebKey.publicMembers.union(JSONWebKey.secretMembers))
        for name in JSONWebKey.secretMembers {
            if let secret = found[name] { throw secret.fault(.secretKey) }
        }
        if let kid = found["kid"], !kid.value.isString(id) { throw kid.fault(.wrongValue) }
        if let use = found["use"], !use.value.isString("sig") { throw use.fault(.wrongValue) }
        _ = try found["alg"]?.choice(SignatureAlgorithm.self)
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

    private static func roots(_ member: TrustMember) throws(TrustError) -> (roots: [Certificate], names: [String]) {
        let found = try member.object(known: ["roots", "names"])
        var roots: [Certificate] = []
        for element in try found.required("roots", of: member).list() {
            guard let der = PEMCertificate.decode(try element.text()) else { throw element.fault(.malformedCertificate) }
            do throws(CryptographyError) {
                roots.append(try Certificate(der.span))
            } catch {
                throw element.fault(.malformedCertificate)
            }
        }
        return (roots, try found["names"].map { (names) throws(TrustError) in try names.texts() } ?? [])
    }

    private static func claims(_ member: TrustMember) throws(TrustError) -> [ClaimRole: [String]] {
        let found = try member.object(known: Set(ClaimRole.allCases.map(\.rawValue)))
        var claims: [ClaimRole: [String]] = [:]
        for role in ClaimRole.allCases {
            guard let path = found[role.rawValue] else { continue }
            var names: [String] = []
            for element in try path.list() { names.append(try element.text()) }
            claims[role] = names
        }
        return claims
    }

    private static func skew(_ member: TrustMember) throws(TrustError) -> Seconds {
        guard let skew = member.value.int64 else { throw member.fault(.wrongType) }
        guard 0...largestSkew ~= skew else { throw member.fault(.wrongValue) }
        return skew
    }
}
