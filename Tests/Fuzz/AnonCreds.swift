import TestSupport

@testable import AnonCreds

/// What a wallet sends before anything of it is known: the first octet says whether the rest is a presentation, one value of MessagePack,
/// the text of a point, or a presentation to a request of the vectors, which is judged as far as it goes without algebra.
func fuzzAnonCreds(_ octets: UnsafeBufferPointer<UInt8>) {
    guard let mode = octets.first else { return }
    let rest = Array(octets.dropFirst())
    switch mode % 4 {
    case 0:
        guard let presentation = try? ReceivedPresentation(rest.span, nonce: "1") else { return }
        require(presentation.subProofs.count == presentation.identifiers.count, "one identifier for each sub-proof")
        require(1...Limits.subProofs ~= presentation.subProofs.count, "no more sub-proofs than there may be")
        require(presentation.aggregated.commitments.allSatisfy { $0.count <= Limits.commitmentOctets }, "commitments are bounded")
    case 1:
        guard let value = try? MessagePackValue(parsing: rest) else { return }
        require(value.octets.map { $0.count < rest.count } ?? true, "an array takes more octets than it has")
        if let proof = try? SubProof(value) { require(proof.predicates.count <= Limits.predicates, "predicates are bounded") }
    case 2:
        if let point = PointText.g1(rest) { require(PointOctets.g1(PointOctets.octets(point)) == point, "a point of G1 is on its curve") }
        if let point = PointText.g2(rest) { require(PointOctets.g2(PointOctets.octets(point)) == point, "a point of G2 is in its group") }
    default: Asked.all[Int(mode / 4) % Asked.all.count].judge(rest)
    }
}

/// A request of the vectors, with what the gate needs for its answers.
private struct Asked {
    let name: String
    let vector: Vector
    let request: PresentationRequest
    let verifier: AnonCredsVerifier

    nonisolated(unsafe) static let all: [Asked] = {
        // None with restrictions: pointers to what is in an indirect enumeration carry other bits, and the sanitizer does not find them.
        let names = ["a01_revealed", "a03_ge_equal", "a15_not_revoked_by_item", "w01_revealed_le", "w05_not_revoked"]
        do {
            return try names.map { name in
                let vector = Vectors.vector(name)
                return Asked(name: name, vector: vector, request: try vector.request(), verifier: try vector.verifier())
            }
        } catch {
            fatalError("\(error)")
        }
    }()

    /// The visit is over before the algebra begins, which takes too long here: nothing is accepted, and nothing traps.
    func judge(_ presentation: [UInt8]) {
        do throws(PresentationReason) {
            _ = try verifier.verify(presentation.span, for: request, now: vector.now, hasEnded: { true })
            require(false, "without algebra nothing is accepted")
        } catch {
            require(error != .unavailable, "libcrypto works")
            require(error != .proofInvalid, "without algebra no proof is judged")
        }
    }
}

let anonCredsSeeds: [[UInt8]] = {
    let empty = #"{"proof":{"proofs":[],"aggregated_proof":{"c_hash":"1","c_list":[[1,2]]}},"requested_proof":{},"identifiers":[]}"#
    let texts = [
        "1 0A8C3DC3884B13F3D1DFBDA66A2B1D88E9A5EB 1 00 1 1",
        "1 24B407BECC62573C5727D0D653F88CFE294712CC 2 1 1 1 1 1 1 1 1 1",
    ]
    let equality = Hex.bytes("81ad7072696d6172795f70726f6f66 82a865715f70726f6f66 80 a967655f70726f6f6673 90")
    // In steps: in one expression they are too much for the type checker.
    var seeds: [[UInt8]] = [[0] + Array(empty.utf8), [1] + equality]
    for text in texts { seeds.append([2] + Array(text.utf8)) }
    for (index, asked) in Asked.all.enumerated() {
        let presentation = asked.vector.presentation
        seeds.append([0] + presentation)
        seeds.append([3 + 4 * UInt8(index)] + presentation)
    }
    return seeds
}()
