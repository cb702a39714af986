import ClaimTestSupport
import Cryptography
import Envelopes
import JSON

@testable import TrustedKeyWallet

/// An issuer with its root, a holder, and what the holder's wallet answers, put together piece by piece.
struct TestAnswer {
    static let issued = TestCertificate.issued
    static let clientID = "harbour-gate-2"
    static let name = "2.5.4.3", mail = "1.2.840.113549.1.9.1"

    let holder: TestKey, issuerKey: TestKey, rootKey: TestKey
    var request: TrustedKeyRequest
    var now = issued + 4
    /// The token's members, as JSON; nil takes one away.
    var members: [String: String?]
    var header = #"{"alg":"ES256","typ":"JWT"}"#
    var tokenSigner: TestKey
    /// In place of the token that is made.
    var token: String?
    /// In place of the payload that is made.
    var payload: String?
    var claims: [[UInt8]] = []
    var issuers: [[UInt8]] = []
    var roots: [[UInt8]] = []
    var revoked: Set<RevokedAddress> = []
    var result = "success"
    var nonce: String
    var more = ""

    /// One claim of a name, by an issuer below the root.
    ///
    /// - Parameter keys: of holder, issuer and root; new ones where none are given.
    init(
        asking objects: [String] = [name], at url: String = "http://gate.local/tk/answer?lane=5",
        keys: (holder: TestKey, issuer: TestKey, root: TestKey)? = nil
    ) throws {
        holder = try keys?.holder ?? TestKey()
        issuerKey = try keys?.issuer ?? TestKey()
        rootKey = try keys?.root ?? TestKey()
        let nonce = [UInt8](repeating: 0xFB, count: 32)
        let asked = objects.compactMap { TrustedKeyObject($0) }
        precondition(asked.count == objects.count, "an object that is none: \(objects)")
        request = try TrustedKeyRequest(nonce: nonce, callbackURL: url, callbackType: .json, objects: asked)
        self.nonce = request.nonce
        tokenSigner = holder
        members = [
            "iss": #""https://self-issued.me""#, "sub": "\"\(String(repeating: "a1", count: 20))\"",
            "aud": "[\"\(Self.clientID)\",\"x\"]", "exp": "\(Self.issued + 900)", "iat": "\(Self.issued)", "nonce": "\"\(request.nonce)\"",
            "sub_jwk": holder.jwk(),
        ]
        roots = [try TestCertificate.authority("Root", rootKey, by: "Root", pathLength: 2).signed(by: rootKey)]
        issuers = [try TestCertificate.authority("Issuer", issuerKey, by: "Root").signed(by: rootKey)]
        claims = [try claim([.init(Self.name, "Noor van Dijk")]).signed(by: issuerKey)]
    }

    func claim(_ parts: [TestCertificate.Part], serial: [UInt8] = [9]) -> TestCertificate {
        TestCertificate.claim(parts, holder, by: "Issuer", serial: serial)
    }

    func madeToken() throws -> String {
        if let token { return token }
        let list = members.sorted { $0.key < $1.key }.compactMap { name, value in value.map { "\"\(name)\":\($0)" } }
        return try tokenSigner.token(header: header, payload: Array((payload ?? "{" + list.joined(separator: ",") + "}").utf8))
    }

    static func list(_ certificates: [[UInt8]]) -> String {
        certificates.map { String(decoding: Base64.encodeStandard($0), as: UTF8.self) }.joined(separator: ",")
    }

    /// The parameters in their order; those without a certificate are left away.
    func parameters() throws -> [(name: String, value: String)] {
        var list = [("result", result), ("nonce", nonce), ("id_token", try madeToken())]
        if !claims.isEmpty { list.append(("certs", Self.list(claims))) }
        if !issuers.isEmpty { list.append(("chain", Self.list(issuers))) }
        return list
    }

    static func query(_ parameters: [(name: String, value: String)]) -> String {
        parameters.map { $0.name + "=" + CallbackAddress.escaped($0.value) }.joined(separator: "&")
    }

    func url() throws -> String { request.callbackURL + "&" + Self.query(try parameters()) + more }

    func verifier() throws -> TrustedKeyVerifier {
        var pinned: [TrustedKeyRoot] = []
        for root in roots { pinned.append(try TrustedKeyRoot(root.span)) }
        return TrustedKeyVerifier(clientID: Self.clientID, trust: TrustedKeyTrust(roots: pinned, revoked: revoked))
    }

    func verified(_ url: String? = nil) throws -> VerifiedTrustedKey {
        try verifier().verify(TrustedKeyAnswer(url: Array((url ?? self.url()).utf8), to: request), to: request, at: now)
    }

    /// The code of the fault, or nil where it is accepted.
    func fault(_ url: String? = nil) throws -> TrustedKeyFault? {
        do {
            _ = try verified(url)
            return nil
        } catch let fault as TrustedKeyFault {
            return fault
        }
    }

    /// The values, in the order of the request.
    func values() throws -> [String] { try verified().claims.map(\.value) }
}
