import AriesTransport
import Cryptography
import DIDComm
import Envelopes
import Foundation
import JSON
import TestSupport
import Testing

@testable import Presentation
@testable import Trust
@testable import Visit

/// A town that is believed, and what one of its residents has proven to another verifier: over eighteen.
enum Town {
    static let id = "did:web:town.example"
    static let resident = id + "/anoncreds/cred-def/resident-2026"
    static let demand = ProofWishes.Predicate("birth_date", .atMost, 20_080_926)

    private static func file(_ name: String) throws -> [String: Any] {
        let data = try #require(FileManager.default.contents(atPath: Repository.root + "/Tests/Support/Vectors/anoncreds/" + name))
        return try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
    }

    private static func octets(_ tree: Any) throws -> [UInt8] {
        [UInt8](try JSONSerialization.data(withJSONObject: tree, options: [.sortedKeys, .withoutEscapingSlashes]))
    }

    /// The request that was answered, and the answer.
    static func vector() throws -> (request: [UInt8], presentation: [UInt8]) {
        let accepted = try #require(try file("vectors.json")["accepted"] as? [[String: Any]])
        let vector = try #require(accepted.first { $0["name"] as? String == "a05_le_birth_date" })
        return (try octets(#require(vector["pres_req"])), try octets(#require(vector["presentation"])))
    }

    /// Residents alone: a definition without revocation, whose points need no look.
    static func store() throws -> TrustStore {
        let context = try file("context.json"), schemaID = id + "/anoncreds/schema/resident-1.2"
        let schema = try #require((context["schemas"] as? [String: [String: Any]])?[schemaID])
        let definition = try #require((context["cred_defs"] as? [String: [String: Any]])?[resident])
        let value = try #require(definition["value"] as? [String: Any])
        let objects = try octets([
            "gatehouse-anoncreds": 1, "schemas": [schema.merging(["id": schemaID]) { old, _ in old }],
            "definitions": [
                definition.filter { ["issuerId", "schemaId", "tag"].contains($0.key) }.merging(value) { old, _ in old }
                    .merging(["id": resident]) { old, _ in old }
            ],
            "registries": [] as [Any], "lists": [] as [Any],
        ])
        let entry = try octets([
            "gatehouse-trust": 1, "ids": [id], "forms": ["anoncreds"], "types": [schemaID], "claims": ["birthDate": ["birth_date"]],
            "anoncreds": ["file": "anoncreds/town.json", "sha256": Hexadecimal.text(try Digest.hash(objects.span, .sha256))],
        ])
        return try TrustStore(
            TrustContents(
                issuers: [.init(name: "issuer.json", bytes: TestIssuer.trust()), .init(name: "town.json", bytes: entry)],
                anoncreds: AnonCredsContents(files: [AnonCredsContents.File(name: "anoncreds/town.json", bytes: objects)])))
    }

    /// Checked once: numbers of two thousand bits take long in a debug build.
    static let believed = Result { try store() }

    static var wishes: ProofWishes {
        var wishes = ProofWishes()
        wishes.leastAge = 18
        return wishes
    }

    static func policy(_ kinds: Set<OfferedKind> = [.aries], _ wishes: ProofWishes = wishes) -> Policy {
        var policy = Policy()
        policy.offer = OfferSettings(kinds)
        policy.proofs = wishes
        return policy
    }
}

/// What a wallet of DIDComm does at a test's gate.
extension TestGate {
    private static var message: UInt16 { AriesService.message }

    /// Connects and subscribes; the invitation comes.
    func meetWallet(mtu: UInt16 = 185) {
        connect(mtu: mtu)
        subscribeToInvitation()
        wait(400)
    }

    func subscribeToInvitation() {
        let handle = AriesService.indicated + 1
        controller.send([0x12, UInt8(handle & 0xFF), UInt8(handle >> 8), 2, 0])
        turn()
    }

    /// The messages that were indicated since, each without its end.
    func takeMessages() -> [String] {
        var messages: [String] = [], octets: [UInt8] = []
        for (handle, value) in takeNotifications() where handle == AriesService.indicated {
            if value == Array("EOM".utf8) {
                messages.append(String(decoding: octets, as: UTF8.self))
                octets = []
            } else {
                octets += value
            }
        }
        return messages
    }

    func send(message octets: [UInt8], mtu: Int = 185, isEnded: Bool = true) {
        for start in stride(from: 0, to: octets.count, by: mtu - 12) {
            writeMessage(Array(octets[start..<min(start + mtu - 12, octets.count)]))
        }
        if isEnded { writeMessage(Array("EOM".utf8)) }
    }

    private func writeMessage(_ value: [UInt8]) {
        controller.send([0x12, UInt8(Self.message & 0xFF), UInt8(Self.message >> 8)] + value)
        turn()
    }

    // MARK: the question

    var recipient: EnvelopeRecipient? {
        switch gate.presentations.aries.question {
        case .some(let question): question.key.recipient
        case .none: nil
        }
    }

    var thread: String {
        switch gate.presentations.aries.question {
        case .some(let question): question.thread.request
        case .none: ""
        }
    }

    /// The nonce of the visit; nil without a question.
    var proofNonce: String? {
        switch gate.presentations.aries.question {
        case .some(let question): (try? JSONDocument(parsing: question.content))?.root["nonce"]?.string
        case .none: nil
        }
    }

    /// The gate has asked what another verifier asked, whom another wallet answered.
    func substituteQuestion() throws {
        let request = try Town.vector().request
        guard let question = gate.presentations.aries.question.take() else { return }
        gate.presentations.aries.question = Self.changed(question, request)
    }

    private static func changed(_ question: consuming AriesQuestion, _ request: [UInt8]) -> AriesQuestion {
        question.substitute(request, [Town.demand])
        return question
    }

    /// An answer to the question of now, in its envelope.
    func answer(_ type: String = "present-proof/2.0/presentation", thread: String? = nil) throws -> [UInt8] {
        let base64 = String(decoding: Base64.encodeStandard(try Town.vector().presentation), as: UTF8.self)
        let message = Array(
            #"{"@type":"https://didcomm.org/\#(type)","@id":"m-1","~thread":{"thid":"\#(thread ?? self.thread)"},"formats":[{"attach_id":"a","format":"anoncreds/proof@v1.0"}],"presentations~attach":[{"@id":"a","data":{"base64":"\#(base64)"}}]}"#
                .utf8)
        return try Envelope.anoncrypt(message.span, for: [#require(recipient)])
    }

    /// Nothing of a proof, or of its question, is in the gate's memory.
    var isProofWiped: Bool {
        gate.storage.proof.allSatisfy { $0 == 0 } && gate.storage.invitation.allSatisfy { $0 == 0 }
            && gate.storage.codeTexts.allSatisfy { $0 == 0 } && gate.presentations.aries.isForgotten
    }
}
