import ClaimTestSupport
import Cryptography
import Envelopes
import Foundation
import TestSupport
import Trust

/// Somebody with a Trusted Key wallet, and the issuer of the claims in it (trustedkey.md).
struct TestClaimant {
    static let name = "2.5.4.3", ofAge = "1.3.6.1.4.1.51341.21", thumbnail = "1.3.6.1.4.1.51341.11", publicKey = "1.3.6.1.4.1.51341.15"
    static let kind = "1.3.6.1.4.1.51341.6"
    static let clientID = "harbour-gate-2", wallet = "https://wallet.example/request", listURL = "https://claims.example/revoked"
    static let id = "https://claims.example"

    /// An issuer below a root that gates pin.
    struct Authority: Sendable {
        let name: String
        let rootKey: TestKey, key: TestKey
        let root: [UInt8], issuer: [UInt8]

        init(_ name: String = "Harbour") throws {
            self.name = name
            rootKey = try TestKey()
            key = try TestKey()
            var root = TestCertificate.authority("\(name) Root", rootKey, by: "\(name) Root", pathLength: 2)
            var issuer = TestCertificate.authority("\(name) Issuer", key, by: "\(name) Root")
            (root.validity, issuer.validity) = (TestClaimant.validity, TestClaimant.validity)
            self.root = try root.signed(by: rootKey)
            self.issuer = try issuer.signed(by: rootKey)
        }
    }

    static let validity = TestIssuer.now - 86_400...TestIssuer.now + 86_400

    let key: TestKey
    let authority: Authority
    /// The values of the claim.
    var objects: [(String, String)] = [(kind, "Access"), (name, "Noor van Dijk"), (ofAge, "true")]
    var validity = TestClaimant.validity
    /// In place of the one claim that is made.
    var claims: [[UInt8]]?
    var issuers: [[UInt8]]
    var signer: TestKey
    var audience = clientID
    var issued = TestIssuer.now, expires = TestIssuer.now + 600
    var result = "success"
    /// In place of the request's.
    var nonce: String?
    var more = ""

    init(_ authority: Authority) throws {
        self.authority = authority
        key = try TestKey()
        signer = key
        issuers = [authority.issuer]
    }

    func claim(_ objects: [(String, String)], over key: TestKey? = nil, by other: Authority? = nil) throws -> [UInt8] {
        let issuer = other ?? authority
        var claim = TestCertificate.claim(
            objects.map { TestCertificate.Part($0.0, $0.1) }, key ?? self.key, by: "\(issuer.name) Issuer",
            serial: (0..<12).map { _ in .random(in: 1...100) })
        claim.validity = validity
        return try claim.signed(by: issuer.key)
    }

    /// What the code on the screen asks, by its members.
    static func asked(_ code: String) -> [String: String] {
        guard let items = URLComponents(string: code)?.queryItems else { return [:] }
        return Dictionary(items.map { ($0.name, $0.value ?? "") }) { first, _ in first }
    }

    /// The parameters of the answer to a code.
    func parameters(_ code: String) throws -> [(String, String)] {
        let nonce = nonce ?? Self.asked(code)["nonce"] ?? ""
        let payload =
            "{\"iss\":\"https://self-issued.me\",\"sub\":\"\(String(repeating: "a1", count: 20))\",\"aud\":\"\(audience)\","
            + "\"iat\":\(issued),\"exp\":\(expires),\"nonce\":\"\(nonce)\",\"sub_jwk\":\(key.jwk())}"
        let token = try signer.token(header: #"{"alg":"ES256"}"#, payload: Array(payload.utf8))
        let claims = try self.claims ?? [claim(objects)]
        return [("result", result), ("nonce", nonce), ("id_token", token), ("certs", Self.list(claims)), ("chain", Self.list(issuers))]
            .filter { !$0.1.isEmpty }
    }

    static func list(_ certificates: [[UInt8]]) -> String {
        certificates.map { String(decoding: Base64.encodeStandard($0), as: UTF8.self) }.joined(separator: ",")
    }

    /// The text of the code on the phone.
    func answer(_ code: String, to callback: String? = nil) throws -> String {
        let address = callback ?? Self.asked(code)["callbackUrl"] ?? ""
        return address + (address.contains("?") ? "&" : "?") + (try form(code)) + more
    }

    func form(_ code: String) throws -> String {
        try parameters(code).map { "\($0.0)=\(Self.escaped($0.1))" }.joined(separator: "&")
    }

    private static func escaped(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(CharacterSet(charactersIn: "-._~"))) ?? ""
    }

    // MARK: what a gate is told

    /// The issuer's entry, and the list of what is revoked.
    ///
    /// - Parameters:
    ///   - more: members besides, each with a comma behind it.
    ///   - fetched: seconds since the list was taken; nil for a bundle without one.
    static func trust(
        _ authority: Authority, asking objects: [String] = [name, ofAge], claims: String = #"{"fullName":[["2.5.4.3"]]}"#,
        requires: String = #"["fullName"]"#, more: String = "", revoked: [String] = [], fetched: Int64? = 60
    ) throws -> TrustContents {
        let asked = objects.map { "\"\($0)\"" }.joined(separator: ",")
        let root = "-----BEGIN CERTIFICATE-----\\n\(list([authority.root]))\\n-----END CERTIFICATE-----"
        let entry = """
            {\(more)"gatehouse-trust":1,"ids":["\(id)"],"forms":["trustedkey"],"types":["Access"],
            "trustedkey":{"clientId":"\(clientID)","wallet":"\(wallet)","objects":[\(asked)],"revoked":"\(listURL)"},
            "x509":{"roots":["\(root)"]},"claims":\(claims),"requires":\(requires)}
            """
        var contents = TrustContents(issuers: [TrustContents.IssuerText(name: "claims.json", bytes: Array(entry.utf8))])
        guard let fetched else { return contents }
        let addresses = revoked.sorted().flatMap { Hex.bytes(String($0.dropFirst(2))) }
        contents.trustedKey = TrustedKeyContents(lists: [.init(url: listURL, fetched: TestIssuer.now - fetched, addresses: addresses)])
        return contents
    }
}
