import JSON
import ProofVectors
import TrustedKeyWallet

/// What a vector says must come out, or what came out.
enum Outcome: Hashable {
    /// The claims by their object identifiers, as UTF-8: texts that merely look the same are others.
    case accept([String: [UInt8]])
    /// Nil where any reason will do.
    case reject(String?)

    /// In words, where this is what was expected.
    func differences(from found: Outcome) -> [String] {
        switch (self, found) {
        case (.accept(let wanted), .accept(let claims)):
            return wanted == claims ? [] : ["expected claims \(Self.text(wanted)), found \(Self.text(claims))"]
        case (.accept, .reject(let reason)):
            return ["expected accept, found reject \(reason ?? "")"]
        case (.reject(let reason), .accept):
            return ["expected reject \(reason ?? ""), found accept"]
        case (.reject(let wanted), .reject(let reason)):
            guard let wanted, wanted != reason else { return [] }
            return ["expected reject \(wanted), found reject \(reason ?? "")"]
        }
    }

    private static func text(_ claims: [String: [UInt8]]) -> String {
        "{" + claims.sorted { $0.key < $1.key }.map { "\($0.key): \(String(decoding: $0.value, as: UTF8.self))" }.joined(separator: ", ")
            + "}"
    }

    /// What a vector says. Throws where it says nothing.
    static func expected(_ value: JSONValue) throws(UnusableVector) -> Outcome {
        if value["expect"]?.isString("reject") == true { return .reject(value["reason"]?.string) }
        guard value["expect"]?.isString("accept") == true, let members = value["claims"]?.members else {
            throw UnusableVector(what: "expect")
        }
        var claims: [String: [UInt8]] = [:]
        for member in members {
            guard let text = member.value.stringBytes else { throw UnusableVector(what: "claims") }
            claims[member.name] = text
        }
        return .accept(claims)
    }

    /// What the gate says of it.
    init(_ vector: TrustedKeyVector) {
        do throws(TrustedKeyFault) {
            let claims = try vector.verified().claims
            self = .accept(Dictionary(claims.map { ($0.object.identifier, Array($0.value.utf8)) }) { first, _ in first })
        } catch {
            self = .reject(error.rawValue)
        }
    }
}
