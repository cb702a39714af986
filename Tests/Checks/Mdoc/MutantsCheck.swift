import CBOR
import Envelopes
import JSON
import Mdoc
import TestSupport

/// Responses that are accepted, changed anywhere: none is accepted with anything changed. A mutant that hands over less is accepted, as a
/// holder may hand over less; what nobody signs, the errors, may change.
enum MutantsCheck {
    /// Octets of the longest response that is cut at every place: what that costs grows with the square.
    private static let mostCut = 8192

    static func run(_ file: JSONValue, count: Int, seed: UInt64) -> Int32 {
        guard let cases = file[CasesCheck.member]?.elements else { return 2 }
        var samples: [Sample] = []
        for each in cases {
            guard let input = try? CaseInput(each), let response = try? each["derived"]?.octets("device_response") else { continue }
            if let sample = Sample(input, response) { samples.append(sample) }
        }
        guard !samples.isEmpty else { return 2 }
        var random = SeededRandom(seed: seed), tally = Tally()
        for number in 0..<max(0, count) {
            let sample = samples[number % samples.count]
            let other = samples[Int.random(in: samples.indices, using: &random)].response
            sample.judge(mutant(of: sample.response, with: other, &random), &tally)
        }
        let mutants = tally.mutants
        // Every place of the shortest, with one bit changed; and every length.
        guard let shortest = samples.min(by: { $0.response.count < $1.response.count }) else { return 2 }
        for place in shortest.response.indices {
            var changed = shortest.response
            changed[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            shortest.judge(changed, &tally)
        }
        let places = tally.mutants - mutants
        var readable = 0, lengths = 0
        for sample in samples where sample.response.count <= mostCut {
            for length in sample.response.indices {
                lengths += 1
                if case .undecodable = sample.outcome(Array(sample.response.prefix(length))) { continue }
                readable += 1
            }
        }
        print(
            "mdoc: \(mutants) mutants and \(places) places of \(samples.count) responses, seed \(seed): \(tally.undecodable) undecodable,"
                + " \(tally.faults) with a fault, \(tally.accepted) accepted unchanged, \(tally.changed) accepted changed;"
                + " \(readable) of \(lengths) cut short and readable")
        return tally.changed == 0 && readable == 0 ? 0 : 1
    }

    struct Tally {
        var mutants = 0, undecodable = 0, faults = 0, accepted = 0, changed = 0
    }

    /// One to three changes of a kind that the number says.
    private static func mutant(of response: [UInt8], with other: [UInt8], _ random: inout SeededRandom) -> [UInt8] {
        var octets = response
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            guard !octets.isEmpty else { return octets }
            let place = Int.random(in: octets.indices, using: &random), elsewhere = Int.random(in: octets.indices, using: &random)
            let length = min(Int.random(in: 1...64, using: &random), octets.count - place)
            switch Int.random(in: 0..<8, using: &random) {
            case 0: octets[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 1: octets[place] = UInt8.random(in: 0...255, using: &random)
            case 2: octets.removeSubrange(place..<place + length)
            case 3: octets.insert(contentsOf: random.bytes(min(length, 8)), at: place)
            case 4: octets.swapAt(place, elsewhere)
            case 5: octets.insert(contentsOf: Array(octets[place..<place + length]), at: elsewhere)
            case 6: octets[place] = octets[place] &+ 1
            // What another phone sent at the same place.
            default: octets.replaceSubrange(place..<place + length, with: other.dropFirst(place).prefix(length))
            }
        }
        return octets
    }
}

/// The gate's session of a case, which cannot be copied.
private final class HeldSession {
    let session: ReaderSession

    init(_ session: consuming ReaderSession) {
        self.session = session
    }
}

/// A response that is accepted, and what it says.
private struct Sample {
    let input: CaseInput
    let response: [UInt8]
    private let held: HeldSession
    private let accepted: [Set<String>]

    init?(_ input: CaseInput, _ response: [UInt8]) {
        self.input = input
        self.response = response
        guard let session = input.session() else { return nil }
        held = HeldSession(session)
        guard case .response(let result, _) = input.verify(response, held.session), !result.verified.isEmpty else { return nil }
        accepted = result.verified.map(Self.claims)
    }

    func outcome(_ octets: [UInt8]) -> CaseOutcome { input.verify(octets, held.session) }

    func judge(_ mutant: [UInt8], _ tally: inout MutantsCheck.Tally) {
        tally.mutants += 1
        guard case .response(let result, _) = outcome(mutant) else {
            tally.undecodable += 1
            return
        }
        if result.documents.contains(where: { $0.fault != nil && !$0.claims.isEmpty }) {
            print("\(input.name): claims beside a fault")
            tally.changed += 1
        }
        guard !result.verified.isEmpty else {
            tally.faults += 1
            return
        }
        for document in result.verified {
            let claims = Self.claims(document)
            if accepted.contains(where: { claims.isSubset(of: $0) }) { continue }
            print("\(input.name): accepted with something changed: \(Hexadecimal.text(mutant))")
            tally.changed += 1
            return
        }
        tally.accepted += 1
    }

    /// What the document says, octet for octet.
    private static func claims(_ document: DocumentResult) -> Set<String> {
        var claims: Set<String> = ["docType \(document.docType ?? "")", "dates \(String(describing: document.validity))"]
        for (kind, found) in [("issuer", document.claims), ("device", document.deviceClaims)] {
            for nameSpace in found.nameSpaces {
                for element in nameSpace.elements {
                    claims.insert("\(kind) \(nameSpace.name) \(element.identifier) \(Hexadecimal.text(element.value.source))")
                }
            }
        }
        return claims
    }
}
