import Foundation
import JSON
import TestSupport

@testable import AnonCreds

/// The vectors of `Tests/Support/Vectors/anoncreds`.
enum Vectors {
    static let folder = Repository.root + "/Tests/Support/Vectors/anoncreds/"

    static func file(_ name: String) -> JSONValue {
        let octets = [UInt8](FileManager.default.contents(atPath: folder + name) ?? Data("null".utf8))
        guard let document = try? JSONDocument(parsing: octets, limits: JSONLimits(nodes: 1_000_000)) else {
            preconditionFailure("\(name): not JSON")
        }
        return document.root
    }

    /// What can be changed: Foundation's trees.
    private nonisolated(unsafe) static let tree: [String: Any] = {
        let data = FileManager.default.contents(atPath: folder + "vectors.json") ?? Data("{}".utf8)
        return (try? JSONSerialization.jsonObject(with: data)) as? [String: Any] ?? [:]
    }()

    private nonisolated(unsafe) static let accepted: [String: [String: Any]] = {
        let list = tree["accepted"] as? [[String: Any]] ?? []
        return Dictionary(list.map { ($0["name"] as? String ?? "?", $0) }, uniquingKeysWith: { first, _ in first })
    }()

    private nonisolated(unsafe) static let trees: [String: Any] = {
        var all: [String: Any] = accepted
        for change in tree["rejected"] as? [[String: Any]] ?? [] {
            var vector: Any = accepted[change["base"] as? String ?? ""] ?? [String: Any]()
            for edit in change["changes"] as? [[Any]] ?? [] {
                vector = edited(vector, (edit[0] as? [Any] ?? [])[...], edit.count > 1 ? edit[1] : nil)
            }
            all[(vector as? [String: Any])?["name"] as? String ?? "?"] = vector
        }
        return all
    }()

    static let names = trees.keys.sorted()
    static let acceptedNames = accepted.keys.sorted()

    static func vector(_ name: String) -> Vector { Vector(trees[name] ?? [String: Any]()) }

    /// A copy of a tree in which what `path` leads to is removed or replaced.
    static func edited(_ tree: Any, _ path: ArraySlice<Any>, _ value: Any?) -> Any {
        guard let step = path.first else { return value ?? NSNull() }
        let rest = path.dropFirst()
        if let name = step as? String, var object = tree as? [String: Any] {
            object[name] = rest.isEmpty ? value : edited(object[name] ?? NSNull(), rest, value)
            return object
        }
        if let index = step as? Int, var list = tree as? [Any], list.indices.contains(index) {
            if rest.isEmpty, value == nil { list.remove(at: index) } else { list[index] = edited(list[index], rest, value) }
            return list
        }
        return tree
    }
}

/// One vector, which a test may change.
struct Vector {
    private var tree: Any

    init(_ tree: Any) { self.tree = tree }

    private subscript(name: String) -> Any? { (tree as? [String: Any])?[name] }

    var expect: String { self["expect"] as? String ?? "?" }
    var reason: String? { self["reason"] as? String }
    var now: Int64 { (self["at"] as? NSNumber)?.int64Value ?? 0 }

    mutating func set(_ path: [Any], _ value: Any?) { tree = Vectors.edited(tree, path[...], value) }

    func value(_ path: [Any]) -> Any? {
        path.reduce(tree as Any?) { value, step in
            if let name = step as? String { return (value as? [String: Any])?[name] }
            if let index = step as? Int, let list = value as? [Any], list.indices.contains(index) { return list[index] }
            return nil
        }
    }

    /// Every path below `path` that ends in something that is no object and no array of numbers.
    func leaves(below path: [Any]) -> [[Any]] {
        if let object = value(path) as? [String: Any] { return object.keys.sorted().flatMap { leaves(below: path + [$0]) } }
        if let list = value(path) as? [Any], !(list.first is NSNumber) { return list.indices.flatMap { leaves(below: path + [$0]) } }
        return [path]
    }

    private func json(_ name: String) -> [UInt8] {
        guard let value = self[name], let data = try? JSONSerialization.data(withJSONObject: value, options: [.fragmentsAllowed]) else {
            return []
        }
        return [UInt8](data)
    }

    var presentation: [UInt8] { (self["presentation_text"] as? String).map { Array($0.utf8) } ?? json("presentation") }

    func request() throws -> PresentationRequest {
        let octets = json("pres_req")
        return try PresentationRequest(parsing: octets.span)
    }

    func document(_ name: String) throws -> JSONValue { try JSONDocument(parsing: json(name)).root }

    /// What the gate says: nil for an acceptance.
    ///
    /// - Parameter verifier: of this vector's bundle, where it was made before: its points cost a tenth of a second without optimization.
    func reasonFound(by verifier: AnonCredsVerifier? = nil, hasEnded: @escaping () -> Bool = { false }) throws -> PresentationReason? {
        do { _ = try verified(by: verifier, hasEnded: hasEnded) } catch let reason as PresentationReason { return reason }
        return nil
    }

    func verified(by verifier: AnonCredsVerifier? = nil, hasEnded: @escaping () -> Bool = { false }) throws -> VerifiedPresentation {
        let presentation = presentation
        return try (verifier ?? self.verifier()).verify(presentation.span, for: request(), now: now, hasEnded: hasEnded)
    }

    func verifier() throws -> AnonCredsVerifier { AnonCredsVerifier(context: try TestBundle.context(of: self)) }
}

extension JSONValue {
    /// The members, none where this is no object.
    var memberList: [JSONMember] {
        guard let members else { return [] }
        return Array(members)
    }

    /// The elements, none where this is no array.
    var elementList: [JSONValue] {
        guard let elements else { return [] }
        return Array(elements)
    }

    /// The texts among the elements.
    var texts: [String] { elementList.compactMap { $0.string } }
}
