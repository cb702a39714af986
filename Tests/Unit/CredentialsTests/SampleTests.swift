import COpenSSL
import Credentials
import Cryptography
import Foundation
import JSON
import TestSupport
import Testing

/// The external suites.
enum Suites {
    static let folder = URL(filePath: Repository.suites)
    static let samples = folder.appending(path: "credentials/samples/vc-verifier/sd-jwt_vc")
    static let sdJWT = folder.appending(path: "credentials/suites/sd-jwt")
    static let jws = folder.appending(path: "wycheproof/json_web_signature_test.json")
    static let absent: Comment = "the external suites are not here: set GATEHOUSE_SUITES"

    static func isPresent(_ folder: URL) -> Bool { FileManager.default.fileExists(atPath: folder.path) }
}

/// Signed samples of MOSIP's verifier. No sample's issuer publishes a root, so each test pins what the sample itself carries: that shows
/// that signatures, digests and shapes of others are understood, and says nothing about trust.
@Suite(.enabled(if: Suites.isPresent(Suites.samples), Suites.absent))
struct SampleTests {
    private struct Sample {
        let text: String
        let header: JSONValue
        let payload: JSONValue

        init(_ name: String) throws {
            text = try String(contentsOf: Suites.samples.appending(path: name), encoding: .utf8).trimmingCharacters(
                in: .whitespacesAndNewlines)
            let parts = text.split(separator: "~")[0].split(separator: ".")
            header = try JSONDocument(parsing: unBase64URL(parts[0])).root
            payload = try JSONDocument(parsing: unBase64URL(parts[1])).root
        }

        var iss: String { payload["iss"]?.string ?? "" }
        var vct: String { payload["vct"]?.string ?? "" }
        var certificates: [Data] { header["x5c"]?.elements?.compactMap { $0.string.flatMap { Data(base64Encoded: $0) } } ?? [] }

        /// A moment at which the sample holds: just after it was issued.
        var time: Int64 {
            payload["iat"]?.int64 ?? (payload["issuanceDate"]?.string).flatMap { text in
                (try? Date(text, strategy: .iso8601.year().month().day().time(includingFractionalSeconds: true))).map {
                    Int64($0.timeIntervalSince1970) + 1
                }
            } ?? 0
        }
    }

    private func trust(_ sample: Sample, _ change: (inout TestTrust) -> Void) throws -> CredentialVerifier {
        var trust = TestTrust(keys: [])
        trust.members["ids"] = list([sample.iss])
        trust.members["types"] = list([sample.vct])
        trust.members["claims"] = #"{"portrait":["portrait"]}"#
        change(&trust)
        return try trust.verifier()
    }

    /// Animo's signers have certificates for mdocs, and sign SD-JWTs with them.
    private static let mdocSigning = #","extendedKeyUsages":["1.0.18013.5.1.2"]"#

    /// Trust that pins the leaf's key under the header's kid; a header without one gets the chain's own last certificate as root and its
    /// names.
    private func verifier(_ sample: Sample, usages: String = Self.mdocSigning) throws -> CredentialVerifier {
        try trust(sample) { trust in
            if let kid = sample.header["kid"]?.string {
                trust.members["keys"] = #"[{"kid":"\#(kid)","pem":"\#(subjectKey(sample.certificates[0]).replacing("\n", with: "\\n"))"}]"#
            } else {
                let root = armor(sample.certificates[sample.certificates.count - 1], "CERTIFICATE").replacing("\n", with: "\\n")
                trust.members["x509"] = #"{"roots":["\#(root)"]\#(usages)}"#
            }
        }
    }

    private func subjectKey(_ certificate: Data) -> String {
        let octets = [UInt8](certificate)
        let key = octets.withUnsafeBufferPointer { buffer -> OpaquePointer? in
            var cursor = buffer.baseAddress
            let parsed = d2i_X509(nil, &cursor, buffer.count)
            defer { X509_free(parsed) }
            return X509_get_pubkey(parsed)
        }
        defer { EVP_PKEY_free(key) }
        var der: UnsafeMutablePointer<UInt8>?
        let count = i2d_PUBKEY(key, &der)
        defer { CRYPTO_free(der, #file, #line) }
        return armor(Data(bytes: der!, count: Int(count)), "PUBLIC KEY")
    }

    @Test(arguments: [
        ("sdJwtSha384Alg.txt", 1), ("sdJwtSha512Alg.txt", 1), ("sdJwtWithClaimsInDisclosure.txt", 11), ("sdJwtWithKbJwtES256.txt", 1),
        ("sdJwtWithKbJwtEdDSA.txt", 1), ("sdJwtWithRootLevelSd.txt", 11),
        ("sdJwtWithRootLevelSd2.txt", 8), ("sdJwtWithRootLevelSdNestedPayload.txt", 13), ("sdJwtWithSDClaimsinChildObject.txt", 0),
    ])
    func goodSamples(_ name: String, _ disclosedAtTop: Int) throws {
        let sample = try Sample(name)
        let verifier = try verifier(sample)
        let verdict = verifier.verify(Array(sample.text.utf8), at: sample.time)
        let credential = try #require(verdict.credential, "\(name): \(verdict.reasons)")
        #expect(credential.type == sample.vct)
        let unlisted = try self.verifier(sample, usages: "").verify(Array(sample.text.utf8), at: sample.time)
        #expect(unlisted.reasons == (credential.keyID == nil ? [.certificateUsageRefused] : []))
        let signed = Set(sample.payload.members?.map(\.name) ?? [])
        let added = credential.claims.root.members?.filter { !signed.contains($0.name) }.count ?? 0
        #expect(added >= disclosedAtTop)
        #expect(credential.notes.contains(.keyBindingNotFresh) == name.contains("KbJwt"))
        #expect(!String(decoding: credential.claims.root.source, as: UTF8.self).contains("\"_sd\""))
        // The same with one character of each part changed.
        for (position, character) in sample.text.enumerated() where position % 97 == 5 && character != "~" && character != "." {
            var mutant = Array(sample.text.utf8)
            mutant[position] = mutant[position] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            #expect(!verifier.verify(mutant, at: sample.time).isAccept, "\(name) at \(position)")
        }
    }

    /// `sdJwt.txt` became a sample for its unreferenced disclosures, but lacks `typ` too, which is seen first. `invalidSdJwt.txt` was
    /// edited by hand and no longer is the base64url of anything.
    @Test func badSamples() throws {
        for (name, reason) in [("sdJwt.txt", RejectReason.typeHeaderRefused), ("invalidSdJwt.txt", .compactMalformed)] {
            let sample = try Sample(name)
            #expect(try verifier(sample).verify(Array(sample.text.utf8), at: sample.time).reasons == [reason])
        }
    }

    @Test func signaturesInDER() throws {
        let sample = try Sample("sdJwtWithKbJwtEs256kAndCnfBeingJwk.txt")
        let verifier = try trust(sample) { $0.members["keys"] = #"[{"kid":"x","jwk":\#(TestKey.secp256k1.jwk)}]"# }
        #expect(verifier.verify(Array(sample.text.utf8), at: sample.time).reasons == [.signatureInvalid])
    }

    @Test func noSampleIsTrustedByItself() throws {
        for file in try FileManager.default.contentsOfDirectory(atPath: Suites.samples.path) {
            let sample = try Sample(file)
            #expect(try !TestTrust().verifier().verify(Array(sample.text.utf8), at: sample.time).isAccept)
        }
    }
}
