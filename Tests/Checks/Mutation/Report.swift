import Foundation

/// Tables for people, and a violation in full.
enum Report {
    static func heading(_ first: String) { print(row(first, "places", "mutants", "changed", "same", "slowest", "rejected")) }

    static func line(_ name: String, _ tally: Tally, places: Int? = nil) {
        let reasons = tally.rejected.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        let top = reasons.prefix(4).map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        let slowest = tally.slowest > 0 ? String(format: "%.1f ms", tally.slowest * 1000) : ""
        print(
            row(
                name, places.map { "\($0)" } ?? "", "\(tally.mutants)", "\(tally.changed)", "\(tally.accepted)", slowest,
                top + (reasons.count > 4 ? ", …" : "")))
    }

    static func line(_ name: String, _ tally: ProofTally) {
        let reasons = tally.refused.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        print(
            row(
                name, "", "\(tally.mutants)", "\(tally.mutants)", "\(tally.accepted)", "",
                reasons.prefix(5).map { "\($0.key) \($0.value)" }.joined(separator: ", ")))
    }

    static func violation(_ violation: Violation) {
        print("mutation: VIOLATION in \(violation.sample)")
        print("  by: " + violation.how.joined(separator: "; "))
        for difference in violation.differences { print("  " + difference) }
        print("  the mutant, long texts shortened:")
        print(Tree(parsing: violation.mutant).map { shortened($0).text } ?? String(decoding: violation.mutant.prefix(8_000), as: UTF8.self))
    }

    private static func shortened(_ tree: Tree) -> Tree {
        switch tree {
        case .scalar(let text): text.count <= 500 ? tree : .scalar(text.prefix(200) + Array("…".utf8) + text.suffix(200))
        case .array(let elements): .array(elements.map(shortened))
        case .object(let members): .object(members.map { Tree.Member(name: $0.name, value: shortened($0.value)) })
        }
    }

    private static func row(
        _ name: String, _ places: String, _ mutants: String, _ changed: String, _ same: String, _ slowest: String, _ rest: String
    ) -> String {
        func left(_ text: String, _ width: Int) -> String { text + String(repeating: " ", count: max(0, width - text.count)) }
        func right(_ text: String, _ width: Int) -> String { String(repeating: " ", count: max(0, width - text.count)) + text }
        return left(name, 56) + right(places, 8) + right(mutants, 8) + right(changed, 8) + right(same, 8) + right(slowest, 10) + "  " + rest
    }
}
