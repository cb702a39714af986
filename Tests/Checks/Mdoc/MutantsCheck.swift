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
        let samples = MutantSample.all(of: file)
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
        let signed = signedPlaces(samples, shortest, count: max(0, count), &random)
        var circumstances = CircumstancesCheck()
        circumstances.run(samples, &random)
        let cuts = cuts(samples)
        print(
            "mdoc: \(mutants) mutants and \(places) places of \(samples.count) responses, seed \(seed): \(tally.undecodable) undecodable,"
                + " \(tally.faults) with a fault, \(tally.accepted) accepted unchanged, \(tally.changed) accepted changed;"
                + " \(cuts.readable) of \(cuts.count) cut short and readable;"
                + " \(signed.accepted) of \(signed.count) accepted with a signed octet changed;"
                + " \(circumstances.accepted) of \(circumstances.count) accepted where they must not be")
        return tally.changed + cuts.readable + signed.accepted + circumstances.accepted == 0 ? 0 : 1
    }

    /// Every length of the responses that are not too long for that.
    private static func cuts(_ samples: [MutantSample]) -> (count: Int, readable: Int) {
        var count = 0, readable = 0
        for sample in samples where sample.response.count <= mostCut {
            for length in sample.response.indices {
                count += 1
                if case .undecodable = sample.outcome(Array(sample.response.prefix(length))) { continue }
                readable += 1
            }
        }
        return (count, readable)
    }

    /// One bit of an octet that somebody has signed, which says more than a claim does: of the shortest response at every place, of all of
    /// them at `count` places.
    private static func signedPlaces(
        _ samples: [MutantSample], _ shortest: MutantSample, count: Int, _ random: inout SeededRandom
    ) -> (count: Int, accepted: Int) {
        var all = 0, accepted = 0
        for document in shortest.verified {
            let places = Array(shortest.parts[document].signed.joined())
            all += places.count
            for place in places where isAccepted(shortest, document, changedAt: place, &random) { accepted += 1 }
        }
        for number in 0..<count {
            let sample = samples[number % samples.count], document = sample.verified.randomElement(using: &random) ?? 0
            // A part first, so that a portrait is no more likely than a signature.
            guard let place = sample.parts[document].signed.randomElement(using: &random)?.randomElement(using: &random) else { continue }
            all += 1
            if isAccepted(sample, document, changedAt: place, &random) { accepted += 1 }
        }
        return (all, accepted)
    }

    // Swift 6.3.1 crashes on a release build of the loops that call it where it is part of them.
    @inline(never)
    private static func isAccepted(
        _ sample: MutantSample, _ document: Int, changedAt place: Int, _ random: inout SeededRandom
    ) -> Bool {
        var changed = sample.response
        changed[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        guard sample.isAccepted(document, in: changed) else { return false }
        print("\(sample.input.name): document \(document) accepted with its octet \(place) changed, which is signed")
        return true
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
