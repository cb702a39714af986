import Cryptography
import Foundation
import JSON
import Testing

@testable import Credentials
@testable import Envelopes
@testable import Trust

/// A trust entry for the issuer of a published sample, made of the public keys published beside it.
struct SampleTrust {
    var ids: [String]
    /// JSON texts of the entry's `keys`.
    var keys: [String] = []
    var types = ["https://www.w3.org/2018/credentials#VerifiableCredential"]
    var forms = ["ldp_vc"]
    /// The samples have nothing in common but a name of somebody; few have a type that is signed.
    var claims = #"{"fullName":[\#(Self.names.map { "[\(jsonString($0))]" }.joined(separator: ","))]}"#
    var requires = ["fullName"]
    var status = #""reject""#
    var lists: [PinnedStatusList] = []

    private static let names = [
        "https://api.collab.mosip.net/mosip#fullName", "https://mosip.github.io/mosip#fullName", "https://schema.org/name",
    ]

    /// - Parameter file: a DID document or a key document.
    init(_ id: String, keys file: URL) throws {
        ids = [id]
        let document = try LinkedSamples.json(file)
        let entries = (document["verificationMethod"]?.elements.map(Array.init) ?? [document])
        for entry in entries {
            let method = try #require(entry["id"]?.string)
            if let text = entry["publicKeyMultibase"]?.string { keys.append(#"{"kid":"\#(method)","multibase":"\#(text)"}"#) }
            if let pem = entry["publicKeyPem"] {
                keys.append(#"{"kid":"\#(method)","pem":\#(String(decoding: pem.source, as: UTF8.self))}"#)
            }
            if let jwk = entry["publicKeyJwk"] {
                let members = ["kty", "crv", "x", "y", "n", "e"].compactMap { name in
                    jwk[name].map { "\"\(name)\":" + String(decoding: $0.source, as: UTF8.self) }
                }
                keys.append(#"{"kid":"\#(method)","jwk":{\#(members.joined(separator: ","))}}"#)
            }
        }
    }

    var issuer: String {
        func list(_ texts: [String]) -> String { "[" + texts.map(jsonString).joined(separator: ",") + "]" }
        let suites = LinkedProofSuite.allCases.map(\.name)
        return """
            {"gatehouse-trust":1,"ids":\(list(ids)),"keys":[\(keys.joined(separator: ","))],"forms":\(list(forms)),
             "algorithms":["ES256","ES384","ES256K","EdDSA","PS256","RS256"],"suites":\(list(suites)),"types":\(list(types)),
             "claims":\(claims),"requires":\(list(requires)),"status":\(status)}
            """
    }

    func store() throws -> TrustStore {
        try TrustStore(
            TrustContents(
                issuers: [TrustContents.IssuerText(name: "sample.json", bytes: Array(issuer.utf8))],
                contexts: try LinkedSamples.contextDocuments(), lists: lists))
    }

    func verifier() throws -> CredentialVerifier { CredentialVerifier(trust: try store()) }
}

/// MOSIP's and Inji's published credentials from the octets to the verdict, with the verdicts of the samples' README.
@Suite(.enabled(if: LinkedSamples.arePresent, Suites.absent))
struct LinkedVerdictSampleTests {
    private static let ldp = LinkedSamples.mosip.appending(path: "ldp_vc")
    /// 2025-12-01, inside the validity of most.
    private static let time: Seconds = 1_764_547_200

    private func verdict(
        _ file: String, _ key: String, folder: URL = Self.ldp, at time: Seconds = Self.time,
        _ change: (inout SampleTrust) throws -> Void = { _ in }
    ) throws -> Verdict {
        let document = try LinkedSamples.json(folder.appending(path: file))
        let issuer = try #require(document["issuer"]?.string ?? document["issuer"]?["id"]?.string)
        var trust = try SampleTrust(issuer, keys: folder.appending(path: key))
        try change(&trust)
        return try trust.verifier().verify(document.source, at: time)
    }

    // MARK: accepted

    private struct Good: CustomStringConvertible {
        let file: String
        let key: String
        var folder = LinkedVerdictSampleTests.ldp
        var time = LinkedVerdictSampleTests.time
        let suite: String
        var algorithm = SignatureAlgorithm.edDSA
        /// Pointers that are not signed.
        var uncovered: [String] = []
        var description: String { file }
    }

    private static let good = [
        Good(
            file: "PS256SignedMosipVC.json", key: "public_key/idaPublicKey.json", suite: "RsaSignature2018", algorithm: .ps256,
            uncovered: ["/type/1"]),
        Good(file: "mosipUnrevokedVC.json", key: "mockDid.json", suite: "Ed25519Signature2020"),
        // 2025-03-01: it expired on the 19th.
        Good(
            file: "Ed25519Signature2020SignedSunbirdVC.json", key: "public_key/didMosipKey.json", time: 1_740_787_200,
            suite: "Ed25519Signature2020"),
        Good(file: "Ed25519Signature2018SignedVC-did.json", key: "public_key/didEdPublicKey.json", suite: "Ed25519Signature2018"),
        Good(
            file: "Ed25519Signature2018SignedVC-https.json", key: "public_key/httpsMockKey2.json", suite: "Ed25519Signature2018",
            uncovered: ["/renderMethod/0/css3MediaQuery", "/renderMethod/0/type", "/type/1"]),
        Good(file: "ES256KSignedMockVC.json", key: "public_key/didEcKey.json", suite: "EcdsaSecp256k1Signature2019", algorithm: .es256k),
        Good(
            file: "ES256SignedVC.json", key: "didEcr1Key.json", folder: LinkedSamples.inji.appending(path: "ldp_vc"), time: 1_780_000_000,
            suite: "EcdsaSecp256r1Signature2019", algorithm: .es256),
    ]

    @Test(arguments: Self.good)
    private func accepted(_ sample: Good) throws {
        let verdict = try verdict(sample.file, sample.key, folder: sample.folder, at: sample.time) { $0.status = #""ignore""# }
        let credential = try #require(verdict.credential, "\(verdict.reasons)")
        #expect(credential.proof?.suite == sample.suite && credential.proof?.algorithm == sample.algorithm)
        #expect(credential.proof?.options == .securityV3)
        #expect(credential.uncovered.map(\.pointer).sorted() == sample.uncovered)
        #expect(credential.notes.contains(.typeNotSigned) == sample.uncovered.contains("/type/1"))
        #expect(credential.form == .ldpVC && credential.keyID != nil)
    }

    @Test func portraitIsRead() throws {
        let verdict = try verdict("PS256SignedMosipVC.json", "public_key/idaPublicKey.json") {
            $0.claims =
                #"{"portrait":["https://api.collab.mosip.net/mosip#face"],"birthDate":["https://api.collab.mosip.net/mosip#dateOfBirth"]}"#
            $0.requires = ["portrait"]
        }
        #expect(verdict.credential?.portrait?.hasPrefix("data:image/jpeg;base64,/9j/") == true)
        #expect(verdict.credential?.portrait?.utf8.count == 472_011)
        #expect(verdict.credential?.claim(.birthDate)?.string == "1991/01/01")
    }

    /// The portrait beside the credential, in the wallet's wrapper, is nobody's word.
    @Test func wrapperIsNotRead() throws {
        let document = try LinkedSamples.json(Self.ldp.appending(path: "ES256KSignedMockVC.json"))
        var trust = try SampleTrust("did:web:vharsh.github.io:DID:echarsh", keys: Self.ldp.appending(path: "public_key/didEcKey.json"))
        trust.claims = #"{"portrait":["face"],"fullName":["https://schema.org/name"]}"#
        let wrapper =
            #"{"vcMetadata":{"isVerified":true},"credential":{"biometrics":{"face":"forged"}},"verifiableCredential":{"credential":"#
            + String(decoding: document.source, as: UTF8.self) + "}}"
        let credential = try #require(try trust.verifier().verify(Array(wrapper.utf8), at: Self.time).credential)
        #expect(credential.portrait == nil)
        #expect(!String(decoding: credential.claims.root.source, as: UTF8.self).contains("forged"))
    }

    // MARK: rejected

    @Test(arguments: [
        ("tamperedVC.json", "public_key/idaPublicKey.json", RejectReason.signatureInvalid),
        ("RS256SignedMosipVC.json", "public_key/httpsMockKey.json", .claimsUncovered),
        ("InvalidDidUrlSunbirdVC.json", "public_key/didMosipKey.json", .keyUnknown),
        ("invalidVC.json", "public_key/idaPublicKey.json", .credentialRule(.missing(.context))),
        ("Ed25519Signature2020SignedSunbirdVC.json", "public_key/didMosipKey.json", .expired),
    ])
    func rejected(file: String, key: String, reason: RejectReason) throws {
        #expect(try verdict(file, key).reasons.first == reason)
    }

    /// Inji calls an expired credential valid and says this beside it; here it is the reason against it.
    @Test func expiredHasInjisName() {
        #expect(RejectReason.expired.injiCode(.ldpVC) == "ERR_VC_EXPIRED")
        #expect(RejectReason.credentialRule(.missing(.context)).injiCode(.ldpVC) == "ERR_MISSING_@CONTEXT")
    }

    @Test(
        arguments: try FileManager.default.contentsOfDirectory(atPath: LinkedSamples.mosip.appending(path: "vp").path).filter {
            $0.hasSuffix(".json")
        }.sorted())
    func presentationIsNoCredential(file: String) throws {
        let trust = try SampleTrust("did:web:vharsh.github.io:DID:echarsh", keys: Self.ldp.appending(path: "public_key/didEcKey.json"))
        let verdict = try trust.verifier().verify(try LinkedSamples.bytes(LinkedSamples.mosip.appending(path: "vp/\(file)")), at: Self.time)
        #expect(!verdict.isAccept)
    }

    // MARK: trust

    @Test func issuerIsNotTrusted() throws {
        #expect(
            try verdict("ES256KSignedMockVC.json", "public_key/didEcKey.json") { $0.ids = ["did:web:somebody.example"] }.reasons == [
                .issuerUnknown
            ])
        #expect(
            try verdict("ES256KSignedMockVC.json", "public_key/didEcKey.json") {
                $0.keys = [$0.keys[0].replacing("#key-0", with: "#key-1")]
            }.reasons == [.keyUnknown])
        #expect(
            try verdict("ES256KSignedMockVC.json", "public_key/didEcKey.json") { $0.types = ["urn:other"] }.reasons == [.typeNotTrusted])
        #expect(try verdict("ES256KSignedMockVC.json", "public_key/didEcKey.json") { $0.forms = ["sd_jwt"] }.reasons == [.formNotTrusted])
    }

    /// A status list is public and signed by the same key: a stranger has one without having anything.
    @Test func statusListIsNoVisitor() throws {
        for types in [
            ["https://www.w3.org/2018/credentials#VerifiableCredential"],
            ["https://www.w3.org/ns/credentials/status#BitstringStatusListCredential"],
        ] {
            let found = try verdict("mosipUnrevokedStatusList.json", "mockDid.json") {
                $0.types = types
                $0.claims = #"{"fullName":["https://www.w3.org/ns/credentials/status#statusPurpose"]}"#
            }
            #expect(found.reasons == [.typeNotTrusted])
        }
    }

    @Test func bareTypeAsksForClaims() throws {
        func store(requires: [String]) throws -> TrustStore {
            var trust = try SampleTrust("urn:issuer", keys: Self.ldp.appending(path: "public_key/didEcKey.json"))
            trust.requires = requires
            return try trust.store()
        }
        #expect(throws: TrustError(file: "sample.json", member: "requires", reason: .wrongValue)) { try store(requires: ["portrait"]) }
        #expect(throws: TrustError(file: "sample.json", member: "requires", reason: .wrongType)) { try store(requires: []) }
        #expect(try store(requires: ["fullName"]).issuers[0].requires == [.fullName])
        let found = try verdict("ES256KSignedMockVC.json", "public_key/didEcKey.json") {
            $0.claims = #"{"portrait":["https://schema.org/image"]}"#
            $0.requires = ["portrait"]
        }
        #expect(found.reasons == [.claimMissing(.portrait)])
    }

    /// A type that is not signed is no type.
    @Test func unsignedTypeIsNoPolicy() throws {
        #expect(
            try verdict("PS256SignedMosipVC.json", "public_key/idaPublicKey.json") { $0.types = ["MOSIPVerifiableCredential"] }.reasons == [
                .typeNotTrusted
            ])
    }

    // MARK: status

    private func list(_ credential: String, _ file: String, fetched: Seconds = Self.time) throws -> PinnedStatusList {
        let status = try LinkedSamples.json(Self.ldp.appending(path: credential))["credentialStatus"]
        let url = try #require(status?["statusListCredential"]?.string)
        return PinnedStatusList(url: url, fetched: fetched, bytes: try LinkedSamples.bytes(Self.ldp.appending(path: file)))
    }

    @Test func revokedAndUnrevokedAreToldApart() throws {
        let good = try verdict("mosipUnrevokedVC.json", "mockDid.json") {
            $0.lists = [try list("mosipUnrevokedVC.json", "mosipUnrevokedStatusList.json")]
        }
        #expect(good.credential?.status == StatusFinding(status: .good, age: 0, isStale: false, fault: nil), "\(good.reasons)")
        let bad = try verdict("mosipRevokedVC.json", "mockDid.json") {
            $0.lists = [try list("mosipRevokedVC.json", "mosipRevokedStatusList.json")]
        }
        #expect(bad.reasons == [.revoked])
        let without = try verdict("mosipUnrevokedVC.json", "mockDid.json")
        #expect(without.reasons == [.statusUnknown])
    }

    @Test func ageIsPolicy() throws {
        func verdict(age: Seconds, _ status: String) throws -> Verdict {
            try self.verdict("mosipUnrevokedVC.json", "mockDid.json") {
                $0.lists = [try list("mosipUnrevokedVC.json", "mosipUnrevokedStatusList.json", fetched: Self.time - age)]
                $0.status = status
            }
        }
        let policy = #"{"unknown":"reject","softAge":100,"hardAge":200}"#
        #expect(try verdict(age: 100, policy).credential?.notes == [])
        #expect(try verdict(age: 101, policy).credential?.notes == [.statusStale])
        #expect(try verdict(age: 200, policy).credential?.status.age == 200)
        #expect(try verdict(age: 201, policy).reasons == [.statusUnknown])
        let lenient = try verdict(age: 201, #"{"unknown":"accept","softAge":100,"hardAge":200}"#)
        #expect(lenient.credential?.notes == [.statusUnknown])
        #expect(lenient.credential?.status.fault == .listTooOld)
    }

    /// The list of another credential, renamed, is not this one's.
    @Test func renamedListIsUnknown() throws {
        let found = try verdict("mosipRevokedVC.json", "mockDid.json") {
            var list = try list("mosipRevokedVC.json", "mosipRevokedStatusList.json")
            var text = String(decoding: list.bytes, as: UTF8.self)
            text = text.replacing("revocation", with: "suspension")
            list.bytes = Array(text.utf8)
            $0.lists = [list]
        }
        #expect(found.reasons == [.statusUnknown])
    }

    // MARK: CWT

    @Test func identityToken() throws {
        let folder = LinkedSamples.inji.appending(path: "cwt_vc")
        let key = try #require(try LinkedSamples.json(folder.appending(path: "jwksECkey.json"))["keys"]?.elements.map(Array.init)?.first)
        let kid = try #require(key["kid"]?.string)
        var trust = try SampleTrust(
            "https://221f38cc3ffc.ngrok-free.app/v1/certify", keys: Self.ldp.appending(path: "public_key/didEcKey.json"))
        trust.keys = [#"{"kid":"\#(kid)","jwk":\#(String(decoding: key.source, as: UTF8.self))}"#]
        trust.forms = ["cwt"]
        trust.types = ["claim-169"]
        trust.claims = #"{"fullName":["4"]}"#
        let token = try LinkedSamples.bytes(folder.appending(path: "valid-ec-cwt.hex"))
        let time: Seconds = 1_770_000_000
        let credential = try #require(try trust.verifier().verify(token, at: time).credential)
        #expect(credential.claim(.fullName)?.string == "Janardhan BS" && credential.form == .cwt && credential.type == "claim-169")
        #expect(try trust.verifier().verify(token, at: 1_784_096_811).reasons == [.expired])
        trust.forms = ["ldp_vc"]
        #expect(try trust.verifier().verify(token, at: time).reasons == [.formNotTrusted])
        let index = token.count - 10
        var forged = token
        forged[index] = forged[index] == UInt8(ascii: "0") ? UInt8(ascii: "1") : UInt8(ascii: "0")
        trust.forms = ["cwt"]
        #expect(try trust.verifier().verify(forged, at: time).reasons == [.signatureInvalid])
    }
}
