import Foundation
import JSON
import LinkedData
import Testing

@Suite struct ConversionSuiteTests {
    @Test(.enabled(if: Suites.hasJSONLD, "needs the json-ld-api suite"))
    func toRdf() throws {
        let store = try JSONLDCase.store("toRdf")
        var tally = Tally("JSON-LD 1.1 toRdf")
        for test in try JSONLDCase.all("toRdf-manifest.jsonld") where test.isInScope {
            tally.run(test.id) {
                var processor = test.processor(store)
                let limits = processor.limits
                let input = try test.document()
                let context = try test.context()
                do throws(LinkedDataError) {
                    let result = try processor.dataset(of: input.root, context: context?.root)
                    if test.isSyntaxOnly { return nil }
                    guard let expect = test.expect else { return "accepted, expected \(test.error ?? "?")" }
                    let wanted = try? NQuadsParser.dataset(try Suites.bytes(Suites.jsonLD.appendingPathComponent(expect)))
                    guard let wanted else { return "no expectation" }
                    let mine = try Canonicalization.canonicalize(result.dataset, limits: limits).nquads
                    let theirs = try Canonicalization.canonicalize(wanted, limits: limits).nquads
                    return mine == theirs
                        ? nil : "\n\(String(decoding: mine, as: UTF8.self))---\n\(String(decoding: theirs, as: UTF8.self))"
                } catch {
                    return test.expects(error) ? nil : "refused: \(error.rawValue), expected \(test.error ?? "success")"
                }
            }
        }
        tally.report()
        #expect(tally.passed == tally.ran)
        #expect(tally.ran == 444)
    }
}
