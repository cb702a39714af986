import Foundation
import JSON
import LinkedData
import Testing

@Suite struct ExpansionSuiteTests {
    @Test(.enabled(if: Suites.hasJSONLD, "needs the json-ld-api suite"))
    func expand() throws {
        let store = try JSONLDCase.store("expand")
        var tally = Tally("JSON-LD 1.1 expand")
        for test in try JSONLDCase.all("expand-manifest.jsonld") where test.isInScope {
            tally.run(test.id) {
                var processor = test.processor(store)
                let input = try test.document()
                do throws(LinkedDataError) {
                    let result = try processor.expand(input.root, context: try? test.context()?.root)
                    guard let expect = test.expect else { return "accepted, expected \(test.error ?? "?")" }
                    let wanted = try? Suites.json(Suites.jsonLD.appendingPathComponent(expect))
                    guard let wanted else { return "no expectation" }
                    let mine = Normalized.text(result.document)
                    let theirs = Normalized.text(wanted.root)
                    return mine == theirs ? nil : "\n    \(mine)\n    \(theirs)"
                } catch {
                    return test.expects(error) ? nil : "refused: \(error.rawValue), expected \(test.error ?? "success")"
                }
            }
        }
        tally.report()
        #expect(tally.passed == tally.ran)
        #expect(tally.ran == 367)
    }
}

/// Expanded documents as text that is equal when they are: members sorted, arrays sorted unless they are lists.
private enum Normalized {
    static func text(_ elements: [Expanded]) -> String { "[" + elements.map { text($0) }.sorted().joined(separator: ",") + "]" }

    static func text(_ value: Expanded, isList: Bool = false) -> String {
        switch value.content {
        case .null: return "null"
        case .string(let string): return "\"\(string)\""
        case .json(let json): return json.kind == .number ? number(json) : json.string.map { "\"\($0)\"" } ?? literal(json)
        case .array(let elements):
            let texts = elements.map { text($0) }
            return "[" + (isList ? texts : texts.sorted()).joined(separator: ",") + "]"
        case .object(let object):
            let isJSON = object["@type"]?.text == "@json"
            return "{"
                + object.members.map { member in
                    let inner: String
                    if isJSON, member.key == "@value", case .json(let json) = member.value.content {
                        inner = literal(json)
                    } else {
                        inner = text(member.value, isList: member.key == "@list")
                    }
                    return "\(member.key):" + inner
                }.sorted().joined(separator: ",") + "}"
        }
    }

    static func number(_ value: JSONValue) -> String { "\(value.double ?? .nan)" }

    static func literal(_ value: JSONValue) -> String {
        String(decoding: (try? CanonicalJSON.bytes(of: value)) ?? [], as: UTF8.self)
    }

    static func text(_ value: JSONValue, isList: Bool = false) -> String {
        switch value.kind {
        case .null: return "null"
        case .yes: return "true"
        case .no: return "false"
        case .number: return number(value)
        case .string: return "\"\(value.string ?? "")\""
        case .array:
            let texts = (value.elements.map(Array.init) ?? []).map { text($0) }
            return "[" + (isList ? texts : texts.sorted()).joined(separator: ",") + "]"
        case .object:
            let isJSON = value["@type"]?.isString("@json") ?? false
            return "{"
                + (value.members.map(Array.init) ?? []).map { member in
                    let inner =
                        isJSON && member.name == "@value" ? literal(member.value) : text(member.value, isList: member.name == "@list")
                    return "\(member.name):" + inner
                }.sorted().joined(separator: ",") + "}"
        }
    }
}
