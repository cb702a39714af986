import TestSupport
import Testing

@testable import Trust

/// What an issuer's entry says of AnonCreds, and the bundle's section (trust-format.md section 6).
struct AnonCredsEntryTests {
    private typealias Objects = AnonCredsObjects

    /// What is wrong with the entry where one member is another.
    private func fault(_ path: [Any], _ value: Any?) throws -> TrustError? {
        try Objects.fault(try Objects.contents(Objects.tree()) { try Objects.edited($0, path, value) })
    }

    private func entry(_ member: String, _ reason: TrustError.Reason) -> TrustError {
        TrustError(file: "town.json", member: member, reason: reason)
    }

    @Test("a form and its member go together")
    func forms() throws {
        #expect(try fault(["anoncreds"], nil) == entry("anoncreds", .missing))
        #expect(try fault(["forms"], ["sd_jwt"]) == entry("anoncreds", .wrongValue))
        #expect(try fault(["anoncreds", "sha512"], "00") == entry("anoncreds.sha512", .unknown))
        // Keys and algorithms are for forms that are signed by themselves.
        #expect(try fault(["forms"], ["anoncreds", "sd_jwt"]) == entry("keys", .missing))
        #expect(try fault(["algorithms"], ["ES256"]) == nil)
        #expect(try fault(["status"], ["grace": 3600]) == nil)
        #expect(try fault(["status"], ["grace": -1]) == entry("status.grace", .wrongValue))
    }

    @Test("the file has to be there, to be this one, and to be somebody's")
    func file() throws {
        #expect(try fault(["anoncreds", "file"], "other.json") == entry("anoncreds.file", .wrongValue))
        let zeros = String(repeating: "0", count: 64)
        #expect(try fault(["anoncreds", "sha256"], zeros) == entry("anoncreds.sha256", .wrongValue))
        #expect(try fault(["anoncreds", "sha256"], "00") == entry("anoncreds.sha256", .wrongValue))
        var contents = try Objects.contents(Objects.tree())
        contents.anoncreds.files.append(AnonCredsContents.File(name: "z.json", bytes: []))
        #expect(try Objects.fault(contents) == TrustError(file: "z.json", reason: .ofNoEntry))
        // Who signed the definitions has to be who the entry is about.
        #expect(
            try fault(["ids"], ["did:web:other.example"])
                == TrustError(file: Objects.name, member: "definitions[0].issuerId", reason: .wrongValue))
    }

    @Test("a definition is believed for types and roles of the entry alone")
    func believed() throws {
        #expect(
            try fault(["types"], ["resident"]) == TrustError(file: Objects.name, member: "definitions[0].schemaId", reason: .wrongValue))
        #expect(
            try fault(["requires"], ["portrait"])
                == TrustError(file: Objects.name, member: "definitions[0].schemaId", reason: .wrongValue), "a permit has no portrait")
        #expect(try fault(["requires"], ["birthDate"]) == entry("requires", .wrongValue))
    }

    @Test("an attribute by which credentials expire has to be one")
    func expiry() throws {
        #expect(try fault(["anoncreds", "expires"], ["floor", "YYYYMMDD"]) == nil)
        #expect(try fault(["anoncreds", "expires"], [["birth_date", "YYYYMMDD"]]) == nil)
        #expect(try fault(["anoncreds", "expires"], ["valid_until", "YYYYMMDD"]) == entry("anoncreds.expires", .wrongValue))
        #expect(try fault(["anoncreds", "expires"], ["floor", "DDMMYYYY"]) == entry("anoncreds.expires", .wrongValue))
        #expect(try fault(["anoncreds", "expires"], ["floor"]) == entry("anoncreds.expires", .wrongValue))
        let twice = [["birth_date", "YYYYMMDD"], ["floor", "YYYYMMDD"]]
        #expect(try fault(["anoncreds", "expires"], twice)?.file == Objects.name, "two of one schema")
        let schema = Objects.town + "/anoncreds/schema/resident-1.2"
        let contents = try Objects.contents(Objects.tree()) {
            try Objects.edited($0, ["anoncreds", "expires"], [[schema, "birth_date", "YYYYMMDD"]])
        }
        let belief = try TrustStore(contents, after: try Objects.store.get()).anoncreds
        #expect(belief.definition(Objects.resident)?.expiry == "birth_date" && belief.definition(Objects.permit)?.expiry == nil)
    }

    // MARK: the bundle

    private static func bundle(_ contents: TrustContents) throws(TrustBundleError) -> TrustBundle {
        var contents = contents
        for index in contents.issuers.indices {
            contents.issuers[index].bytes = TrustBundle.canonical(contents.issuers[index].bytes) ?? []
        }
        return try TrustBundle(sequence: 1, created: 100, notBefore: 100, notAfter: 2_000_000_000, clock: .reject, contents: contents)
    }

    @Test("what is written is read; a bundle without it has no section")
    func section() throws {
        let bundle = try Self.bundle(Objects.contents(Objects.tree())), octets = try bundle.encoded()
        #expect(try TrustBundle(decoding: octets) == bundle)
        #expect(try TrustBundle(decoding: octets).store(after: Objects.store.get()).anoncreds.definitions.count == 2)
        var contents = bundle.contents
        contents.anoncreds = AnonCredsContents()
        #expect(!(try Self.bundle(contents).encoded()).contains(sequence: Array("sections".utf8)))
        #expect(octets.contains(sequence: Array("sections".utf8)))
        contents.anoncreds = AnonCredsContents(files: [.init(name: "b", bytes: [1]), .init(name: "a", bytes: [2])])
        #expect(try Self.bundle(contents).contents.anoncreds.files.map(\.name) == ["a", "b"])
        contents.anoncreds.files[1].name = "b"
        #expect(throws: TrustBundleError.duplicate(.objects, name: "b")) { try Self.bundle(contents) }
        contents.anoncreds.files = (0...AnonCredsContents.mostFiles).map { .init(name: "\($0)", bytes: []) }
        #expect(throws: TrustBundleError.tooMany(.objects)) { try Self.bundle(contents) }
    }

    @Test("no flipped octet of a bundle ends the reader, and none is believed with another content under one digest")
    func flips() throws {
        // Small, so that every octet has its turn: the objects themselves are fuzzed as texts.
        var contents = try Objects.contents(["gatehouse-anoncreds": 1])
        contents.anoncreds.files.append(AnonCredsContents.File(name: "b", bytes: [0x7B, 0x7D]))
        contents.trustedKey.lists = [.init(url: "https://a.example/1", fetched: 5, addresses: [UInt8](repeating: 1, count: 20))]
        let bundle = try Self.bundle(contents), octets = try bundle.encoded()
        for place in octets.indices {
            for flip in [0x01, 0x20, 0x80, 0xFF] as [UInt8] {
                var other = octets
                other[place] ^= flip
                guard let read = try? TrustBundle(decoding: other) else { continue }
                #expect(read != bundle)
                #expect(throws: TrustBundleError.self) { try read.store() }
            }
            #expect(throws: TrustBundleError.self) { try TrustBundle(decoding: Array(octets[..<place])) }
        }
    }

    @Test("no damage to a file of objects ends the reader, and none of it is believed", arguments: 0..<4)
    func damage(_ round: UInt64) throws {
        let contents = try Objects.contents(Objects.tree()), known = try Objects.store.get()
        var random = SeededRandom(seed: round + 1)
        for _ in 0..<150 {
            var octets = contents.anoncreds.files[0].bytes
            let place = Int.random(in: octets.indices, using: &random)
            octets[place] ^= UInt8.random(in: 1...255, using: &random)
            var other = contents
            other.anoncreds.files[0].bytes = octets
            #expect(throws: TrustError.self) { try TrustStore(other, after: known) }
            // Also where somebody pins it: what is not equal is checked.
            _ = try? AnonCredsFile(other.anoncreds.files[0], known: known.anoncreds.checked)
        }
    }

    @Test("what changes is named")
    func difference() throws {
        let old = try Self.bundle(Objects.contents(Objects.tree()))
        #expect(TrustBundleDifference(from: old, to: old).anoncreds.isEmpty)
        let tree = try Objects.edited(Objects.tree(), ["definitions", 1], nil)
        let later = try Objects.edited(tree, ["lists", 0, "timestamp"], 2_000_000_000)
        let change = TrustBundleDifference(from: old, to: try Self.bundle(Objects.contents(later))).anoncreds
        #expect(change.definitions.removed == [Objects.resident] && change.schemas.isEmpty && change.registries.isEmpty)
        #expect(change.newestLists.map(\.registry) == [Objects.registry] && change.newestLists.first?.after == 2_000_000_000)
    }
}

extension Array where Element == UInt8 {
    fileprivate func contains(sequence: [UInt8]) -> Bool {
        indices.contains { self[$0...].starts(with: sequence) }
    }
}
