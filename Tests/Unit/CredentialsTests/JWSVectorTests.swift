import Foundation
import JSON
import Testing

@testable import Credentials
@testable import Envelopes

/// Project Wycheproof's JWS vectors against the compact JWS of this module.
@Suite(.enabled(if: Suites.isPresent(Suites.jws), Suites.absent))
struct JWSVectorTests {
    /// Whether the module takes the token for one signed by the key.
    private func accepts(_ jws: String, _ jwk: JSONValue) -> Bool {
        guard let key = JSONWebKey(jwk), let token = try? CompactJWS(Array(jws.utf8)[...], malformed: .compactMalformed) else {
            return false
        }
        return (key.algorithm == nil || key.algorithm == token.header.algorithm) && token.isSigned(by: key.key)
    }

    @Test func jsonWebSignatures() throws {
        let text = [UInt8](try Data(contentsOf: Suites.jws))
        let groups = try #require(try JSONDocument(parsing: text, limits: JSONLimits(nodes: 1_000_000)).root["testGroups"]?.elements)
        let ours: Set<String> = ["ES256", "RS256", "PS256"]
        var accepted = 0, refused = 0
        for group in groups {
            let jwk = try #require(group["public"] ?? group["private"])
            for test in try #require(group["tests"]?.elements) {
                guard let jws = test["jws"]?.string else { continue }
                let id = test["tcId"]?.int64 ?? 0
                let isValid = test["result"]?.isString("valid") == true
                let answer = accepts(jws, jwk)
                if !isValid { #expect(!answer, "\(id)") }
                // Valid, but beyond this module: other algorithms, and payloads of no octets, which no credential has.
                let parts = jws.split(separator: ".", omittingEmptySubsequences: false)
                let stated = (try? JSONDocument(parsing: unBase64URL(parts[0])))?.root["alg"]?.string ?? ""
                if isValid, ours.contains(stated), !parts[1].isEmpty { #expect(answer, "\(id)") }
                if answer { accepted += 1 } else { refused += 1 }
            }
        }
        #expect(accepted == 14 && refused == 387, "\(accepted) accepted, \(refused) refused")
    }
}
