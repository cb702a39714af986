import Foundation
import JSON
import LinkedData
import TestSupport

/// The folders of conformance data outside the repository. Tests that need them are skipped, by name, where they are absent.
enum Suites {
    static let root = URL(fileURLWithPath: Repository.suites)

    static let jsonLD = root.appendingPathComponent("credentials/suites/json-ld-api/tests")
    static let rdfCanon = root.appendingPathComponent("credentials/suites/rdf-canon/tests")

    static var hasJSONLD: Bool { FileManager.default.fileExists(atPath: jsonLD.appendingPathComponent("expand-manifest.jsonld").path) }
    static var hasRDFCanon: Bool { FileManager.default.fileExists(atPath: rdfCanon.appendingPathComponent("manifest.jsonld").path) }

    static func bytes(_ url: URL) throws -> [UInt8] { [UInt8](try Data(contentsOf: url)) }

    static func json(_ url: URL) throws -> JSONDocument {
        try JSONDocument(parsing: try bytes(url), limits: JSONLimits(depth: 64, nodes: 1_000_000))
    }
}

/// One entry of a JSON-LD manifest.
struct JSONLDCase {
    static let base = "https://w3c.github.io/json-ld-api/tests/"

    let id: String
    let input: String
    let expect: String?
    let error: String?
    let option: JSONValue?
    let isSyntaxOnly: Bool

    init(_ entry: JSONValue) {
        id = entry["@id"]?.string ?? ""
        input = entry["input"]?.string ?? ""
        expect = entry["expect"]?.string
        error = entry["expectErrorCode"]?.string
        option = entry["option"]
        isSyntaxOnly = entry["@type"]?.elements?.contains { $0.isString("jld:PositiveSyntaxTest") } ?? false
    }

    /// Cases for another language: JSON-LD 1.0, generalized RDF, and the two ways to put a base direction into RDF.
    var isInScope: Bool {
        guard let option else { return true }
        return option["specVersion"]?.isString("json-ld-1.0") != true && option["processingMode"]?.isString("json-ld-1.0") != true
            && option["produceGeneralizedRdf"] == nil && option["rdfDirection"] == nil
    }

    static func all(_ manifest: String) throws -> [JSONLDCase] {
        let root = try Suites.json(Suites.jsonLD.appendingPathComponent(manifest)).root
        return (root["sequence"]?.elements.map(Array.init) ?? []).map(JSONLDCase.init)
    }

    /// Every document of a suite folder, under the URL it has there.
    static func store(_ folder: String) throws -> ContextStore {
        var documents: [String: [UInt8]] = [:]
        let url = Suites.jsonLD.appendingPathComponent(folder)
        for name in try FileManager.default.subpathsOfDirectory(atPath: url.path) where name.hasSuffix(".jsonld") {
            documents[base + folder + "/" + name] = try Suites.bytes(url.appendingPathComponent(name))
        }
        return ContextStore(documents)
    }

    func processor(_ store: ContextStore) -> LinkedDataProcessor {
        let base = option?["base"]?.string ?? JSONLDCase.base + input
        var limits = LinkedDataLimits.standard
        limits.workFactor = 3
        return LinkedDataProcessor(store: store, limits: limits, base: Text(base))
    }

    func document() throws -> JSONDocument { try Suites.json(Suites.jsonLD.appendingPathComponent(input)) }

    func context() throws -> JSONDocument? {
        try option?["expandContext"]?.string.map { try Suites.json(Suites.jsonLD.appendingPathComponent($0)) }
    }

    /// Whether `found` is the refusal the case asks for.
    func expects(_ found: LinkedDataError) -> Bool {
        // The suite names the step that fails; here the reason is always that the document is not pinned.
        if found == .loadingDocumentFailed { return error == "loading remote context failed" || error == found.rawValue }
        return error == found.rawValue
    }
}
