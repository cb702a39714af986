import Foundation
import TestSupport
import Testing

@testable import AnonCreds

/// Presentations that were changed by somebody who knows the format: none is accepted with anything changed, and none traps.
struct HostileTests {
    private static var proof: [Any] { ["presentation", "proof", "proofs", 0] }

    @Test(arguments: ["a01_revealed", "w02_group"]) func noPartOfAPresentationIsOne(_ name: String) throws {
        let vector = Vectors.vector(name), whole = vector.presentation, request = try vector.request()
        let verifier = AnonCredsVerifier(context: try TestBundle.context(of: vector))
        for length in stride(from: 0, to: whole.count, by: 7) {
            let part = Array(whole.prefix(length))
            #expect(throws: PresentationReason.presentationMalformed) { try verifier.verify(part.span, for: request, now: vector.now) }
        }
    }

    @Test(arguments: ["a02_revealed_unrevealed_ge", "a14_not_revoked", "w05_not_revoked"])
    func otherTypesAreMalformed(_ name: String) throws {
        let vector = Vectors.vector(name), verifier = try vector.verifier()
        for path in vector.leaves(below: ["presentation"]) {
            for value in [5, true, [Any](), [String: Any](), "", -1] as [Any] {
                // The mark of a predicate is the one value that is true.
                if value as? Bool == true, vector.value(path) as? Bool == true { continue }
                var changed = vector
                changed.set(path, value)
                let found = try changed.reasonFound(by: verifier, hasEnded: { true })
                let isFree = Self.isFree(path, isRevocable: name.hasSuffix("not_revoked"))
                #expect(found != nil || isFree, "\(path) \(value)")
                // A verdict of the algebra would be deadlinePassed here.
                if found == .deadlinePassed { #expect(isFree, "\(path) \(value)") }
            }
        }
    }

    /// What no proof covers and nobody uses (anoncreds.md section 11).
    private static func isFree(_ path: [Any], isRevocable: Bool) -> Bool {
        let names = path.compactMap { $0 as? String }
        return names.contains("@context") || names.contains("issuanceDate") || names.contains("type") || names.last == "id"
            || (names.contains("proof") && names.last == "verificationMethod" && !names.contains("verifiableCredential"))
            // Of a sub-proof without a proof of non-revocation.
            || (!isRevocable && ["timestamp", "rev_reg_id"].contains(names.last))
    }

    @Test func hostileNumbersAreRefused() throws {
        let vector = Vectors.vector("a02_revealed_unrevealed_ge"), verifier = try vector.verifier()
        let equality = Self.proof + ["primary_proof", "eq_proof"], ge = Self.proof + ["primary_proof", "ge_proofs", 0]
        let paths: [[Any]] = [
            equality + ["a_prime"], equality + ["e"], equality + ["v"], equality + ["m2"], equality + ["m", "master_secret"], ge + ["mj"],
            ge + ["alpha"], ge + ["u", "0"], ge + ["r", "DELTA"], ge + ["t", "DELTA"],
            ["presentation", "proof", "aggregated_proof", "c_hash"],
        ]
        for path in paths {
            for text in ["-1", "00", "1e5", "0x1", String(repeating: "9", count: 1201), "١", " 1", "NaN", ""] {
                var changed = vector
                changed.set(path, text)
                #expect(try changed.reasonFound(by: verifier) == .presentationMalformed, "\(path) \(text)")
            }
            for text in ["0", "1", String(repeating: "9", count: 1200)] {
                var changed = vector
                changed.set(path, text)
                #expect(try changed.reasonFound(by: verifier) != nil, "\(path) \(text.prefix(9))")
            }
        }
    }

    @Test func everyNumberCounts() throws {
        let vector = Vectors.vector("a01_revealed")
        for path in vector.leaves(below: Self.proof) + vector.leaves(below: ["presentation", "requested_proof"]) {
            guard let text = vector.value(path) as? String, let last = text.last else { continue }
            var changed = vector
            changed.set(path, String(text.dropLast()) + (last == "1" ? "2" : "1"))
            #expect(try changed.reasonFound() != nil, "\(path)")
        }
    }

    @Test func pointsOutsideTheSubgroupAreMalformed() throws {
        let file = Vectors.file("pairing.json")["outside_subgroup"]
        let elements = (file?["x"]?.texts ?? []) + (file?["y"]?.texts ?? [])
        try #require(elements.count == 4)
        let text = try (elements.map { try Self.text($0) } + [Self.text("01"), "1 0"]).joined(separator: " ")
        for name in ["w", "s", "u"] {
            var changed = Vectors.vector("a14_not_revoked")
            changed.set(Self.proof + ["non_revoc_proof", "c_list", name], text)
            #expect(try changed.reasonFound() == .presentationMalformed)
        }
    }

    /// A number as AMCL's text: times 2^280 modulo p, by doubling.
    private static func text(_ hex: String) throws -> String {
        let octets = try #require(Hex.decode(hex.utf8))
        var value = try #require(Limbs(bigEndian: octets.span).flatMap { Fp(number: $0) })
        for _ in 0..<280 { value = value + value }
        var written: [UInt8] = []
        value.number.appendBigEndian(to: &written)
        return "1 " + Hex.text(written, uppercase: true)
    }

    @Test func theTextOfAPointIsTheOneThatIsTestedWith() throws {
        let x = try #require(Vectors.file("pairing.json")["g1"]?["x"]?.string),
            y = try #require(Vectors.file("pairing.json")["g1"]?["y"]?.string)
        let text = try [Self.text(x), Self.text(y), Self.text("01")].joined(separator: " ")
        #expect(CurveCalculation.g1(text: text) != nil)
    }

    @Test func aRegistryOfAnotherIssuerProvesNothing() throws {
        let vector = Vectors.vector("a14_not_revoked"), presentation = vector.presentation
        var registry = try #require(TestBundle.registries(vector.document("rev_reg_defs")).first)
        // Another element of order r.
        registry = RevocationRegistry(id: registry.id, definitionID: registry.definitionID, z: registry.z * registry.z)
        let context = try AnonCredsContext(
            schemas: TestBundle.schemas, definitions: TestBundle.definitions, registries: [registry],
            lists: TestBundle.lists(vector.document("rev_status_lists")), statusPolicy: TestBundle.anyAge)
        #expect(throws: PresentationReason.revocationProofInvalid) {
            try AnonCredsVerifier(context: context).verify(presentation.span, for: vector.request(), now: vector.now)
        }
    }

    @Test func aProofOfNonRevocationThatNobodyAskedForIsVerifiedAllTheSame() throws {
        var vector = Vectors.vector("a14_not_revoked")
        vector.set(["pres_req", "non_revoked"], nil)
        #expect(try vector.verified().credentials.first?.revocation == .notRevoked(at: 1_790_259_200))
        var changed = vector
        changed.set(["presentation", "identifiers", 0, "timestamp"], 1_790_172_800)
        #expect(try changed.reasonFound() == .revocationProofInvalid)
        changed = vector
        changed.set(["presentation", "identifiers", 0, "rev_reg_id"], NSNull())
        #expect(try changed.reasonFound() == .revocationProofMissing)
        // No definition without keys can have proven it.
        changed = Vectors.vector("a02_revealed_unrevealed_ge")
        changed.set(Self.proof + ["non_revoc_proof"], vector.value(Self.proof + ["non_revoc_proof"]))
        #expect(try changed.reasonFound() == .revocationProofInvalid)
    }

    /// Of digits only the number is signed (anoncreds.md section 3): how it is written is the wallet's affair, and what it is is not.
    @Test func digitsAreSignedAsTheirNumber() throws {
        let vector = Vectors.vector("a01_revealed"), verifier = try vector.verifier()
        let path: [Any] = ["presentation", "requested_proof", "revealed_attrs", "d", "raw"]
        for (raw, isAccepted) in [
            ("007421", true), ("7421", true), ("+7421", true), ("7422", false), ("-7421", false), ("7421 ", false), ("7421.0", false),
            ("٧٤٢١", false), ("", false),
        ] {
            var changed = vector
            changed.set(path, raw)
            #expect(try changed.reasonFound(by: verifier) == (isAccepted ? nil : .valueMismatch), "\(raw)")
        }
    }

    @Test func morePredicatesThanMayBeAreMalformed() throws {
        var vector = Vectors.vector("a02_revealed_unrevealed_ge")
        let path = Self.proof + ["primary_proof", "ge_proofs"]
        let one = try #require(vector.value(path + [0]))
        vector.set(path, Array(repeating: one, count: 17))
        #expect(try vector.reasonFound() == .presentationMalformed)
        vector.set(path, Array(repeating: one, count: 2))
        #expect(try vector.reasonFound() == .predicateMismatch)
    }

    @Test func tooManyOctetsAreNotRead() throws {
        var vector = Vectors.vector("a01_revealed")
        vector.set(["presentation", "note"], String(repeating: "x", count: Limits.message))
        #expect(try vector.reasonFound() == .messageTooLarge)
    }

    @Test func octetsAtRandomNeverTrap() throws {
        let vector = Vectors.vector("w02_group"), whole = vector.presentation, request = try vector.request()
        let verifier = AnonCredsVerifier(context: try TestBundle.context(of: vector))
        var random = SeededRandom(seed: 1)
        for _ in 0..<2000 {
            var changed = whole
            for _ in 0...random.next() % 3 { changed[Int(random.next() % UInt64(whole.count))] = UInt8(truncatingIfNeeded: random.next()) }
            guard changed != whole else { continue }
            _ = try? verifier.verify(changed.span, for: request, now: vector.now, hasEnded: { true })
        }
    }
}
