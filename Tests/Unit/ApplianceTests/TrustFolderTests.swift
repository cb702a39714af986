import Bluetooth
import BoardTestSupport
import Cryptography
import Foundation
import JSON
import LinkedData
import TestSupport
import Testing

@testable import Appliance
@testable import Trust

@Suite struct TrustFolderTests {
    /// One issuer's file.
    private static func issuer() throws -> String {
        String(decoding: try TestBundle().bundle().contents.issuers[0].bytes, as: UTF8.self)
    }

    @Test func folders() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "gatehouse-trust-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(throws: TrustError(file: folder.path + "/none", reason: .unreadable)) { try TrustStore(folder: folder.path + "/none") }
        #expect(throws: TrustError(file: folder.path, reason: .empty)) { try TrustStore(folder: folder.path) }
        try Data("notes".utf8).write(to: folder.appending(path: "README.md"))
        try Data("{".utf8).write(to: folder.appending(path: ".hidden.json"))
        #expect(throws: TrustError(file: folder.path, reason: .empty)) { try TrustStore(folder: folder.path) }
        try Data(Self.issuer().utf8).write(to: folder.appending(path: "a.json"))
        #expect(try TrustStore(folder: folder.path).issuers.count == 1)
        try Data("{".utf8).write(to: folder.appending(path: "b.json"))
        #expect(throws: TrustError(file: "b.json", reason: .malformed(JSONError(.truncated, at: 1)))) {
            try TrustStore(folder: folder.path)
        }
        try FileManager.default.removeItem(at: folder.appending(path: "b.json"))
        try FileManager.default.createDirectory(at: folder.appending(path: "c.json"), withIntermediateDirectories: true)
        #expect(throws: TrustError(file: "c.json", reason: .unreadable)) { try TrustStore(folder: folder.path) }
    }

    /// Those of AnonCreds and Trusted Key are read as far as their dots.
    @Test func theDocumentedExamplesOfProofsAreRead() throws {
        let text = try String(
            contentsOfFile: Repository.root + "/docs/specifications/trust-format.md", encoding: .utf8)
        let examples = text.components(separatedBy: "```json\n").dropFirst().compactMap { $0.components(separatedBy: "```").first }
        let (entry, objects, harbour) = (examples[4], examples[5], examples[6])
        #expect(try TrustedIssuer(.init(name: "town.json", bytes: Array(entry.utf8))).anoncreds?.file == "anoncreds/town.json")
        let folder = try TrustFolderFixture()
        let digest = Hex.text(try Digest.hash(Array(objects.utf8).span, .sha256))
        try folder.write("town.json", entry.replacing("39dd2b69d37e6c6509a5b36d798137653fc646f8fa6870c13d94c74331a4fee5", with: digest))
        try folder.write("anoncreds/town.json", objects)
        let number = TrustError(
            file: "anoncreds/town.json", member: "definitions[0].primary.n", reason: .unusableObject(.notCanonical))
        #expect(throws: number) { try TrustStore(folder: folder.path) }
        #expect(throws: TrustError(file: "harbour.json", member: "x509.roots[0]", reason: .malformedCertificate)) {
            try TrustedIssuer(.init(name: "harbour.json", bytes: Array(harbour.utf8)))
        }
    }

    /// The examples of the format's page, as one folder.
    @Test func theDocumentedExamplesAreRead() throws {
        let text = try String(
            contentsOfFile: Repository.root + "/docs/specifications/trust-format.md", encoding: .utf8)
        let examples = text.components(separatedBy: "```json\n").dropFirst().compactMap { $0.components(separatedBy: "```").first }
        try #require(examples.count == 7)
        let folder = try TrustFolderFixture()
        let context = #"{"@context":{}}"#
        let digest = "ab4ddd9a531758807a79a5b450510d61ae8d147eab966cc9a200c07095b0cdcc"
        let own = Hex.text(try Digest.hash(Array(context.utf8).span, .sha256))
        try folder.write("issuer.json", examples[0])
        try folder.write("contexts/credentials-v1.jsonld", context)
        try folder.write("lists/status-1.json", "{}")
        try folder.write("lists.json", examples[2])
        try folder.write("contexts.json", examples[1])
        #expect(throws: TrustError(file: "contexts.json", member: "contexts[0].sha256", reason: .wrongValue)) {
            try TrustStore(folder: folder.path)
        }
        #expect(examples[1].contains(digest))
        try folder.write("contexts.json", examples[1].replacing(digest, with: own))
        let store = try TrustStore(folder: folder.path)
        #expect(store.issuers.count == 1 && store.issuers[0].suites == [.ed25519Signature2020, .eddsaRDFC2022])
        #expect(store.issuers[0].claims[.portrait] == [["https://issuer.example/vocabulary#face"], ["portrait"]])
        #expect(store.contexts.document(at: "https://www.w3.org/2018/credentials/v1") == Array(context.utf8))
        #expect(
            store.lists == [
                PinnedStatusList(url: "https://issuer.example/status/1", fetched: 1_795_154_400, bytes: Array("{}".utf8))
            ])
        // The rows of documents in phones are read; the certificate that they name is refused for what it is.
        try folder.write("mdoc.json", examples[3])
        try folder.write("mdoc/utopia.pem", "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n")
        let refused = #expect(throws: TrustError.self) { try TrustStore(folder: folder.path) }
        #expect(refused?.file == "mdoc.json" && refused?.member.hasPrefix("roots[0]") == true)
    }

    @Test(
        arguments: [
            (
                #"{"gatehouse-contexts":1,"contexts":[{"url":"urn:a","file":"../a.jsonld","sha256":"00"}]}"#, "contexts[0].file",
                TrustError.Reason.wrongValue
            ),
            (#"{"gatehouse-contexts":1,"contexts":[{"url":"urn:a","file":"/etc/passwd","sha256":"00"}]}"#, "contexts[0].file", .wrongValue),
            (#"{"gatehouse-contexts":1,"contexts":[{"url":"urn:a","file":"./a.jsonld","sha256":"00"}]}"#, "contexts[0].file", .wrongValue),
            (#"{"gatehouse-contexts":1,"contexts":[{"url":"urn:a","file":"a\u0000b","sha256":"00"}]}"#, "contexts[0].file", .wrongValue),
            (#"{"gatehouse-contexts":1,"contexts":[{"url":"urn:a","file":"a.jsonld"}]}"#, "contexts[0].sha256", .missing),
            (
                #"{"gatehouse-contexts":1,"contexts":[{"url":"urn:a","file":"a.jsonld","sha256":"00","pinned":true}]}"#,
                "contexts[0].pinned", .unknown
            ),
            (#"{"gatehouse-contexts":2,"contexts":[]}"#, "gatehouse-contexts", .unsupportedVersion),
            (#"{"gatehouse-contexts":1}"#, "contexts", .missing),
            (#"{"gatehouse-contexts":1,"contexts":{}}"#, "contexts", .wrongType), (#"{"contexts":[]}"#, "gatehouse-contexts", .missing),
        ] as [(String, String, TrustError.Reason)])
    func contextsThatAreNotPinned(_ text: String, _ member: String, _ reason: TrustError.Reason) throws {
        let folder = try TrustFolderFixture()
        try folder.write("issuer.json", Self.issuer())
        try folder.write("contexts.json", text)
        #expect(throws: TrustError(file: "contexts.json", member: member, reason: reason)) { try TrustStore(folder: folder.path) }
    }

    /// For whoever puts something in: what is about to be replaced is not looked at.
    @Test func partsOfAFolder() throws {
        let folder = try TrustFolderFixture(), context = #"{"@context":{}}"#
        let digest = Hex.text(try Digest.hash(Array(context.utf8).span, .sha256))
        #expect(try TrustContents.contexts(folder.path) == [], "no contexts.json, and no issuer")
        try folder.write("a.jsonld", context)
        try folder.write(
            "contexts.json",
            #"{"gatehouse-contexts":1,"contexts":[{"url":"urn:a","file":"a.jsonld","sha256":"\#(digest)"},{"url":"urn:b","file":"b","sha256":"00"}]}"#
        )
        #expect(throws: TrustError(file: "b", reason: .unreadable)) { try TrustContents.contexts(folder.path) }
        #expect(try TrustContents.contexts(folder.path, without: "urn:b").map(\.url) == ["urn:a"])
        try folder.write("contexts.json", #"{"gatehouse-contexts":1,"contexts":[]}"#)
        try folder.write("issuer.json", Self.issuer())
        try folder.write("lists.json", #"{"gatehouse-lists":1,"lists":[{"url":"urn:l","file":"l","fetched":"2026-01-01T00:00:00Z"}]}"#)
        #expect(throws: TrustError(file: "l", reason: .unreadable)) { try TrustContents(folder: folder.path) }
        #expect(try TrustContents(withoutLists: folder.path).issuers.count == 1)
    }

    @Test("a file in a trust folder is inside it, whatever stands behind a slash")
    func outsideFolder() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let inner = folder.appendingPathComponent("trust")
        try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
        try Data("list".utf8).write(to: folder.appendingPathComponent("\u{301}list"))
        try Data(Self.issuer().utf8).write(to: inner.appendingPathComponent("a.json"))
        let lists =
            #"{"gatehouse-lists":1,"lists":[{"url":"https://a.example/1","file":"../\#u{301}list","fetched":"2026-01-01T00:00:00Z"}]}"#
        try Data(lists.utf8).write(to: inner.appendingPathComponent("lists.json"))
        #expect(throws: TrustError(file: "lists.json", member: "lists[0].file", reason: .wrongValue)) {
            try TrustContents(folder: inner.path)
        }
    }
}

/// A folder of its own, gone with the test.
final class TrustFolderFixture {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "trust-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    func write(_ name: String, _ text: String) throws {
        let file = URL(filePath: path).appending(path: name)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
