import Envelopes
import Foundation
import JSON
import TestSupport
import Testing

@testable import TrustedKeyWallet

/// The suites' Trusted Key vectors, read where they lie. `trustedkey-check` compares the same folder.
private enum TrustedKeySuite {
    static let folder = Repository.suites + "/trustedkey"

    static let isThere: Bool = {
        let present = FileManager.default.fileExists(atPath: folder)
        if !present { print("trustedkey: no folder \(folder), its tests are skipped") }
        return present
    }()

    static func file(_ name: String) throws -> JSONValue {
        try JSONDocument(parsing: [UInt8](Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name).json")))).root
    }
}

@Suite(.enabled(if: TrustedKeySuite.isThere)) struct TrustedKeyVectorTests {
    private struct Vector {
        let value: JSONValue
        let request: TrustedKeyRequest
        let verifier: TrustedKeyVerifier
        let now: Int64

        init(_ name: String) throws {
            value = try TrustedKeySuite.file("vectors/\(name)")
            let asked = try #require(value["request"])
            let objects = try #require(asked["objectIds"]?.elements).map { try #require(TrustedKeyObject($0.string ?? "")) }
            request = try TrustedKeyRequest(
                nonceText: try #require(asked["nonce"]?.string), callbackURL: try #require(asked["callbackUrl"]?.string),
                callbackType: .json,
                objects: objects)
            var roots: [TrustedKeyRoot] = []
            for root in try #require(value["trusted_roots"]?.elements) {
                let der = try #require(Base64.decode(root.string ?? "", alphabet: .standard))
                roots.append(try TrustedKeyRoot(der.span))
            }
            let revoked = try #require(value["revoked"]?.elements).map { try #require(RevokedAddress($0.string ?? "")) }
            verifier = TrustedKeyVerifier(
                clientID: try #require(value["client_id"]?.string), trust: TrustedKeyTrust(roots: roots, revoked: Set(revoked)))
            now = try #require(value["at"]?.int64)
        }

        func verified() throws -> VerifiedTrustedKey {
            if let url = value["callback"]?.stringBytes { return try verified(url) }
            let body = try #require(value["body"]?.source)
            return try verifier.verify(TrustedKeyAnswer(json: body.span, to: request), to: request, at: now)
        }

        func verified(_ url: [UInt8]) throws -> VerifiedTrustedKey {
            try verifier.verify(TrustedKeyAnswer(url: url, to: request), to: request, at: now)
        }
    }

    @Test func everyVectorHasItsVerdictItsReasonAndItsClaims() throws {
        var accepted = 0, rejected = 0
        for entry in try #require(try TrustedKeySuite.file("index").elements) {
            let name = entry["name"]?.string ?? "", vector = try Vector(name)
            do {
                let claims = try vector.verified().claims.map { "\($0.object.identifier) \($0.value)" }
                let expected = vector.value["claims"]?.members?.map { "\($0.name) \($0.value.string ?? "")" }
                #expect(claims.sorted() == expected?.sorted(), "\(name)")
                accepted += 1
            } catch let fault as TrustedKeyFault {
                #expect(fault.rawValue == vector.value["reason"]?.string, "\(name)")
                rejected += 1
            }
        }
        #expect(accepted == 13 && rejected == 48)
    }

    @Test func theKeyHasTheAddressAndTheSubjectOfTheMaterial() throws {
        let material = try TrustedKeySuite.file("material"), verified = try Vector("a03_two_claims").verified()
        #expect(verified.address.text == material["user_address"]?.string)
        #expect(verified.subject == material["subject"]?.string)
        #expect(verified.claims.first?.source?.claimClass == "Access")
        #expect(verified.claims.map(\.source?.levelOfAssurance) == ["3.0", nil])
    }

    @Test func noLengthOfAnAcceptedAnswerIsAnother() throws {
        for name in ["a01_login", "a08_pem_armour"] {
            let vector = try Vector(name), url = try #require(vector.value["callback"]?.stringBytes)
            for length in url.indices {
                // The end of the armour's last line may go: white space is nothing.
                guard let verified = try? vector.verified(Array(url.prefix(length))) else { continue }
                #expect(url.suffix(from: length).elementsEqual("%0A".utf8) && verified.claims.count == 1, "\(name) \(length)")
            }
        }
    }

    @Test func theWalletsCallHolds() throws {
        let file = try TrustedKeySuite.file("nested"), bearer = try #require(file["nested"]?.stringBytes)
        let secret = try #require(file["secret"]?.stringBytes)
        let call = try WalletCall(
            bearer: bearer, body: file["body"]?.stringBytes, url: "http://gate.local/tk/api", at: 1_795_000_000
        ) { $0 == "harbour-wallet" ? secret : nil }
        #expect(call.address.text == file["address"]?.string)
    }
}
