import JSON
import LinkedData
import TestSupport
import Testing

@testable import Credentials

/// Members put together at random from all that JSON-LD has, added to the subject of a signed credential.
@Suite struct LinkedProofFuzzTests {
    /// In no statement of the signed credential; as text, as a name, as part of an IRI.
    private static let novelty = "admin"
    private static let containers = [
        #""@list""#, #""@set""#, #""@language""#, #""@index""#, #""@id""#, #""@type""#, #""@graph""#, #"["@graph","@id"]"#,
        #"["@graph","@index"]"#,
        #"["@index","@set"]"#, #"["@id","@set"]"#, #"["@language","@set"]"#,
    ]

    private static func definition(_ source: inout SeededRandom) -> String {
        if source.chance(6) {
            return source.pick([#""@nest""#, #""@included""#, #""@index""#, #""@graph""#, #""@reverse""#, #""@set""#, "null"])
        }
        let target = source.pick(["urn:face", "urn:face", "urn:knows", "urn:knows", "urn:age", "urn:t", "@type"])
        var members = [source.chance(97) ? "\"@id\":\"\(target)\"" : "\"@reverse\":\"\(target)\""]
        if source.chance(75) { members.append("\"@container\":\(source.pick(containers))") }
        if source.chance(8) { members.append("\"@type\":\"\(source.pick(["@id", "@vocab", "@json", "@none"]))\"") }
        if source.chance(8) { members.append("\"@language\":\(source.pick(["\"en\"", "null"]))") }
        if source.chance(8) { members.append("\"@direction\":\(source.pick(["\"ltr\"", "null"]))") }
        if source.chance(5) { members.append("\"@index\":\"urn:name\"") }
        if source.chance(8) { members.append("\"@nest\":\"\(source.pick(["@nest", "wrap"]))\"") }
        if source.chance(8) { members.append("\"@context\":{\"name\":\(source.pick(["null", "\"urn:face\"", "\"@index\""]))}") }
        return "{\(members.joined(separator: ","))}"
    }

    /// Mostly what the subject says already, in one of the many ways to say it.
    private static func value(_ source: inout SeededRandom, depth: Int) -> String {
        let names = ["\"\(novelty)\"", "\"urn:\(novelty)\"", "\"@none\"", "\"urn:friend\"", "\"en\""]
        func inner() -> String { value(&source, depth: depth + 1) }
        switch depth > 3 ? 0 : Int.random(in: 0..<16, using: &source) {
        case 0...3: return source.pick([#""data:,x""#, #""data:,x""#, "40", "null", "\"\(novelty)\""])
        case 4: return #"{"id":"urn:friend","name":"A"}"#
        case 5: return #"{"id":"urn:friend","\#(source.pick(["name", "t", "u", "wrap", novelty, "@index"]))":\#(inner())}"#
        case 6: return "[" + (0..<Int.random(in: 0...2, using: &source)).map { _ in inner() }.joined(separator: ",") + "]"
        case 7: return #"{"@value":"data:,x","\#(source.pick(["@index", "@direction", "@language", "@type"]))":\#(source.pick(names))}"#
        case 8: return #"{"@list":[\#(inner())]}"#
        case 9: return #"{"@set":[\#(inner())],"@index":\#(source.pick(names))}"#
        case 10: return #"{"\#(source.pick(["@graph", "@included", "@reverse", "@nest", "@set", "@value"]))":\#(inner())}"#
        case 11: return #"{"@nest":{"name":"A"},"@id":"urn:friend"}"#
        case 12: return "{\(source.pick(names)):\(inner()),\"t\":\(inner())}"
        default: return "{\(source.pick(names)):\(inner())}"
        }
    }

    /// Whatever is new in what the holder adds, the signature does not cover it: either it is another statement, or none.
    @Test("1,000 members made at random: none brings anything new under a good signature", arguments: UInt64(1)...5)
    func additions(_ seed: UInt64) throws {
        var source = SeededRandom(seed: seed)
        var draft = LinkedDraft()
        draft.context = "{\"name\":\"urn:name\",\"knows\":\"urn:knows\"," + LinkedDraft.terms.drop { $0 != "{" }.dropFirst()
        draft.subject = #"{"id":"urn:subject","face":["data:,x",{"@list":["data:,x"]}],"knows":{"id":"urn:friend","name":"A"},"age":40}"#
        let jws = try draft.jws(), key = try draft.publicKey
        var verification = LinkedProofVerification(contexts: ContextStore([:]))
        var verdicts: [LinkedProofError?: Int] = [:]
        for _ in 0..<200 {
            var forged = draft
            let terms = "\"t\":\(Self.definition(&source)),\"u\":\(Self.definition(&source)),\"wrap\":\"@nest\","
            forged.context = "{" + terms + draft.context.dropFirst()
            let name = source.pick(["t", "t", "u", "@included", "@reverse", "@nest", "@graph", "wrap"])
            let member = "\"\(name)\":\(Self.value(&source, depth: 0))"
            forged.subject = draft.subject.dropLast() + "," + member + "}"
            let reason = linkedResult(&verification, try forged.document(["jws": "\"\(jws)\""]), key).reason
            verdicts[reason, default: 0] += 1
            if member.contains(Self.novelty) { #expect(reason != nil, "\(terms) \(member)") }
        }
        // The generator meets every kind of end.
        for reason in [nil, LinkedProofError.signatureInvalid, .claimsUncovered, .documentInvalid] {
            #expect(
                verdicts[reason] ?? 0 > 1,
                "\(verdicts)")
        }
    }
}

extension SeededRandom {
    fileprivate mutating func pick<Element>(_ elements: [Element]) -> Element { elements[Int.random(in: elements.indices, using: &self)] }
    fileprivate mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }
}
