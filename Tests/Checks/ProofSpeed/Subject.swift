import Cryptography
import DIDComm
import Foundation
import JSON
import ProofVectors

/// What is measured: one vector of the suites, read and ready, so that only the judgement is left.
struct Subject {
    private let judge: () -> Bool

    /// - Parameter name: `anoncreds/a02_revealed_unrevealed_ge`, `trustedkey/a03_two_claims`, or `aries/packed_v2` of `messages.json`.
    ///
    /// Throws where there is no such vector.
    init(_ name: String, in suites: String) throws(UnusableVector) {
        let parts = name.split(separator: "/", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { throw UnusableVector(what: name) }
        switch parts[0] {
        case "anoncreds":
            guard let context = Self.json("\(suites)/anoncreds/context.json"), let objects = AnonCredsObjects(context) else {
                throw UnusableVector(what: "context.json")
            }
            let vector = try AnonCredsVector(Self.vector(parts, suites), objects)
            judge = { (try? vector.verified()) != nil }
        case "trustedkey":
            let vector = try TrustedKeyVector(Self.vector(parts, suites))
            judge = { (try? vector.verified()) != nil }
        case "aries": judge = try Self.opening(parts[1], suites)
        default: throw UnusableVector(what: name)
        }
    }

    /// One judgement of the octets as they came. Ends the program where the vector is not accepted: such a time would be of nothing.
    func run() {
        guard judge() else {
            print("not accepted")
            exit(1)
        }
    }

    private static func json(_ path: String) -> JSONValue? {
        let octets = FileManager.default.contents(atPath: path)
        return octets.flatMap { try? JSONDocument(parsing: [UInt8]($0), limits: JSONLimits(nodes: 1_000_000)).root }
    }

    private static func vector(_ parts: [String], _ suites: String) throws(UnusableVector) -> JSONValue {
        guard let vector = json("\(suites)/\(parts[0])/vectors/\(parts[1]).json") else { throw UnusableVector(what: parts[1]) }
        return vector
    }

    /// A packed presentation, opened with the gate's key.
    private static func opening(_ name: String, _ suites: String) throws(UnusableVector) -> () -> Bool {
        guard let keys = json("\(suites)/aries/envelopes.json"), let packed = json("\(suites)/aries/messages.json")?[name] else {
            throw UnusableVector(what: name)
        }
        let seed = try keys.member("gate").octets("ed25519_seed"), text = packed.stringBytes ?? packed.compact
        return {
            guard let secret = try? Secret(copying: seed.span), let key = try? EnvelopeKey(seed: secret) else { return false }
            do throws(EnvelopeFault) { return try Envelope(parsing: text.span).open(by: key).message.count > 0 } catch { return false }
        }
    }
}
