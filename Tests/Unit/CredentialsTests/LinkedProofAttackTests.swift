import Cryptography
import Foundation
import JSON
import LinkedData
import Testing

@testable import Credentials

/// A holder with a good credential and a good knowledge of JSON-LD, who wants the gate to believe more than was signed.
///
/// Whatever the document is rewritten to, its statements must stay those of the issuer, or the signature breaks. What is left is to say
/// something that makes no statement, to say it where nobody looks, and to hide what the issuer said.
@Suite struct LinkedProofAttackTests {
    /// More terms, as JSON members; and a subject without a name of its own where `id` is empty.
    private static let terms = #"""
        "xsd":"http://www.w3.org/2001/XMLSchema#","expirationDate":{"@id":"cred:expirationDate","@type":"xsd:dateTime"},
        "credentialStatus":{"@id":"cred:credentialStatus","@type":"@id"},"statusListIndex":"urn:statusListIndex","name":"urn:name",
        "knows":"urn:knows",
        """#

    private static func context(_ more: String = "") -> String {
        "{" + terms + (more.isEmpty ? "" : more + ",") + LinkedDraft.terms.drop { $0 != "{" }.dropFirst()
    }

    private static var draft: LinkedDraft {
        var draft = LinkedDraft(context: context())
        draft.members += #""expirationDate":"2026-06-01T00:00:00Z","credentialStatus":{"id":"urn:entry","statusListIndex":"7"},"#
        draft.subject = #"{"id":"urn:subject","face":"data:,x","age":40,"knows":{"name":"A"}}"#
        return draft
    }

    private static func statements(_ result: Result<VerifiedLinkedDocument, LinkedProofError>) throws -> LinkedStatements {
        try #require(try result.get().statements)
    }

    private static let expired: [RejectReason] = [.expired]
    private func faults(_ statements: LinkedStatements) -> [RejectReason] {
        StatedTimes(statements.dates).faults(at: LinkedSamples.time, skew: 0)
    }

    @Test func whatIsSigned() throws {
        let statements = try Self.statements(try Self.draft.result(try Self.draft.signed()))
        #expect(faults(statements) == Self.expired)
        #expect(statements.statuses == [.iri("urn:entry")] && statements.issuer == "https://issuer.example")
        #expect(statements.values(of: .iri("urn:entry"), "urn:statusListIndex") == [.literal(Literal("7"))])
        #expect(statements.subjects == [.iri("urn:subject")])
    }

    // MARK: Saying more than was signed

    /// Members of the subject that make no statement: every signature stays good. More terms, then the member.
    @Test(arguments: [
        ("", #""admin":true"#), ("", #""face2":"data:,y""#), ("", #""name":null"#), ("", #""name":[]"#), ("", #""name":[null]"#),
        ("", #""@admin":true"#),
        ("", #""@container":"x""#), ("", #""@prefix":true"#), ("", #""_:admin":true"#), (#""admin":null"#, #""admin":true"#),
        ("", #""name":{"@value":null}"#), ("", #""name":{"@language":"en"}"#), ("", #""name":{"@set":[]}"#), ("", #""name":{"@set":null}"#),
        ("", #""type":[]"#), ("", #""type":"Admin""#), ("", #""type":["Admin"]"#), ("", #""@type":"Admin""#),
        (#""Admin":null"#, #""type":"Admin""#),
        (#""Admin":{"@id":null,"@context":{"x":"urn:x"}}"#, #""type":"Admin""#),
        ("", #""@index":"admin""#), (#""admin":"@index""#, #""admin":"yes""#),
        ("", #""@included":[]"#), ("", #""@included":[{}]"#), ("", #""@included":[{"id":"urn:admin"}]"#),
        ("", #""@included":[{"id":"urn:admin","admin":1}]"#),
        ("", #""@graph":[]"#), ("", #""@graph":[{"id":"urn:admin"}]"#), ("", #""@graph":{"admin":1}"#), ("", #""@graph":"admin""#),
        ("", #""@reverse":{"name":[]}"#), ("", #""@reverse":{"admin":{"id":"urn:admin"}}"#), ("", #""@nest":{"admin":1}"#),
        ("", #""@nest":{}"#), ("", #""@nest":[]"#), (#""admin":"@nest""#, #""admin":{}"#), (#""admin":"@reverse""#, #""admin":{}"#),
        (#""admin":{"@reverse":"urn:r"}"#, #""admin":[]"#), (#""admin":{"@id":"urn:a","@container":"@language"}"#, #""admin":{}"#),
        (#""admin":{"@id":"urn:a","@container":"@language"}"#, #""admin":{"en":null}"#),
        (#""admin":{"@id":"urn:a","@container":"@language"}"#, #""admin":{"en":[]}"#),
        (#""admin":{"@id":"urn:a","@container":"@index"}"#, #""admin":{}"#),
        (
            #""admin":{"@id":"urn:a","@container":"@index"}"#,
            #""admin":{"yes":[]}"#
        ),
        (#""admin":{"@id":"urn:a","@container":"@index"}"#, #""admin":{"yes":null}"#),
        (#""admin":{"@id":"urn:a","@container":"@id"}"#, #""admin":{}"#),
        (#""admin":{"@id":"urn:a","@container":"@type"}"#, #""admin":{}"#),
        (#""admin":{"@id":"urn:a","@container":"@graph"}"#, #""admin":[]"#),
        (#""admin":{"@id":"urn:a","@container":["@graph","@id"]}"#, #""admin":{}"#),
    ])
    func memberThatStatesNothing(_ more: String, _ member: String) throws {
        let forged = try Self.draft.forged {
            $0.context = Self.context(more)
            $0.subject = $0.subject.dropLast() + ",\(member)}"
        }
        #expect(try Self.draft.result(forged).reason == .claimsUncovered)
    }

    /// A claim written in another way, with something in it that makes no statement. More terms, which may replace those there are, and the
    /// claim.
    @Test(arguments: [
        (#""face":{"@id":"urn:face","@container":"@index"}"#, #""face":{"admin":"data:,x"}"#, #""face":"data:,x""#),
        (#""face":{"@id":"urn:face","@container":"@id"}"#, #""face":{"urn:admin":"data:,x"}"#, #""face":"data:,x""#),
        (#""face":{"@id":"urn:face","@container":"@id"}"#, #""face":{"admin":"data:,x"}"#, #""face":"data:,x""#),
        ("", #""face":{"@value":"data:,x","@index":"admin"}"#, #""face":"data:,x""#),
        ("", #""face":["data:,x",null]"#, #""face":"data:,x""#),
        ("", #""face":["data:,x",{"@value":null}]"#, #""face":"data:,x""#),
        ("", #""face":["data:,x",{"admin":1,"@value":null}]"#, #""face":"data:,x""#),
        ("", #""face":{"@set":["data:,x"],"@index":"admin"}"#, #""face":"data:,x""#),
        (#""knows":{"@id":"urn:knows","@container":"@index"}"#, #""knows":{"admin":{"name":"A"}}"#, #""knows":{"name":"A"}"#),
        ("", #""knows":{"name":"A","admin":1}"#, #""knows":{"name":"A"}"#),
        ("", #""knows":{"@context":{"name":null},"urn:name":"A","name":"B"}"#, #""knows":{"name":"A"}"#),
        ("", #""knows":{"name":"A","knows":{"@id":"relative","name":"B"}}"#, #""knows":{"name":"A"}"#),
    ])
    func claimWithMoreInIt(_ more: String, _ forgery: String, _ claim: String) throws {
        let forged = try Self.draft.forged {
            var context = Self.context()
            if let name = more.split(separator: ":").first { context = Self.replaced(context, String(name), more) }
            $0.context = context
            let subject = $0.subject
            $0.subject = subject.replacing(claim, with: forgery)
            #expect(subject.contains(claim))
        }
        #expect(try Self.draft.result(forged).reason == .claimsUncovered)
    }

    /// The context with another definition of the term, name in quotes.
    private static func replaced(_ context: String, _ name: String, _ definition: String) -> String {
        guard let start = context.range(of: "\(name):")?.lowerBound else { return context }
        var depth = 0
        let end =
            context[start...].firstIndex { character in
                if character == "{" { depth += 1 }
                if character == "}" { depth -= 1 }
                return depth == 0 && character == ","
            } ?? context.endIndex
        return context.replacingCharacters(in: start..<end, with: definition)
    }

    /// The key of a map names what has a name of its own: even where it is the same, nobody has signed the key.
    @Test func keyOfAnIdentifierMap() throws {
        var draft = Self.draft
        draft.subject = #"{"id":"urn:subject","face":"data:,x","knows":{"id":"urn:friend","name":"A"}}"#
        for (map, isGood) in [
            (#"{"urn:admin":{"id":"urn:friend","name":"A"}}"#, false), (#"{"urn:friend":{"id":"urn:friend","name":"A"}}"#, false),
            (#"{"urn:friend":{"name":"A"}}"#, true),
        ] {
            let forged = try draft.forged {
                $0.context = Self.replaced($0.context, "\"knows\"", #""knows":{"@id":"urn:knows","@container":"@id"}"#)
                $0.subject = #"{"id":"urn:subject","face":"data:,x","knows":\#(map)}"#
            }
            #expect(try draft.result(forged).reason == (isGood ? nil : .claimsUncovered), "\(map)")
        }
    }

    /// Lists state their elements and their order, not what a map calls them.
    @Test func keyOfAMapOfLists() throws {
        var draft = Self.draft
        draft.subject = #"{"id":"urn:subject","face":{"@list":["data:,x"]}}"#
        #expect(try draft.reason() == nil)
        for container in [
            #""@container":"@type""#, #""@container":"@index""#, #""@container":"@id""#, #""@container":"@index","@index":"urn:index""#,
        ] {
            let forged = try draft.forged {
                $0.context = Self.replaced($0.context, "\"face\"", #""face":{"@id":"urn:face",\#(container)}"#)
                $0.subject = #"{"id":"urn:subject","face":{"urn:admin":{"@list":[{"@value":"data:,x"}]}}}"#
            }
            #expect(try draft.result(forged).reason == .claimsUncovered, "\(container)")
        }
    }

    /// A label is no name: the subject stays as nameless as it was signed.
    @Test func labelForTheNameless() throws {
        var draft = Self.draft
        draft.subject = #"{"face":"data:,x"}"#
        let forged = try draft.forged { $0.subject = #"{"id":"_:admin","face":"data:,x"}"# }
        let subject = try #require(try Self.statements(try draft.result(forged)).subjects.first)
        #expect(subject != .blankNode("admin"))
        guard case .blankNode = subject else { return #expect(Bool(false)) }
        #expect(!AbsoluteURI.isValid("_:admin"))
    }

    // MARK: Saying it where nobody looks

    /// The subject's claims away from the subject, where something unsigned may stand beside them.
    @Test(arguments: [
        #""@included":[{"id":"urn:subject","face":"data:,x","age":40,"knows":{"name":"A"},"admin":1}],"#,
        #""@included":[{"id":"urn:subject","face":"data:,x","age":40,"knows":{"name":"A"}}],"#,
        #""urn:x":{"id":"urn:subject","face":"data:,x"},"#, #""@graph":[{"id":"urn:subject","face":"data:,x"}],"#,
        #""@nest":{"@included":{"id":"urn:subject","face":"data:,x","admin":1}},"#, #""@nest":{"admin":1},"#, #""@index":"admin","#,
    ])
    func claimsElsewhere(_ member: String) throws {
        let forged = try Self.draft.forged {
            $0.members += member
            $0.subject = member.contains("@included") && member.contains("age") ? #"{"id":"urn:subject"}"# : $0.subject
        }
        #expect(try Self.draft.result(forged).reason != nil)
    }

    /// The same behind the credential's own members, where the statement was made before.
    @Test func claimsOnceMore() throws {
        let once = #"{"id":"urn:subject","face":"data:,x","admin":1}"#
        for more in ["\"@included\":\(once)", "\"@nest\":{\"@included\":\(once)}"] {
            let forged = try Self.draft.forged { $0.subject += "," + more }
            #expect(try Self.draft.result(forged).reason == .claimsUncovered)
        }
    }

    /// What hangs on the subject by a label instead of a brace.
    @Test func claimsBehindALabel() throws {
        let forged = try Self.draft.forged {
            $0.members += #""@included":[{"id":"_:k","name":"A","admin":1}],"#
            $0.subject = $0.subject.replacing(#""knows":{"name":"A"}"#, with: #""knows":{"id":"_:k"}"#)
        }
        #expect(try Self.draft.result(forged).reason == .claimsUncovered)
    }

    @Test func anotherSubjectAndAnotherCredential() throws {
        let subject = #"{"id":"urn:subject","face":"data:,x","age":40,"knows":{"name":"A"}}"#
        for (change, reason) in [
            ({ $0.subject = "[\(subject),{\"id\":\"urn:other\"}]" }, LinkedProofError.signatureInvalid),
            ({ $0.subject = "{\"@list\":[\(subject)]}" }, .signatureInvalid),
            ({ $0.subject = "{\"@graph\":[\(subject)]}" }, .signatureInvalid),
            ({ $0.subject = "[]" }, .signatureInvalid), ({ $0.subject = "null" }, .signatureInvalid),
            ({ $0.members += #""@included":[{"id":"urn:other","type":"VerifiableCredential"}],"# }, .signatureInvalid),
            ({ $0.members += #""@included":[{"id":"urn:credential","type":"VerifiableCredential"}],"# }, nil),
            ({ $0.members = $0.members.replacing("urn:credential", with: "urn:subject") }, .signatureInvalid),
            ({ $0.context = $0.context.replacing("cred:credentialSubject", with: "urn:subject") }, .signatureInvalid),
            ({ $0.context = $0.context.replacing("cred:VerifiableCredential", with: "cred:Other") }, .signatureInvalid),
        ] as [((inout LinkedDraft) -> Void, LinkedProofError?)] {
            #expect(try Self.draft.result(try Self.draft.forged(change)).reason == reason)
        }
    }

    /// A credential wrapped up, so that its members are no longer where they are looked for.
    @Test func wrapped() throws {
        let draft = Self.draft
        let inner = "{" + draft.members + "\"credentialSubject\":" + draft.subject + "}"
        let jws = try draft.jws()
        let proof = draft.proof.map { "\"\($0)\":\($1)" }.joined(separator: ",")
        for wrapping in [
            "\"@graph\":[\(inner)]", "\"@graph\":[\(inner)],\"credentialSubject\":{\"face\":\"data:,y\"}", "\"@included\":[\(inner)]",
            "\"@nest\":\(inner)", "\"@graph\":[\(inner)],\"credentialSubject\":null", "\"@nest\":\(inner),\"credentialSubject\":[]",
        ] {
            let text = "{\"@context\":\(draft.context),\(wrapping),\"proof\":{\(proof),\"jws\":\"\(jws)\"}}"
            #expect(try draft.result(try JSONDocument(parsing: Array(text.utf8)).root).reason != nil, "\(wrapping)")
        }
    }

    // MARK: Saying it in another type

    @Test func otherTypesOfValues() throws {
        for claim in [
            #""age":"40""#, #""age":{"@value":"40"}"#, #""age":{"@value":"40","@language":"en"}"#, #""age":{"@value":40,"@type":"@json"}"#,
            #""age":41"#,
            #""age":{"@value":"40","@type":"xsd:string"}"#, #""age":{"id":"urn:40"}"#, #""age":{"@list":[40]}"#, #""age":40.5"#,
            #""age":true"#,
            #""age":{"@graph":[{"age":40}]}"#,
        ] {
            let forged = try Self.draft.forged { $0.subject = $0.subject.replacing(#""age":40"#, with: claim) }
            #expect(try Self.draft.result(forged).reason == .signatureInvalid, "\(claim)")
        }
        for (name, definition) in [
            ("face", #"{"@id":"urn:face","@type":"@id"}"#), ("face", #"{"@id":"urn:face","@language":"en"}"#),
            ("face", #"{"@id":"urn:face","@type":"@json"}"#),
            ("face", #"{"@id":"urn:face","@container":"@list"}"#), ("face", #"{"@id":"urn:face","@container":"@graph"}"#),
            ("age", #""urn:face""#),
            ("face", #"{"@reverse":"urn:face"}"#), ("age", #"{"@id":"urn:age","@type":"xsd:double"}"#), ("face", #""@id""#),
            ("face", #""@type""#),
        ] {
            let forged = try Self.draft.forged { $0.context = Self.replaced($0.context, "\"\(name)\"", "\"\(name)\":\(definition)") }
            #expect(try Self.draft.result(forged).reason != nil, "\(definition)")
        }
    }

    /// The same values in other words are the same statements, and are read as such.
    @Test func otherWords() throws {
        for claim in [
            #""age":40.0"#, #""age":4e1"#, #""age":[40,40]"#, #""age":{"@value":"40","@type":"xsd:integer"}"#, #""urn:age":40"#,
            #""@nest":{"age":{"@set":[40]}}"#,
        ] {
            let forged = try Self.draft.forged { $0.subject = $0.subject.replacing(#""age":40"#, with: claim) }
            let statements = try Self.statements(try Self.draft.result(forged))
            #expect(statements.values(of: statements.subjects[0], "urn:age") == [.literal(Literal("40", datatype: Vocabulary.integer))])
        }
    }

    // MARK: Hiding what was signed

    private static let end = #""expirationDate":"2026-06-01T00:00:00Z""#
    private static let entry = #""id":"urn:entry","statusListIndex":"7""#

    /// The end and the status by other names, in other places: they stay the credential's. More terms, and the members.
    @Test(arguments: [
        (
            #""later":{"@id":"cred:expirationDate","@type":"xsd:dateTime"},"s":{"@id":"cred:credentialStatus","@type":"@id"}"#,
            #""later":"2026-06-01T00:00:00Z","s":{\#(entry)}"#
        ),
        ("", #""cred:expirationDate":{"@type":"xsd:dateTime","@value":"2026-06-01T00:00:00Z"},"cred:credentialStatus":{\#(entry)}"#),
        ("", #""https://www.w3.org/2018/credentials#credentialStatus":{\#(entry)},\#(end)"#),
        ("", #""@nest":{\#(end),"credentialStatus":{\#(entry)}}"#),
        (#""hidden":"@nest""#, #""hidden":[{\#(end)},{"credentialStatus":"urn:entry"}],"urn:x":[],"@included":{\#(entry)}"#),
        ("", #""@included":[{"id":"urn:credential",\#(end)},{\#(entry),"@reverse":{"cred:credentialStatus":{"id":"urn:credential"}}}]"#),
        (#""of":{"@reverse":"cred:credentialStatus"}"#, #"\#(end),"@included":{\#(entry),"of":{"id":"urn:credential"}}"#),
    ])
    func renamed(_ more: String, _ members: String) throws {
        let forged = try Self.draft.forged {
            $0.context = Self.context(more)
            $0.members = LinkedDraft().members + members + ","
        }
        let statements = try Self.statements(try Self.draft.result(forged))
        #expect(faults(statements) == Self.expired)
        #expect(statements.statuses == [.iri("urn:entry")])
        #expect(statements.values(of: .iri("urn:entry"), "urn:statusListIndex") == [.literal(Literal("7"))])
    }

    /// What is no longer stated, or of something else, breaks the signature.
    @Test func gone() throws {
        let end = Self.end + ",", status = #""credentialStatus":{\#(Self.entry)},"#
        for (from, to) in [
            (end, ""), (status, ""), (end, #""expirationDate":null,"#), (end, #""expirationDate":"2030-06-01T00:00:00Z","#),
            (status, #""credentialStatus":{"id":"urn:entry"},"#),
            (end + status, #""@graph":{\#(end)\#(status)"id":"urn:credential"},"#),
            (end + status, #""@included":{\#(end)\#(status)"id":"urn:other"},"#),
            (end, #""expirationDate":{"@value":"2026-06-01T00:00:00Z","@type":"xsd:string"},"#),
            (end, #""expirationDate":"2026-06-01T00:00:00.0Z","#),
            (status, #""credentialStatus":[],"#), (status, #""credentialStatus":{"@list":[{"id":"urn:entry","statusListIndex":"7"}]},"#),
        ] {
            let forged = try Self.draft.forged {
                #expect($0.members.contains(from))
                $0.members = $0.members.replacing(from, with: to)
            }
            #expect(try Self.draft.result(forged).reason == .signatureInvalid, "\(to)")
        }
        for definition in [
            #""expirationDate":null"#, #""expirationDate":"urn:other""#, #""credentialStatus":null"#,
            #""credentialStatus":"urn:other""#, #""credentialStatus":"@nest""#, #""expirationDate":{"@id":"cred:expirationDate"}"#,
            #""expirationDate":"@index""#,
        ] {
            let name = definition.split(separator: ":").first.map(String.init) ?? ""
            let forged = try Self.draft.forged { $0.context = Self.replaced($0.context, name, definition) }
            #expect(try Self.draft.result(forged).reason != nil, "\(definition)")
        }
    }

    /// Contexts inside the document change what names mean, not what was stated.
    @Test func innerContexts() throws {
        for (more, from, to) in [
            (
                #""Hide":{"@id":"urn:Hide","@context":{"expirationDate":null,"credentialStatus":null}}"#, #""VerifiableCredential""#,
                #""VerifiableCredential","Hide""#
            ),
            (
                #""Hide":{"@id":"urn:hide:","@context":{"expirationDate":"urn:x"}}"#, #""VerifiableCredential""#,
                #""VerifiableCredential","Hide""#
            ),
        ] {
            let forged = try Self.draft.forged {
                $0.context = Self.context(more)
                $0.members = $0.members.replacing(from, with: to)
            }
            #expect(try Self.draft.result(forged).reason == .signatureInvalid)
        }
        // A relative type that brings a context along: what that hides is missing from the statements.
        let forged = try Self.draft.forged {
            $0.context = Self.context(#""Hide":{"@id":null,"@context":{"expirationDate":null,"credentialStatus":null}}"#)
            $0.members = $0.members.replacing(#""VerifiableCredential""#, with: #""VerifiableCredential","Hide""#)
        }
        #expect(try Self.draft.result(forged).reason != nil)
    }

    // MARK: Across documents

    /// What one sender's context taught is forgotten before the next sender's document.
    @Test func contextOfAnEarlierDocument() throws {
        let draft = Self.draft
        var verification = LinkedProofVerification(contexts: ContextStore([:]))
        let teaching = try draft.forged {
            $0.context = Self.context(#""admin":"urn:face""#)
            $0.subject = $0.subject.dropLast() + #","admin":"data:,x"}"#
        }
        #expect(linkedResult(&verification, teaching, try draft.publicKey).reason == nil)
        let using = try draft.forged { $0.subject = $0.subject.dropLast() + #","admin":"data:,x"}"# }
        #expect(linkedResult(&verification, using, try draft.publicKey).reason == .claimsUncovered)
    }

    /// A proof with statements of its own about the subject: other options, and never read.
    @Test func claimsInTheProof() throws {
        var draft = Self.draft
        let jws = try draft.jws()
        draft.proof["domain"] = #"{"@id":"urn:subject","urn:face":"data:,y"}"#
        #expect(try draft.result(try draft.document(["jws": "\"\(jws)\""])).reason == .signatureInvalid)
        // Signed so, it is the proof's.
        let statements = try Self.statements(try draft.result(try draft.signed()))
        #expect(statements.values(of: .iri("urn:subject"), "urn:face") == [.literal(Literal("data:,x"))])
    }
}
