import Foundation
import JSON
import LinkedData
import Testing

@testable import Credentials

/// Claims read from signed statements: whatever their shape, a tree of bounded size or a refusal.
@Suite struct LinkedCredentialClaimsTests {
    private static let part = TestLinkedCredential.vocabulary + "part", rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"

    private func verdict(_ subject: String) throws -> Verdict {
        var credential = TestLinkedCredential()
        credential.set("credentialSubject", subject)
        return try TestIssuers().verifier().verify(try credential.signed(), at: TestCredential.now)
    }

    private func claims(_ subject: String) throws -> JSONValue {
        let verdict = try verdict(subject)
        return try #require(verdict.credential, "\(verdict.reasons)").claims.root
    }

    @Test func values() throws {
        let found = try claims(
            #"""
            {"id":"urn:a","type":["NationalID","urn:t"],"fullName":["Ann","An \u0022quoted\u0022 name\u0000"],"face":{"@value":"Anna","@language":"de"},
            "part":[1,true,2.5,false,-7,{"@value":"1","@type":"urn:type"},"1",{"id":"urn:b"},{"@list":["x",{"fullName":"In"},{"@list":["y"]}]}]}
            """#)
        #expect(found["@id"]?.string == "urn:a")
        let types = found["@type"]?.elements.map { $0.compactMap(\.string) }
        #expect(types == [TestLinkedCredential.type, "urn:t"])
        #expect(
            found[TestLinkedCredential.vocabulary + "fullName"]?.elements.map { $0.compactMap(\.string) } == [
                "Ann", "An \"quoted\" name\0",
            ]
        )
        #expect(
            found[TestLinkedCredential.vocabulary + "face"]?["@value"]?.string == "Anna"
                && found[TestLinkedCredential.vocabulary + "face"]?["@language"]?.string == "de")
        let parts = try #require(found[Self.part]?.elements.map(Array.init)).map { String(decoding: $0.source, as: UTF8.self) }
        #expect(
            Set(parts) == [
                "1", "true", #"{"@value":"2.5E0","@type":"http://www.w3.org/2001/XMLSchema#double"}"#, "false", "-7",
                #"{"@value":"1","@type":"urn:type"}"#, #""1""#,
                #"{"@id":"urn:b"}"#, #"{"@list":["x",{"\#(TestLinkedCredential.vocabulary)fullName":"In"},{"@list":["y"]}]}"#,
            ])
    }

    @Test func cycles() throws {
        let found = try claims(#"{"id":"urn:a","part":{"id":"urn:b","fullName":"B","part":{"id":"urn:a"}}}"#)
        #expect(found[Self.part]?[Self.part]?["@id"]?.string == "urn:a" && found[Self.part]?[Self.part]?[Self.part] == nil)
        #expect(try claims(#"{"id":"urn:a","part":{"id":"urn:a"}}"#)[Self.part]?["@id"]?.string == "urn:a")
    }

    /// Two nodes on each level that both have both nodes of the next: a graph of a few statements, and a tree that doubles with each level.
    @Test func sharedNodes() throws {
        func subject(_ levels: Int) -> String {
            let nodes = (0..<levels).flatMap { level in
                ["a", "b"].map { #"{"id":"urn:\#($0)\#(level)","part":[{"id":"urn:a\#(level + 1)"},{"id":"urn:b\#(level + 1)"}]}"# }
            }
            return #"{"id":"urn:example:ann","part":[\#(nodes.joined(separator: ","))]}"#
        }
        #expect(try verdict(subject(5)).isAccept)
        for levels in [14, 20] { #expect(try verdict(subject(levels)).reasons == [.tooComplex]) }
    }

    /// Nodes that are named can be deep in one another in a flat document.
    @Test func depth() throws {
        func subject(_ depth: Int) -> String {
            let nodes = (0..<depth).map { #"{"id":"urn:n\#($0)","part":{"id":"urn:n\#($0 + 1)"}}"# }
            return #"{"id":"urn:example:ann","part":[\#(nodes.joined(separator: ","))]}"#
        }
        #expect(try verdict(subject(20)).isAccept)
        for depth in [25, 200] { #expect(try verdict(subject(depth)).reasons == [.tooComplex]) }
    }

    /// Lists in lists need no depth in the document: each can be named.
    @Test func listsInLists() throws {
        func subject(_ count: Int, end: String) -> String {
            let cells = (0..<count).map {
                #""urn:p\#($0)":{"id":"_:l\#($0)","\#(Self.rdf)first":{"id":"\#($0 + 1 < count ? "_:l\($0 + 1)" : "urn:end")"},"\#(Self.rdf)rest":{"id":"\#(end)"}}"#
            }
            return #"{"id":"urn:example:ann",\#(cells.joined(separator: ","))}"#
        }
        #expect(try verdict(subject(5, end: Self.rdf + "nil")).isAccept)
        #expect(try verdict(subject(60, end: Self.rdf + "nil")).reasons == [.tooComplex])
        // One that bites its own tail.
        #expect(try verdict(subject(1, end: "_:l0")).reasons == [.tooComplex])
    }

    @Test func hugeValues() throws {
        let portrait = String(repeating: "x", count: 700_000)
        func subject(_ references: Int) -> String {
            let nodes = (0..<references).map { #"{"id":"urn:n\#($0)","part":{"id":"urn:shared"}}"# }
            return #"{"id":"urn:example:ann","part":[{"id":"urn:shared","face":"\#(portrait)"},\#(nodes.joined(separator: ","))]}"#
        }
        #expect(try verdict(subject(2)).isAccept)
        #expect(try verdict(subject(12)).reasons == [.tooComplex])
    }

    /// Where JSON was signed, claims are the subject as it stands.
    @Test func signedJSON() throws {
        var credential = TestLinkedCredential(.eddsaJCS2022)
        credential.set("credentialSubject", #"{"fullName":"Ann","undefined":{"a":[1.0,1e2]},"id":"urn:example:ann"}"#)
        let found = try #require(try TestIssuers().verifier().verify(try credential.signed(), at: TestCredential.now).credential)
        #expect(
            String(decoding: found.claims.root.source, as: UTF8.self)
                == #"{"fullName":"Ann","id":"urn:example:ann","undefined":{"a":[1,100]}}"#)
        for (subject, reason): (String, RejectReason) in [
            (#"[{"fullName":"Ann"},{"fullName":"Bob"}]"#, .credentialAmbiguous), ("[]", .credentialAmbiguous),
            (#""Ann""#, .credentialAmbiguous), ("null", .credentialAmbiguous),
        ] {
            credential.set("credentialSubject", subject)
            #expect(try TestIssuers().verifier().verify(try credential.signed(), at: TestCredential.now).reasons.contains(reason))
        }
    }
}
