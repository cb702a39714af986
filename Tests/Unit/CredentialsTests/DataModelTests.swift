import Foundation
import JSON
import Testing

@testable import Credentials
@testable import Trust

/// The shape of JSON-LD credentials: one rule broken at a time, and what Inji's verifier calls it.
@Suite struct DataModelTests {
    /// The members of a good credential, as JSON text.
    private struct Draft {
        var members: [String: String]

        static let v1 = Draft(members: [
            "@context": #"["https://www.w3.org/2018/credentials/v1","https://issuer.example/context"]"#,
            "id": #""https://issuer.example/1""#, "type": #"["VerifiableCredential","Other"]"#, "issuer": #""did:web:issuer.example""#,
            "issuanceDate": #""2026-01-01T00:00:00Z""#, "expirationDate": #""2027-01-01T00:00:00.5+01:00""#,
            "credentialSubject": #"{"id":"did:jwk:abc","face":"x"}"#,
            "credentialStatus": #"{"id":"https://issuer.example/list#1","type":"BitstringStatusListEntry"}"#,
            "credentialSchema": #"{"id":"https://issuer.example/schema","type":"JsonSchema"}"#,
            "evidence": #"[{"type":["Seen"]},{"type":"Known"}]"#,
            "refreshService": #"{"id":"urn:refresh","type":"Refresh"}"#, "termsOfUse": #"{"type":"Terms"}"#,
            "proof": #"{"type":"Ed25519Signature2020"}"#,
        ])

        static let v2 = Draft(
            members: v1.members.filter { !["issuanceDate", "expirationDate"].contains($0.key) }.merging([
                "@context": #"["https://www.w3.org/ns/credentials/v2"]"#, "validFrom": #""2026-01-01T00:00:00""#,
                "validUntil": #""2027-01-01T00:00:00Z""#, "name": #""A name""#, "issuer": #"{"id":"did:web:issuer.example"}"#,
            ]) { $1 })

        func with(_ name: String, _ value: String?) -> Draft {
            var draft = self
            draft.members[name] = value
            return draft
        }

        var faults: [DataModelFault] {
            get throws {
                let text = "{" + members.map { "\(jsonString($0)):\($1)" }.joined(separator: ",") + "}"
                return DataModelRules.faults(of: try JSONDocument(parsing: Array(text.utf8)).root)
            }
        }
    }

    @Test func good() throws {
        #expect(try Draft.v1.faults == [])
        #expect(try Draft.v2.faults == [])
        #expect(try Draft.v1.with("issuer", #"{"id":"https://issuer.example","name":"Issuer"}"#).faults == [])
        #expect(try Draft.v1.with("type", #""VerifiableCredential""#).with("id", nil).with("expirationDate", nil).faults == [])
        #expect(try Draft.v1.with("credentialSubject", #"[{"face":"x"},{}]"#).with("proof", #"[{"type":"A"},{"type":"B"}]"#).faults == [])
        #expect(try Draft.v2.with("name", #"[{"language":"en","value":"A"}]"#).with("description", #""text""#).faults == [])
        // What one data model asks of the other's members, nobody asks.
        #expect(try Draft.v2.with("issuanceDate", "1").with("validFrom", nil).with("validUntil", nil).faults == [])
        #expect(try Draft.v1.with("validUntil", #""never""#).with("name", "1").faults == [])
    }

    @Test(
        "the members of each data model that must be there",
        arguments: [
            ("@context", "ERR_MISSING_@CONTEXT", true), ("type", "ERR_MISSING_TYPE", true),
            ("credentialSubject", "ERR_MISSING_CREDENTIALSUBJECT", true),
            ("issuer", "ERR_MISSING_ISSUER", true), ("proof", "ERR_MISSING_PROOF", true),
            ("issuanceDate", "ERR_MISSING_ISSUANCEDATE", false),
        ])
    func missing(_ name: String, _ code: String, _ isCommon: Bool) throws {
        let member = try #require(CredentialMember(rawValue: name))
        #expect(try Draft.v1.with(name, nil).faults == [.missing(member)])
        #expect(try Draft.v2.with(name, nil).faults == (isCommon ? [.missing(member)] : []))
        #expect(DataModelFault.missing(member).injiCode == code)
    }

    @Test("a fault that a sender repeats thousands of times is one reason")
    func repeatedFaults() throws {
        var credential = TestLinkedCredential()
        credential.set("evidence", "[" + Array(repeating: "{}", count: 5000).joined(separator: ",") + "]")
        credential.set("termsOfUse", "[" + Array(repeating: #"{"type":"","id":""}"#, count: 2000).joined(separator: ",") + "]")
        let reasons = try TestIssuers().verifier().verify(Array(credential.text(proof: #"{"type":"x"}"#).utf8), at: TestCredential.now)
            .reasons
        #expect(reasons.count == Set(reasons).count)
        #expect(reasons.contains(.credentialRule(.missing(.evidenceType))) && reasons.contains(.credentialRule(.invalid(.termsID))))
    }

    @Test(
        "optional members may be absent",
        arguments: [
            "id", "expirationDate", "validFrom", "validUntil", "name", "credentialStatus", "credentialSchema", "evidence", "refreshService",
            "termsOfUse",
        ])
    func optional(_ name: String) throws {
        #expect(try Draft.v1.with(name, nil).faults == [] && Draft.v2.with(name, nil).faults == [])
    }

    @Test(arguments: [
        #""https://www.w3.org/2018/credentials/v1""#, "null", "{}", "1", "[]", "true",
    ])
    func contextOfAnotherShape(_ value: String) throws {
        #expect(try Draft.v1.with("@context", value).faults == [.malformed(.context)])
    }

    @Test(arguments: [
        #"["https://www.w3.org/2018/credentials/v1/"]"#, #"["http://www.w3.org/2018/credentials/v1"]"#, "[null]", "[{}]",
        #"[["https://www.w3.org/ns/credentials/v2"]]"#,
        #"["https://issuer.example/context","https://www.w3.org/2018/credentials/v1"]"#, #"["HTTPS://www.w3.org/ns/credentials/v2"]"#,
    ])
    func anotherContextFirst(_ value: String) throws {
        let faults = try Draft.v1.with("@context", value).faults
        #expect(faults == [.invalid(.context)])
        #expect(faults.map(\.injiCode) == ["ERR_INVALID_@CONTEXT"])
    }

    @Test(
        "a value that says what it must not",
        arguments: [
            ("type", #"["Other"]"#, "ERR_INVALID_TYPE"), ("type", #""verifiablecredential""#, "ERR_INVALID_TYPE"),
            ("type", "[]", "ERR_INVALID_TYPE"),
            ("type", "null", "ERR_INVALID_TYPE"), ("type", #"[["VerifiableCredential"]]"#, "ERR_INVALID_TYPE"),
            ("id", #""relative""#, "ERR_INVALID_id"), ("id", #""""#, "ERR_INVALID_id"), ("id", "null", "ERR_GENERIC"),
            ("id", #"["urn:x"]"#, "ERR_GENERIC"),
            ("issuer", #""""#, "ERR_INVALID_ISSUER"), ("issuer", "null", "ERR_INVALID_ISSUER"), ("issuer", "{}", "ERR_INVALID_ISSUER"),
            ("issuer", #"["did:web:issuer.example"]"#, "ERR_INVALID_ISSUER"), ("issuer", #"{"id":{"id":"urn:x"}}"#, "ERR_INVALID_ISSUER"),
            ("issuer", #""issuer.example""#, "ERR_INVALID_ISSUER"), ("credentialSubject", #""x""#, "ERR_INVALID_CREDENTIALSUBJECT"),
            ("credentialSubject", "null", "ERR_INVALID_CREDENTIALSUBJECT"), ("credentialSubject", "[]", "ERR_INVALID_CREDENTIALSUBJECT"),
            ("credentialSubject", #"[{},null]"#, "ERR_GENERIC"), ("credentialSubject", #"{"id":"x"}"#, "ERR_INVALID_credentialSubjectID"),
            ("credentialSubject", #"[{},{"id":null}]"#, "ERR_INVALID_credentialSubjectID"),
            ("proof", "null", "ERR_INVALID_PROOF"), ("proof", #""x""#, "ERR_INVALID_PROOF"), ("proof", "{}", "ERR_MISSING_PROOF_TYPE"),
            ("proof", #"[{"type":"A"},{}]"#, "ERR_MISSING_PROOF_TYPE"), ("proof", #"{"type":" "}"#, "ERR_INVALID_PROOF_TYPE"),
            ("proof", #"{"type":"A","id":"x"}"#, "ERR_INVALID_PROOF_ID"),
            ("credentialStatus", "null", "ERR_INVALID_CREDENTIALSTATUS"),
            ("credentialStatus", #"{"id":"urn:x"}"#, "ERR_MISSING_CREDENTIALSTATUS_TYPE"),
            ("credentialStatus", #"{"id":"urn:x","type":""}"#, "ERR_INVALID_CREDENTIALSTATUS_TYPE"),
            ("credentialStatus", #"{"id":"urn:x","type":null}"#, "ERR_INVALID_CREDENTIALSTATUS_TYPE"),
            ("credentialStatus", #"{"id":"urn:x","type":[]}"#, "ERR_INVALID_CREDENTIALSTATUS_TYPE"),
            ("credentialStatus", #"{"id":"","type":"A"}"#, "ERR_INVALID_CREDENTIALSTATUS_ID"), ("credentialStatus", "[[]]", "ERR_GENERIC"),
            ("credentialSchema", #"{"type":"A"}"#, "ERR_MISSING_CREDENTIALSCHEMA_ID"),
            ("credentialSchema", "3", "ERR_INVALID_CREDENTIALSCHEMA"),
            ("evidence", #"{"id":"urn:x"}"#, "ERR_MISSING_EVIDENCE_TYPE"), ("evidence", #"{"type":"A","id":7}"#, "ERR_INVALID_EVIDENCE_ID"),
            ("refreshService", #"{"id":"urn:x"}"#, "ERR_MISSING_REFRESHSERVICE_TYPE"),
            ("termsOfUse", #"{"id":"urn:x"}"#, "ERR_MISSING_TERMSOFUSE_TYPE"),
        ])
    func invalid(_ name: String, _ value: String, _ code: String) throws {
        for draft in [Draft.v1, .v2] {
            let faults = try draft.with(name, value).faults
            #expect(faults.map(\.injiCode) == [code])
            #expect(faults.allSatisfy { $0.member.rawValue.hasPrefix(name) && $0.code.hasSuffix(":\($0.member.rawValue)") })
        }
    }

    @Test(
        "an id that only data model 1.1 asks for",
        arguments: [
            ("credentialStatus", "ERR_MISSING_CREDENTIALSTATUS_ID"),
            ("refreshService", "ERR_MISSING_REFRESHSERVICE_ID"),
        ])
    func idByVersion(_ name: String, _ code: String) throws {
        #expect(try Draft.v1.with(name, #"{"type":"A"}"#).faults.map(\.injiCode) == [code])
        #expect(try Draft.v2.with(name, #"{"type":"A"}"#).faults == [])
    }

    @Test func dates() throws {
        for value in [
            #""""#, #""2026-01-01""#, #""2026-02-30T00:00:00Z""#, #""01/02/2026""#, "1767225600", "null", "{}",
            #"{"@value":"2026-01-01T00:00:00Z"}"#,
        ] {
            for (draft, member) in [
                (Draft.v1, CredentialMember.issuanceDate), (.v1, .expirationDate), (.v2, .validFrom), (.v2, .validUntil),
            ] {
                let faults = try draft.with(member.rawValue, value).faults
                #expect(faults == [.invalid(member)])
                #expect(faults.map(\.injiCode) == ["ERR_INVALID_\(member.rawValue.uppercased())"])
            }
        }
    }

    @Test func namesAndDescriptions() throws {
        // Data model 2.0 section 11.1.
        for value in [
            #"{"@value":"A"}"#, #"{"@value":"A","@language":"en","@direction":"rtl"}"#,
            #"[{"@value":"A","@language":"en"},{"@value":"B"}]"#,
            #"{"@value":"A","@direction":null}"#,
        ] {
            #expect(try Draft.v2.with("name", value).with("description", value).faults == [])
        }
        for (value, code) in [
            ("1", "ERR_INVALID_NAME"), ("{}", "ERR_INVALID_NAME"), (#"[{"@language":"en"}]"#, "ERR_INVALID_NAME"),
            (#"{"@value":1}"#, "ERR_INVALID_NAME"), (#"{"@value":"A","@type":"T"}"#, "ERR_INVALID_NAME"),
            (#"{"@value":"A","@direction":"up"}"#, "ERR_INVALID_NAME"),
            (#"{"@value":"A","@language":null}"#, "ERR_INVALID_NAME"), (#"["A"]"#, "ERR_GENERIC"),
        ] {
            #expect(try Draft.v2.with("name", value).faults.map(\.injiCode) == [code])
            #expect(
                try Draft.v2.with("name", nil).with("description", value).faults.map(\.injiCode) == [
                    code.replacing("NAME", with: "DESCRIPTION")
                ])
            #expect(try Draft.v2.with("description", value).faults == [], "a name that is text hides its description from Inji")
        }
    }

    @Test func everyFaultInInjisOrder() throws {
        let draft = Draft.v1.with("type", nil).with("issuanceDate", "1").with("credentialStatus", "{}").with("id", "1").with(
            "issuer", #""x""#)
        #expect(
            try draft.faults == [
                .missing(.type), .invalid(.issuanceDate), .missing(.statusType), .missing(.statusID), .malformed(.id), .invalid(.issuer),
            ])
    }

    /// Every kind of JSON in every place: an answer, and never a good one where a member is of no use.
    @Test func anyShape() throws {
        let shapes = [
            "null", "true", "0", "-1e9", #""""#, #"" ""#, #""\u0000""#, "[]", "{}", "[null]", "[[[[]]]]", #"{"id":null}"#,
            #"{"type":{"type":[{}]}}"#, #"[{"id":[]},1]"#,
        ]
        for draft in [Draft.v1, .v2] {
            for name in draft.members.keys {
                for shape in shapes {
                    let isHarmless =
                        switch name {
                        case "evidence", "proof", "credentialStatus", "credentialSchema", "refreshService", "termsOfUse": shape == "[]"
                        case "name": shape.hasPrefix("\"") || shape == "[]"
                        case "credentialSubject": shape.hasPrefix("{") && !shape.contains("id")
                        default: false
                        }
                    #expect(try draft.with(name, shape).faults.isEmpty == isHarmless, "\(name) \(shape)")
                }
            }
        }
        for text in ["null", "[]", "1", #""x""#, "{}", "[{}]"] {
            #expect(DataModelRules.faults(of: try JSONDocument(parsing: Array(text.utf8)).root) == [.missing(.context)])
        }
    }

    @Test(
        "what Java calls a URI, and hosts it has no word for",
        arguments: [
            ("did:web:issuer.example", true), ("did:jwk:eyJrdHkiOiJPS1AifQ==#0", true),
            ("urn:uuid:58172aac-d8ba-11ed-83dd-0b3aef56cc33", true),
            ("https://issuer.example", true), ("https://issuer.example:8443/a%20b?c=d#e", true), ("http://user@[2001:db8::1]:80/", true),
            ("https://issuer.example./x", true),
            ("https://1.2.3.4", true), ("mailto:a@b.example", true), ("https://issuer.example/\u{E9}", true), ("x:y", true),
            ("", false), (":", false), ("did:", false), ("did:#x", false), ("relative", false), ("/path", false),
            ("//issuer.example", false),
            ("1x:y", false), ("\u{E9}:y", false),
            ("https:", false), ("https:issuer.example", false), ("https:///path", false), ("https://", false), ("https://my_host/", true),
            ("https://_a.b_/", true),
            ("https://\u{43F}\u{440}\u{438}\u{43C}\u{435}\u{440}.example/", true),
            ("https://\u{0939}\u{093F}\u{0928}\u{094D}\u{0926}\u{0940}.example", true),
            ("https://a\u{2026}b.example/", false), ("https://\u{1F600}.example/", false), ("https://a~b.example", false),
            ("https://a!b.example", false),
            ("https://-a.example", false),
            ("https://a..example", false), ("https://host:port/", false), ("https://[::1", false), ("https://[]/", false),
            ("https://user@/", false),
            ("urn:a b", false), ("urn:a\u{A0}b", false), ("urn:a\u{85}b", false), ("urn:\"", false), ("urn:<a>", false), ("urn:a%2", false),
            ("urn:a%zz", false), ("urn:a#b#c", false),
            ("urn:\u{0}", false), ("urn:\u{7F}", false), ("urn:{a}", false), ("urn:a\\b", false), ("urn:a|b", false), ("urn:a^b", false),
            ("urn:`", false),
        ])
    func uris(_ text: String, _ isValid: Bool) {
        #expect(AbsoluteURI.isValid(text) == isValid)
    }

    @Test func words() {
        #expect(Set(CredentialMember.allCases.map(\.rawValue)).count == CredentialMember.allCases.count)
        #expect(Set(InjiCode.allCases.map(\.rawValue)).count == InjiCode.allCases.count)
        let pairs: [(RejectReason, CredentialForm, InjiCode)] = [
            (.expired, .ldpVC, .expired), (.expired, .sdJWT, .expired), (.expired, .mdoc, .mdocExpired),
            (.notYetValid, .ldpVC, .validFromInFuture),
            (.notYetValid, .cwt, .processingDateInFuture), (.notYetValid, .mdoc, .mdocNotYetValid),
            (.issuedInFuture, .ldpVC, .issuanceDateInFuture),
            (.issuedInFuture, .sdJWT, .issuanceDateInFuture), (.issuedInFuture, .cwt, .issuedAtInvalid),
            (.signatureInvalid, .cwt, .signatureInvalid), (.proofMissing, .ldpVC, .proofMissing),
            (.proofTypeRefused, .ldpVC, .proofTypeRefused),
            (.typeMissing, .sdJWT, .vctMissing), (.typeMissing, .ldpVC, .typeMissing), (.algorithmRefused, .sdJWT, .algorithmRefused),
            (.algorithmRefused, .ldpVC, .proofAlgorithmRefused), (.compactMalformed, .sdJWT, .formatInvalid),
            (.compactMalformed, .ldpVC, .generic),
            (.issuerUnknown, .sdJWT, .generic), (.statusUnknown, .ldpVC, .generic), (.credentialMissing, .unknown, .credentialEmpty),
        ]
        for (reason, form, code) in pairs { #expect(InjiCode(reason, form: form) == code, "\(reason) \(form)") }
    }
}

/// The credentials of MOSIP's and Inji's verifiers: what those pass has no fault here.
@Suite(.enabled(if: LinkedSamples.arePresent, Suites.absent))
struct DataModelSampleTests {
    @Test(arguments: [
        "vc-verifier/ldp_vc/PS256SignedMosipVC.json", "vc-verifier/ldp_vc/mosipUnrevokedVC.json", "vc-verifier/ldp_vc/mosipRevokedVC.json",
        "vc-verifier/ldp_vc/mosipUnrevokedStatusList.json", "vc-verifier/ldp_vc/mosipRevokedStatusList.json",
        "vc-verifier/ldp_vc/tamperedVC.json",
        "vc-verifier/ldp_vc/Ed25519Signature2020SignedSunbirdVC.json", "vc-verifier/ldp_vc/Ed25519Signature2018SignedVC-did.json",
        "vc-verifier/ldp_vc/Ed25519Signature2018SignedVC-https.json", "vc-verifier/ldp_vc/ES256KSignedMockVC.json",
        "vc-verifier/ldp_vc/InvalidDidUrlSunbirdVC.json", "vc-verifier/ldp_vc/status-list-vc.json",
        "vc-verifier/ldp_vc/vcRevoked-https.json",
        "vc-verifier/ldp_vc/vcUnrevoked-https.json", "inji-vc-verifier-2026/ldp_vc/ES256SignedVC.json",
    ])
    func good(_ file: String) throws {
        #expect(DataModelRules.faults(of: try LinkedSamples.json(LinkedSamples.folder.appending(path: "samples/\(file)"))) == [])
    }

    @Test func spoiled() throws {
        let faults = DataModelRules.faults(of: try LinkedSamples.json(LinkedSamples.mosip.appending(path: "ldp_vc/invalidVC.json")))
        #expect(faults.map(\.injiCode) == ["ERR_MISSING_@CONTEXT"])
        // A data model 1.1 context with the other's start: signed, and refused here as there.
        let mixed = DataModelRules.faults(of: try LinkedSamples.json(LinkedSamples.mosip.appending(path: "ldp_vc/RS256SignedMosipVC.json")))
        #expect(mixed == [.missing(.issuanceDate)])
    }

    @Test(.enabled(if: LinkedSamples.haveVectors, Suites.absent))
    func vectors() throws {
        for vector in LinkedProofVectorTests.vectors {
            #expect(DataModelRules.faults(of: try LinkedSamples.json(vector.file("signed", "json"))) == [], "\(vector)")
        }
    }
}
