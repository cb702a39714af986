import AnonCreds
import TestSupport
import Testing

@testable import Trust

/// Whom a gate believes about AnonCreds credentials (trust-format.md section 6, anoncreds.md section 8).
struct AnonCredsFileTests {
    private typealias Objects = AnonCredsObjects

    private func fault(_ path: [Any], _ value: Any?) throws -> TrustError? {
        try Objects.fault(Objects.contents(Objects.edited(Objects.tree(), path, value)))
    }

    private func expect(
        _ path: [Any], _ value: Any?, _ member: String, _ reason: TrustError.Reason, at location: SourceLocation = #_sourceLocation
    ) throws {
        #expect(
            try fault(path, value) == TrustError(file: Objects.name, member: member, reason: reason), sourceLocation: location)
    }

    @Test("everything of an issuer is believed as its entry says")
    func everything() throws {
        let store = try Objects.store.get(), belief = store.anoncreds
        #expect(!store.isOfNobody && belief.definitions.map(\.id) == [Objects.permit, Objects.resident])
        let permit = try #require(belief.definition(Objects.permit)), resident = try #require(belief.definition(Objects.resident))
        #expect(permit.canBeRevoked && !resident.canBeRevoked && resident.registries.isEmpty)
        #expect(permit.registries.map(\.id) == [Objects.registry] && permit.registries.first?.newest != nil)
        #expect(resident.roles == [.fullName: "Full Name", .portrait: "portrait"] && permit.roles[.portrait] == nil)
        #expect(resident.issuer == 0 && store.issuers.first?.name == "Town" && resident.issuerID == Objects.town)
        #expect(resident.types == [resident.schemaID] && resident.schemaName == "resident" && resident.attributes.first == "Full Name")
        #expect(2047...2056 ~= resident.modulusBits && resident.expiry == nil && resident.requires.isEmpty)
        #expect(resident.isCurrent(at: 0) && belief.definition("x") == nil)
        #expect(TrustStore.nobody.anoncreds.definitions.isEmpty)
    }

    @Test("every object is looked at: what is wrong is named by file and member")
    func objects() throws {
        let n = ["definitions", 0, "primary", "n"] as [Any], s = ["definitions", 0, "primary", "s"] as [Any]
        let modulus = try #require(Self.text(n))
        try expect(s, "0" + (try #require(Self.text(s))), "definitions[0].primary.s", .unusableObject(.notCanonical))
        try expect(s, 7, "definitions[0].primary.s", .unusableObject(.wrongType))
        try expect(s, "1", "definitions[0].primary.s", .unusableObject(.outOfRange))
        try expect(s, modulus, "definitions[0].primary.s", .unusableObject(.outOfRange))
        try expect(n, String(modulus.dropLast()) + "2", "definitions[0].primary.n", .unusableObject(.outOfRange))
        try expect(n, "15", "definitions[0].primary.n", .unusableObject(.outOfRange))
        try expect(["definitions", 0, "primary", "z"], nil, "definitions[0].primary.z", .unusableObject(.missing))
        try expect(["definitions", 0, "primary", "q"], "2", "definitions[0].primary.q", .unknown)
        try expect(["definitions", 0, "primary", "r", "other"], "2", "definitions[0].primary.r", .unusableObject(.wrongKeys))
        try expect(["definitions", 0, "primary", "r", "master_secret"], nil, "definitions[0].primary.r", .unusableObject(.wrongKeys))
        try expect(["definitions", 0, "revocation", "h"], "1 0 1 0 1 0", "definitions[0].revocation.h", .unusableObject(.notInGroup))
        try expect(["definitions", 0, "revocation", "y"], nil, "definitions[0].revocation.y", .unusableObject(.missing))
        try expect(["definitions", 0, "revocation", "secret"], "1", "definitions[0].revocation.secret", .unknown)
        try expect(["registries", 0, "z"], "1 0", "registries[0].z", .unusableObject(.notInGroup))
        try expect(["lists", 0, "accumulator"], "1 0", "lists[0].accumulator", .unusableObject(.notInGroup))
        try expect(["lists", 0, "accumulator"], nil, "lists[0].accumulator", .missing)
        try expect(["schemas", 0, "attrNames"], [String](), "schemas[0].attrNames", .wrongType)
        try expect(["schemas", 0, "attrNames"], ["A b", "aB"], "schemas[0].attrNames", .unusableObject(.duplicate))
        try expect(["schemas", 0, "attrNames"], (0..<126).map { "a\($0)" }, "schemas[0].attrNames", .unusableObject(.tooMany))
    }

    /// A text of the tree.
    private static func text(_ path: [Any]) -> String? {
        var value: Any? = try? Objects.tree()
        for step in path {
            if let name = step as? String { value = (value as? [String: Any])?[name] }
            if let place = step as? Int { value = (value as? [Any])?[place] }
        }
        return value as? String
    }

    @Test("what does not belong together is refused by name")
    func belonging() throws {
        try expect(["definitions", 0, "schemaId"], "other", "definitions[0].schemaId", .wrongValue)
        try expect(["definitions", 0, "issuerId"], "did:web:other.example", "definitions[0].issuerId", .wrongValue)
        try expect(["definitions", 1, "id"], Objects.permit, "definitions[1].id", .duplicate)
        try expect(["registries", 0, "definition"], Objects.resident, "registries[0].definition", .wrongValue)
        try expect(["registries", 0, "id"], "other", "lists[0].registry", .wrongValue)
        try expect(["lists", 1], ((try Objects.tree()["lists"] as? [Any])?.first), "lists[1].timestamp", .duplicate)
        try expect(["definitions", 1, "types"], ["citizen"], "definitions[1].types", .wrongValue)
        try expect(["definitions"], [Any](), "definitions", .missing)
        // Another issuer's schema is one.
        #expect(try fault(["schemas", 0, "issuerId"], "did:web:other.example") == nil)
        #expect(try fault(["definitions", 1, "types"], ["resident"]) == nil)
    }

    @Test("times, counts and unknown members")
    func shape() throws {
        try expect(["gatehouse-anoncreds"], 2, "gatehouse-anoncreds", .unsupportedVersion)
        try expect(["gatehouse-anoncreds"], nil, "gatehouse-anoncreds", .missing)
        try expect(["list"], [Any](), "list", .unknown)
        try expect(["definitions", 0, "note"], "x", "definitions[0].note", .unknown)
        try expect(["lists", 0, "timestamp"], -1, "lists[0].timestamp", .wrongValue)
        try expect(["lists", 0, "timestamp"], "1", "lists[0].timestamp", .wrongType)
        try expect(["lists", 0, "fetched"], 1_767_225_600, "lists[0].fetched", .wrongType)
        try expect(["definitions", 0, "notBefore"], "2026", "definitions[0].notBefore", .wrongValue)
        let ended = try Objects.edited(Objects.tree(), ["definitions", 0, "notAfter"], "2026-01-01T00:00:00Z")
        #expect(try Objects.fault(Objects.contents(ended)) == nil)
        #expect(
            try Objects.fault(Objects.contents(Objects.edited(ended, ["definitions", 0, "notBefore"], "2026-01-02T00:00:00Z")))
                == TrustError(file: Objects.name, member: "definitions[0]", reason: .wrongValue))
        let long = String(repeating: "x", count: AnonCredsContents.longestText + 1)
        try expect(["schemas", 0, "name"], long, "schemas[0].name", .tooLarge)
        let row = try #require((try Objects.tree()["schemas"] as? [[String: Any]])?.first)
        let many = (0...AnonCredsContents.mostSchemas).map { number in row.merging(["id": "s\(number)"]) { $1 } }
        try expect(["schemas"], many, "schemas", .tooLarge)
    }

    @Test("a registry may have lists of any number of times, and the newest is known as that")
    func lists() throws {
        let first = try #require((try Objects.tree()["lists"] as? [[String: Any]])?.first)
        let stamp = try #require(first["timestamp"] as? Int)
        // The newest stands first.
        let tree = try Objects.edited(
            Objects.tree(), ["lists"],
            [first.merging(["timestamp": stamp + 5, "fetched": "2026-11-20T07:00:00Z"]) { $1 }, first] as [Any])
        let store = try TrustStore(Objects.contents(tree), after: try Objects.store.get())
        let registry = try #require(store.anoncreds.definition(Objects.permit)?.registries.first)
        #expect(registry.lists.map(\.timestamp) == [Int64(stamp), Int64(stamp + 5)])
        #expect(registry.newest?.fetched == 1_795_158_000 && store.anoncreds.newestListMade == Int64(stamp + 5))
    }

    @Test("what was checked before is not checked again, and what differs by an octet is")
    func again() throws {
        let known = try Objects.store.get().anoncreds
        #expect(known.checked.definitions.count == 2 && known.checked.registries.count == 1 && known.checked.lists.count == 3)
        let same = try TrustStore(Objects.contents(Objects.tree()), after: try Objects.store.get()).anoncreds
        #expect(Set(same.checked.definitions.keys) == Set(known.checked.definitions.keys))
        let other = try Objects.edited(Objects.tree(), ["definitions", 1, "tag"], "another")
        let changed = try TrustStore(Objects.contents(other), after: try Objects.store.get()).anoncreds
        #expect(Set(changed.checked.definitions.keys) != Set(known.checked.definitions.keys))
        // The schema is part of what a definition was checked with.
        let moved = try Objects.edited(Objects.tree(), ["schemas", 0, "attrNames"], ["a"])
        #expect(try Objects.fault(Objects.contents(moved))?.reason == .unusableObject(.wrongKeys))
    }
}
