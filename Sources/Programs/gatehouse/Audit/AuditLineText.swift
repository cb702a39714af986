import Audit
import Envelopes
import JSON

/// A record in plain words: `2026-11-22T06:12:01Z  41  rejected  issuer-unknown  sd_jwt`.
struct AuditLineText {
    private let line: AuditFollower.Line

    /// Characters of a name that somebody else chose, and of a digest.
    private static let (mostCharacters, mostDigits) = (40, 12)
    /// What every line has, and is not said again.
    private static let common: Set<String> = ["seq", "prev", "at", "up", "event"]

    init(_ line: AuditFollower.Line) {
        self.line = line
    }

    /// The record as it is in the log; of a line that is none, how long it is.
    static func json(of line: AuditFollower.Line) -> String {
        switch line {
        case .record(let octets): return escaped(String(decoding: octets, as: UTF8.self))
        case .damaged(let count):
            var writer = JSONWriter()
            writer.object { $0.member("damagedOctets", count) }
            return writer.text
        }
    }

    var text: String {
        guard case .record(let octets) = line, let document = try? JSONDocument(parsing: octets) else { return Self.damage(line) }
        let record = document.root, event = record["event"]?.string ?? "?"
        let head = [record["at"]?.int64.flatMap(Timestamp.text) ?? "(no time)", record["seq"]?.number?.lexeme ?? "?"]
        let rest =
            switch event {
            case "visit": Self.visit(record)
            case "door": [event, record["what"]?.string.map(Self.cut) ?? "", Self.members(of: record, but: "what")]
            default: [event, Self.members(of: record)]
            }
        return printable((head + rest).filter { !$0.isEmpty }.joined(separator: "  "))
    }

    private static func damage(_ line: AuditFollower.Line) -> String {
        guard case .damaged(let count) = line else { return "! a line that is no record" }
        return "! a line of \(count) octets that is no record"
    }

    private static func visit(_ record: JSONValue) -> [String] {
        func code(_ name: String) -> String { record[name]?.string.map(cut) ?? "" }
        let reasons = record["reasons"]?.elements?.compactMap(\.string).joined(separator: ", ") ?? ""
        let detail = code("detail"), time = record["decidedMs"]?.int64.map { "after \($0) ms" } ?? ""
        return [
            code("outcome"), reasons + (detail.isEmpty ? "" : " (\(detail))"), code("deadline"), code("error"), code("form"),
            code("issuer"),
            time,
        ]
    }

    /// Every other member, by name.
    private static func members(of record: JSONValue, but said: String = "") -> String {
        guard let members = record.members else { return "" }
        return members.filter { !common.contains($0.name) && $0.name != said }.map { "\($0.name) \(words(of: $0.value))" }.joined(
            separator: ", ")
    }

    private static func words(of value: JSONValue) -> String {
        if let text = value.string {
            let isDigest = text.utf8.count == 64 && text.utf8.allSatisfy { Character(UnicodeScalar($0)).isHexDigit }
            return isDigest ? String(text.prefix(mostDigits)) + "…" : cut(text)
        }
        if let elements = value.elements { return elements.map { words(of: $0) }.joined(separator: " ") }
        return cut(String(decoding: value.source, as: UTF8.self))
    }

    /// Beginning and end of a long name: what is in the middle tells the fewest apart.
    private static func cut(_ text: String) -> String {
        guard text.count > mostCharacters else { return text }
        return String(text.prefix(mostCharacters - 13)) + "…" + String(text.suffix(12))
    }
}
