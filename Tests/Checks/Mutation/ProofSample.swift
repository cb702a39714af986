import AnonCreds
import Foundation
import JSON
import ProofVectors
import TestSupport
import TrustedKeyWallet

/// An accepted proof of one of the two kinds: an AnonCreds presentation, or an answer of a Trusted Key wallet.
struct ProofSample: Sendable {
    let name: String
    let message: [UInt8]
    /// AnonCreds: the presentation, its proof values opened. Nil for an answer.
    let tree: Tree?
    /// All that is believed of an accepted message, a line each; the reason where it is refused.
    let judge: @Sendable ([UInt8]) -> Result<[String], Refusal>
    let original: [String]

    struct Refusal: Error {
        let reason: String
    }

    /// Throws where the sample itself is not accepted.
    private init(
        _ name: String, _ message: [UInt8], isPresentation: Bool, _ judge: @escaping @Sendable ([UInt8]) -> Result<[String], Refusal>
    ) throws {
        self.name = name
        self.judge = judge
        tree = isPresentation ? Tree(parsing: message)?.opened : nil
        self.message = message
        switch judge(message) {
        case .success(let lines): original = lines
        case .failure(let refusal): throw CheckFailed(reason: "\(name) is not accepted: \(refusal.reason)")
        }
        guard let tree, let again = try? judge(tree.closed.octets).get(), again == original else {
            if isPresentation { throw CheckFailed(reason: "\(name) written again is not accepted") }
            return
        }
    }

    // MARK: the suites' vectors

    /// Those that have to be accepted; nil where the suites are not there.
    static func all() throws -> [ProofSample]? {
        guard let context = json("anoncreds/context.json"), let objects = AnonCredsObjects(context) else { return nil }
        var samples: [ProofSample] = []
        for (file, vector) in vectors("anoncreds") {
            do throws(UnusableVector) {
                let vector = try AnonCredsVector(vector, objects)
                samples.append(try presentation(vector))
            } catch { throw CheckFailed(reason: "\(file): \(error.what)") }
        }
        for (file, vector) in vectors("trustedkey") {
            do throws(UnusableVector) {
                samples.append(try answer(file, TrustedKeyVector(vector)))
            } catch { throw CheckFailed(reason: "\(file): \(error.what)") }
        }
        return samples
    }

    private static func json(_ name: String) -> JSONValue? {
        let octets = FileManager.default.contents(atPath: "\(Repository.suites)/\(name)")
        return octets.flatMap { try? JSONDocument(parsing: [UInt8]($0), limits: JSONLimits(nodes: 1_000_000)).root }
    }

    private static func vectors(_ folder: String) -> [(String, JSONValue)] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "\(Repository.suites)/\(folder)/vectors")) ?? []
        return names.sorted().compactMap { name in
            json("\(folder)/vectors/\(name)").flatMap { $0["expect"]?.isString("accept") == true ? (name, $0) : nil }
        }
    }

    // MARK: what is believed

    private static func presentation(_ vector: AnonCredsVector) throws(UnusableVector) -> ProofSample {
        let sample = try? ProofSample(vector.name, vector.presentation, isPresentation: true) { message in
            do throws(PresentationReason) { return .success(lines(try vector.verified(message))) } catch {
                return .failure(Refusal(reason: error.rawValue))
            }
        }
        guard let sample else { throw UnusableVector(what: "not accepted as it is, or not written again") }
        return sample
    }

    /// Self-attested texts are not among them: no proof covers them, and they are shown as what they are (anoncreds.md section 11).
    private static func lines(_ verified: VerifiedPresentation) -> [String] {
        var lines: [String] = []
        for (index, credential) in verified.credentials.enumerated() {
            lines += [
                "\(index) issuer \(credential.issuerID)", "\(index) schema \(credential.schemaID)",
                "\(index) schema's name \(credential.schemaName) \(credential.schemaVersion)",
                "\(index) definition \(credential.definitionID)",
                "\(index) revocation \(credential.revocation)",
            ]
            lines += credential.revealed.map { "\(index) \($0.name) = \(proven($0.raw))" }
            lines += credential.predicates.map { "\(index) \($0.text)" }
        }
        lines += verified.places.map { "\($0.key) is answered by \($0.value)" }.sorted()
        lines += verified.selfAttested.keys.map { "\($0) is said" }.sorted()
        return lines + verified.notes.map { "note \($0.rawValue)" }
    }

    /// What is proven of a text: of digits whose value fits 32 bits the value, so that `044` is `44` (anoncreds.md section 3); of any other
    /// its octets, as `==` of String also takes equivalent texts for one.
    private static func proven(_ raw: String) -> String {
        let digits = raw.hasPrefix("+") || raw.hasPrefix("-") ? raw.dropFirst() : raw[...]
        let isNumber = !digits.isEmpty && digits.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
        return isNumber ? Int32(raw).map { "number \($0)" } ?? Hex.text(Array(raw.utf8)) : Hex.text(Array(raw.utf8))
    }

    private static func answer(_ file: String, _ vector: TrustedKeyVector) throws(UnusableVector) -> ProofSample {
        let sample = try? ProofSample("tk " + file.replacing(".json", with: ""), vector.answer.octets, isPresentation: false) { message in
            do throws(TrustedKeyFault) { return .success(lines(try vector.verified(vector.answer.with(message)))) } catch {
                return .failure(Refusal(reason: error.rawValue))
            }
        }
        guard let sample else { throw UnusableVector(what: "not accepted as it is") }
        return sample
    }

    private static func lines(_ verified: VerifiedTrustedKey) -> [String] {
        let claims = verified.claims.map { claim in
            let source = claim.source.map { source in
                let texts = [source.type, source.claimClass, source.levelOfAssurance].map { $0.map { Hex.text(Array($0.utf8)) } ?? "-" }
                return "root \(source.root) \(texts.joined(separator: " ")) \(source.validity)"
            }
            return "\(claim.object.identifier) = \(Hex.text(Array(claim.value.utf8))) of \(source ?? "the key")"
        }
        return claims + [
            "address \(verified.address.text)", "subject \(verified.subject)", "issuer \(verified.issuer ?? "-")",
            "until \(verified.validUntil.map { "\($0)" } ?? "-")",
        ]
    }
}
