import Cryptography
import Foundation
import JSON
import LinkedData
import Testing

@Suite struct CanonicalizationSuiteTests {
    /// The suite grades its cases by how much of the N-degree algorithm they need; credentials get what the first grade needs.
    private static let workFactors = ["low": 1, "medium": 2, "high": 3]

    @Test(.enabled(if: Suites.hasRDFCanon, "needs the rdf-canon suite"))
    func rdfc10() throws {
        let manifest = try Suites.json(Suites.rdfCanon.appendingPathComponent("manifest.jsonld")).root
        var tally = Tally("RDFC-1.0")
        for entry in manifest["entries"]?.elements.map(Array.init) ?? [] {
            tally.run(entry["id"]?.string ?? "") {
                let dataset = try NQuadsParser.dataset(
                    try Suites.bytes(Suites.rdfCanon.appendingPathComponent(entry["action"]?.string ?? "")))
                let algorithm: DigestAlgorithm = entry["hashAlgorithm"]?.isString("SHA384") == true ? .sha384 : .sha256
                var limits = LinkedDataLimits.standard
                limits.workFactor = CanonicalizationSuiteTests.workFactors[entry["computationalComplexity"]?.string ?? ""] ?? 1
                let isNegative = entry["type"]?.isString("rdfc:RDFC10NegativeEvalTest") == true
                do throws(LinkedDataError) {
                    let result = try Canonicalization.canonicalize(dataset, algorithm: algorithm, limits: limits)
                    if isNegative { return "accepted" }
                    let expected = Suites.rdfCanon.appendingPathComponent(entry["result"]?.string ?? "")
                    if entry["type"]?.isString("rdfc:RDFC10MapTest") == true {
                        var map: [String: String] = [:]
                        for (from, to) in result.labels { map[from.string] = to.string }
                        return map == CanonicalizationSuiteTests.map(expected) ? nil : "\(map)"
                    }
                    return result.nquads == (try? Suites.bytes(expected)) ? nil : String(decoding: result.nquads, as: UTF8.self)
                } catch {
                    return isNegative && error == .tooComplex ? nil : "refused: \(error)"
                }
            }
        }
        tally.report()
        #expect(tally.passed == tally.ran)
        #expect(tally.ran == 86)
    }

    private static func map(_ url: URL) -> [String: String]? {
        guard let members = try? Suites.json(url).root.members else { return nil }
        var map: [String: String] = [:]
        for member in members { map[member.name] = member.value.string }
        return map
    }
}
