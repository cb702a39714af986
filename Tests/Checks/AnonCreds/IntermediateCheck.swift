import AnonCreds
import JSON
import ProofVectors
import TestSupport

/// `intermediate.json`: every tau, commitment and exponent of some vectors.
enum IntermediateCheck {
    /// Prints a line, and every value that differs before it. Returns how many differ.
    static func run(_ file: JSONValue, _ vectors: [String: JSONValue], _ objects: AnonCredsObjects) -> Int {
        var tally = Tally("intermediate.json")
        guard let members = file["vectors"]?.members else { return tally.finish() }
        for member in members {
            guard let vector = vectors[member.name].flatMap({ try? AnonCredsVector($0, objects) }),
                let trace = try? vector.verifier.trace(vector.presentation.span, for: vector.request, now: vector.now)
            else {
                tally.compare(member.name, false)
                continue
            }
            tally.compare("\(member.name) nonce_octets", trace.nonce, Values.hex(member.value["nonce_octets"]))
            tally.compare("\(member.name) challenge_given", trace.given, number(member.value["challenge_given"]))
            tally.compare("\(member.name) challenge_computed", trace.computed, number(member.value["challenge_computed"]))
            let subProofs: [JSONValue] = member.value["sub_proofs"]?.elements.map { Array($0) } ?? []
            tally.compare("\(member.name) sub_proofs", subProofs.count == trace.subProofs.count)
            for (index, (expected, found)) in zip(subProofs, trace.subProofs).enumerated() {
                let name = "\(member.name) \(index)"
                compare("\(name) taus", expected["taus"], found.taus, &tally)
                compare("\(name) commitments", expected["commitments"], found.commitments, &tally)
                compare("\(name) revocation_taus", expected["revocation_taus"], found.revocationTaus, &tally)
                compare("\(name) revocation_commitments", expected["revocation_commitments"], found.revocationCommitments, &tally)
                tally.compare("\(name) exponent_of_a_prime", found.exponent, number(expected["exponent_of_a_prime"]))
            }
        }
        return tally.finish()
    }

    private static func compare(_ name: String, _ expected: JSONValue?, _ found: [[UInt8]], _ tally: inout Tally) {
        let expected: [JSONValue] = expected?.elements.map { Array($0) } ?? []
        if expected.count != found.count { tally.compare("\(name): \(found.count) of \(expected.count)", false) }
        for (index, (expected, found)) in zip(expected, found).enumerated() { tally.compare("\(name) \(index)", found, number(expected)) }
    }

    /// Digits may be odd in number.
    private static func number(_ value: JSONValue?) -> [UInt8] {
        guard let text = value?.string else { return [] }
        return Hex.decode((text.utf8.count % 2 == 0 ? text : "0" + text).utf8) ?? []
    }
}
