import COpenSSL
import Credentials
import Envelopes
import Foundation
import JSON
import TestSupport
import Trust

/// The signed samples of others, read where they lie: `$GATEHOUSE_SUITES`, else `../shared/data` beside the package; and `MadeSamples`.
struct SampleFolder {
    private let root: URL
    private var mosip: URL { root.appending(path: "samples/vc-verifier") }
    private var inji: URL { root.appending(path: "samples/inji-vc-verifier-2026") }
    /// 2025-12-01, inside the validity of most.
    private static let time: Seconds = 1_764_547_200

    private static let contexts = [
        "https://www.w3.org/2018/credentials/v1": "w3c-credentials-v1.jsonld",
        "https://www.w3.org/ns/credentials/v2": "w3c-credentials-v2.jsonld",
        "https://www.w3.org/ns/credentials/examples/v2": "ssi/w3c-ns-credentials-examples-v2.jsonld",
        "https://www.w3.org/ns/odrl.jsonld": "odrl-context.json",
        "https://w3id.org/citizenship/v4rc1": "ccg/citizenship-v4rc1.jsonld",
        "https://w3id.org/security/suites/jws-2020/v1": "suites-jws-2020.jsonld",
        "https://w3id.org/security/suites/ed25519-2020/v1": "suites-ed25519-2020.jsonld",
        "https://w3id.org/security/v2": "security-v2.jsonld",
        "https://api.collab.mosip.net/.well-known/mosip-ida-context.json": "mosip-ida-context.json",
        "https://mosip.github.io/inji-config/contexts/mock-identity-context.json": "mock-identity-context.json",
        "https://piyush7034.github.io/my-files/farmer.json": "farmer-context.json",
        "https://inji.github.io/inji-config/contexts/farmer.json": "farmer-context-inji.json",
        "https://vharsh.github.io/DID/SchoolCredential.json": "school-context.json",
        "https://holashchand.github.io/test_project/insurance-context.json": "insurance-context.json",
    ]

    /// Nil where the samples are absent.
    init?() {
        root = URL(filePath: Repository.suites).appending(path: "credentials")
        guard [mosip, inji, root.appending(path: "contexts")].allSatisfy({ FileManager.default.fileExists(atPath: $0.path) }) else {
            return nil
        }
    }

    /// Every sample that is accepted, each under a trust that knows its issuer, all the other samples' issuers, and one more issuer who has
    /// this one's keys.
    func samples() throws -> [Sample] {
        let contexts = try Self.contexts.map { url, file in
            TrustContents.ContextDocument(url: url, bytes: try bytes(root.appending(path: "contexts/\(file)")))
        }
        let made = try MadeDocuments(contexts, types: Self.types)
        let sources = try linked() + vectors() + made.sources() + disclosing() + [token()] + MadeSamples.all()
        var samples: [Sample] = []
        for source in sources {
            var known = [source.issuer.id]
            var issuers = [
                TrustContents.IssuerText(name: source.name, bytes: source.issuer.octets()),
                TrustContents.IssuerText(name: "twin", bytes: source.issuer.octets(ids: ["did:web:twin.example"])),
            ]
            for other in sources where !known.contains(other.issuer.id) {
                known.append(other.issuer.id)
                issuers.append(TrustContents.IssuerText(name: other.name, bytes: other.issuer.octets()))
            }
            let contents = TrustContents(issuers: issuers, contexts: contexts, lists: source.lists)
            guard let sample = try Sample(source, contents) else {
                let verifier = CredentialVerifier(trust: try TrustStore(contents))
                throw CheckFailed(
                    reason:
                        "\(source.name) is not accepted as it is: \(verifier.verify(source.message, at: source.time).reasons.map(\.code))"
                )
            }
            samples.append(sample)
        }
        let others =
            try samples.flatMap(\.documents)
            + ["mosipRevokedVC.json", "mosipUnrevokedStatusList.json", "tamperedVC.json"].compactMap { file in
                Tree(try json(mosip.appending(path: "ldp_vc/\(file)")))
            }
        // The largest would make every mutant it gives a part to as large.
        let proofs = Set(samples.flatMap { $0.proofsAlone() })
        for sample in samples {
            sample.proofs = proofs
            sample.genuine = samples.map(\.original)
        }
        for sample in samples { sample.others = others.filter { $0.octets.count < 20_000 } }
        return samples
    }

    // MARK: JSON-LD

    private func linked() throws -> [SampleSource] {
        let folder = mosip.appending(path: "ldp_vc")
        var sources = [
            try linked(folder, "PS256SignedMosipVC.json", "public_key/idaPublicKey.json"),
            try linked(folder, "mosipUnrevokedVC.json", "mockDid.json"),
            // 2025-03-01: it expired on the 19th.
            try linked(folder, "Ed25519Signature2020SignedSunbirdVC.json", "public_key/didMosipKey.json", time: 1_740_787_200),
            try linked(folder, "Ed25519Signature2018SignedVC-did.json", "public_key/didEdPublicKey.json"),
            try linked(folder, "Ed25519Signature2018SignedVC-https.json", "public_key/httpsMockKey2.json"),
            try linked(folder, "ES256KSignedMockVC.json", "public_key/didEcKey.json"),
            try linked(inji.appending(path: "ldp_vc"), "ES256SignedVC.json", "didEcr1Key.json", time: 1_780_000_000),
        ]
        let status = try json(folder.appending(path: "mosipUnrevokedVC.json"))["credentialStatus"]?["statusListCredential"]?.string ?? ""
        let list = try bytes(folder.appending(path: "mosipUnrevokedStatusList.json"))
        sources[1].lists = [PinnedStatusList(url: status, fetched: Self.time, bytes: list)]
        return sources
    }

    private func linked(_ folder: URL, _ file: String, _ keys: String, time: Seconds = Self.time) throws -> SampleSource {
        let bytes = try bytes(folder.appending(path: file))
        let document = try JSONDocument(parsing: bytes).root
        var issuer = Self.issuer(of: document)
        issuer.addKeys(of: try json(folder.appending(path: keys)))
        return SampleSource(name: file, message: bytes, time: time, issuer: issuer, contexts: Self.contexts.keys.sorted())
    }

    private static let types = [
        "https://www.w3.org/2018/credentials#VerifiableCredential", "https://piyush7034.github.io/my-files/farmer.json#FarmerCredential",
        "https://mosip.github.io/inji-config/contexts/mock-identity-context.json#MockVerifiableCredential", "VerifiableCredential",
    ]

    private static func issuer(of document: JSONValue) -> IssuerText {
        var issuer = IssuerText(id: document["issuer"]?.string ?? document["issuer"]?["id"]?.string ?? "")
        issuer.types = types
        issuer.requires = document["credentialSubject"]?["givenName"] == nil ? "fullName" : "givenName"
        if document["credentialSubject"]?["face"] != nil { issuer.portraits = ["https://schema.org/Text"] }
        return issuer
    }

    /// The vectors of W3C's Data Integrity cryptosuites: each key is the verification method itself.
    private func vectors() throws -> [SampleSource] {
        let files = [
            "eddsa/TestVectors/eddsa-rdfc-2022/signedDataInt.json", "eddsa/TestVectors/eddsa-rdfc-2022/employ/signedDataInt.json",
            "eddsa/TestVectors/eddsa-jcs-2022/signedJCS.json", "eddsa/TestVectors/Ed25519Signature2020/signedEdSig.json",
            "ecdsa/TestVectors/ecdsa-rdfc-2019-p256/signedECDSAP256.json",
            "ecdsa/TestVectors/ecdsa-rdfc-2019-p256/employ/signedECDSAP256.json",
            "ecdsa/TestVectors/ecdsa-rdfc-2019-p384/signedECDSAP384.json",
            "ecdsa/TestVectors/ecdsa-rdfc-2019-p384/employ/signedECDSAP384.json",
            "ecdsa/TestVectors/ecdsa-jcs-2019-p256/signedJCSECDSAP256.json",
            "ecdsa/TestVectors/ecdsa-jcs-2019-p384/signedJCSECDSAP384.json",
            "eddsa/TestVectors/proof-set-chain/signedProofSet2.json", "eddsa/TestVectors/proof-set-chain/signedProofChain1.json",
            "eddsa/TestVectors/proof-set-chain/signedProofChain2.json",
        ]
        return try files.compactMap { file in
            let url = root.appending(path: "suites/vc-di-\(file)")
            guard FileManager.default.fileExists(atPath: url.path) else { return nil }
            let bytes = try bytes(url)
            let document = try JSONDocument(parsing: bytes).root
            var issuer = Self.issuer(of: document)
            for proof in document["proof"]?.elements.map(Array.init) ?? [document["proof"]].compactMap({ $0 }) {
                let method = proof["verificationMethod"]?.string ?? ""
                issuer.addKey(method, "multibase", .string(method.split(separator: "#").last.map(String.init) ?? ""))
            }
            let name = file.split(separator: "/").dropFirst(2).joined(separator: "/")
            return SampleSource(name: name, message: bytes, time: Self.time, issuer: issuer, contexts: Self.contexts.keys.sorted())
        }
    }

    // MARK: SD-JWT and CWT

    private func disclosing() throws -> [SampleSource] {
        let names = [
            "sdJwtSha384Alg", "sdJwtSha512Alg", "sdJwtWithClaimsInDisclosure", "sdJwtWithKbJwtES256", "sdJwtWithKbJwtEdDSA",
            "sdJwtWithRootLevelSd",
            "sdJwtWithRootLevelSd2", "sdJwtWithRootLevelSdNestedPayload", "sdJwtWithSDClaimsinChildObject",
        ]
        return try names.map { name in
            let text = try String(contentsOf: mosip.appending(path: "sd-jwt_vc/\(name).txt"), encoding: .utf8).trimmingCharacters(
                in: .whitespacesAndNewlines)
            let parts = text.split(separator: "~")[0].split(separator: ".").map { Base64URL.decode(Array($0.utf8)) ?? [] }
            let header = try JSONDocument(parsing: parts[0]).root, payload = try JSONDocument(parsing: parts[1]).root
            var issuer = IssuerText(id: payload["iss"]?.string ?? "", form: "sd_jwt", types: [payload["vct"]?.string ?? ""])
            let chain = header["x5c"]?.elements?.compactMap { $0.string.flatMap { Data(base64Encoded: $0) } } ?? []
            // No issuer publishes a root: what the sample carries is pinned, its key where it has a name and its last certificate where
            // not.
            if let kid = header["kid"]?.string {
                issuer.addKey(kid, "pem", .string(chain.first.flatMap(Self.subjectKey) ?? ""))
            } else {
                issuer.roots = chain.last.map { [Self.armor($0, "CERTIFICATE")] } ?? []
            }
            return SampleSource(name: name, message: Array(text.utf8), time: Self.issuing(payload), issuer: issuer)
        }
    }

    /// A moment just after it was issued.
    private static func issuing(_ payload: JSONValue) -> Seconds {
        if let time = payload["iat"]?.int64 { return time }
        let date = payload["issuanceDate"]?.string.flatMap {
            try? Date($0, strategy: .iso8601.year().month().day().time(includingFractionalSeconds: true))
        }
        return date.map { Seconds($0.timeIntervalSince1970) + 1 } ?? 0
    }

    private static func subjectKey(_ certificate: Data) -> String? {
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
        guard let der, count > 0 else { return nil }
        defer { CRYPTO_free(der, #file, #line) }
        return armor(Data(bytes: der, count: Int(count)), "PUBLIC KEY")
    }

    static func armor(_ der: Data, _ label: String) -> String {
        "-----BEGIN \(label)-----\n\(der.base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed]))\n-----END \(label)-----\n"
    }

    private func token() throws -> SampleSource {
        let folder = inji.appending(path: "cwt_vc")
        var issuer = IssuerText(id: "https://221f38cc3ffc.ngrok-free.app/v1/certify", form: "cwt", types: ["claim-169"])
        for key in try json(folder.appending(path: "jwksECkey.json"))["keys"]?.elements.map(Array.init) ?? [] {
            issuer.addKey(key["kid"]?.string ?? "", key)
        }
        return SampleSource(
            name: "valid-ec-cwt.hex", message: try bytes(folder.appending(path: "valid-ec-cwt.hex")), time: 1_770_000_000, issuer: issuer)
    }

    // MARK: Files

    private func bytes(_ url: URL) throws -> [UInt8] { [UInt8](try Data(contentsOf: url)) }
    private func json(_ url: URL) throws -> JSONValue { try JSONDocument(parsing: try bytes(url)).root }
}

struct CheckFailed: Error, CustomStringConvertible {
    let reason: String
    var description: String { reason }
}
