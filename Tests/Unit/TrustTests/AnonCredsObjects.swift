import Cryptography
import Envelopes
import Foundation
import TestSupport
import Testing

@testable import Trust

/// An issuer's AnonCreds objects as a trust folder has them: those of `Tests/Support/Vectors/anoncreds`, made with the reference library.
enum AnonCredsObjects {
    static let town = "did:web:town.example"
    static let name = "anoncreds/town.json"
    static let permit = town + "/anoncreds/cred-def/permit-north"
    static let resident = town + "/anoncreds/cred-def/resident-2026"
    static let registry = town + "/anoncreds/rev-reg/permit-north-4"
    static let folder = Repository.root + "/Tests/Support/Vectors/anoncreds/"

    private static func file(_ name: String) throws -> [String: Any] {
        let data = try #require(FileManager.default.contents(atPath: folder + name))
        return try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
    }

    /// The objects of the town: two schemas, two definitions, a registry, a list of `timestamp`.
    static func tree() throws -> [String: Any] {
        let context = try file("context.json"), vectors = try file("vectors.json")
        func objects(_ name: String) throws -> [(String, [String: Any])] {
            try #require(context[name] as? [String: [String: Any]]).filter { $0.key.hasPrefix(town) }.sorted { $0.key < $1.key }
        }
        let accepted = try #require(vectors["accepted"] as? [[String: Any]])
        let vector = try #require(accepted.first { ($0["name"] as? String ?? "").hasPrefix("a14") })
        let lists = try #require(vector["rev_status_lists"] as? [[String: Any]])
        return [
            "gatehouse-anoncreds": 1,
            "schemas": try objects("schemas").map { id, schema in schema.merging(["id": id]) { old, _ in old } },
            "definitions": try objects("cred_defs").map { id, definition in
                let value = try #require(definition["value"] as? [String: Any])
                return definition.filter { ["issuerId", "schemaId", "tag"].contains($0.key) }.merging(value) { old, _ in old }
                    .merging(["id": id]) { old, _ in old }
            },
            "registries": try objects("rev_reg_defs").map { id, registry -> [String: Any] in
                let value = try #require(registry["value"] as? [String: Any])
                let key = (value["publicKeys"] as? [String: Any])?["accumKey"] as? [String: Any]
                return ["id": id, "definition": try #require(registry["credDefId"]), "z": try #require(key?["z"])]
            },
            "lists": try lists.map { list -> [String: Any] in
                [
                    "registry": try #require(list["revRegDefId"]), "timestamp": try #require(list["timestamp"]),
                    "accumulator": try #require(list["currentAccumulator"]), "fetched": "2026-11-20T06:00:00Z",
                ]
            },
        ]
    }

    static func octets(_ tree: Any) throws -> [UInt8] {
        [UInt8](try JSONSerialization.data(withJSONObject: tree, options: [.sortedKeys, .withoutEscapingSlashes]))
    }

    /// A copy of a tree in which what `path` leads to is replaced, or removed by nil.
    static func edited(_ tree: Any, _ path: [Any], _ value: Any?) throws -> Any {
        guard let step = path.first else { return try #require(value) }
        let rest = Array(path.dropFirst())
        if let name = step as? String {
            var object = try #require(tree as? [String: Any])
            object[name] = rest.isEmpty ? value : try edited(try #require(object[name]), rest, value)
            return object
        }
        let place = try #require(step as? Int)
        var list = try #require(tree as? [Any])
        if place == list.count, let value {
            list.append(value)
        } else if rest.isEmpty, value == nil {
            list.remove(at: place)
        } else {
            list[place] = try edited(list[place], rest, value)
        }
        return list
    }

    /// The issuer's entry; `digest` is of the file.
    static func entry(of file: [UInt8]) throws -> [String: Any] {
        [
            "gatehouse-trust": 1, "ids": [town, "Th7MpTaRZVRYnPiabds81Y"], "name": "Town", "forms": ["anoncreds"],
            "types": [town + "/anoncreds/schema/permit-2.0", town + "/anoncreds/schema/resident-1.2", "resident"],
            "claims": ["fullName": ["full name"], "portrait": [[town + "/anoncreds/schema/resident-1.2", "portrait"]]],
            "anoncreds": ["file": name, "sha256": Hexadecimal.text(try Digest.hash(file.span, .sha256))],
        ]
    }

    static func contents(_ tree: Any, entry edit: ([String: Any]) throws -> Any = { $0 }) throws -> TrustContents {
        let octets = try octets(tree)
        return TrustContents(
            issuers: [TrustContents.IssuerText(name: "town.json", bytes: try Self.octets(edit(entry(of: octets))))],
            anoncreds: AnonCredsContents(files: [AnonCredsContents.File(name: name, bytes: octets)]))
    }

    /// Checked once, because points take long in a debug build: what a test does not change is taken from here.
    static let store = Result { try TrustStore(contents(tree())) }

    static func fault(_ contents: TrustContents) throws -> TrustError? {
        let known = try store.get()
        do throws(TrustError) {
            _ = try TrustStore(contents, after: known)
            return nil
        } catch {
            return error
        }
    }
}
