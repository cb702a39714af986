import Bluetooth
import DIDComm
import Envelopes
import JSON
import Testing

@testable import Presentation
@testable import Trust

/// What belongs to one visit, and to no other.
@Suite("The question of a visit") struct AriesQuestionTests {
    @Test("nonce, key, service and threads are others in each visit")
    func fresh() throws {
        let desk = ProofDesk(), belief = try ProofSamples.belief()
        var nonces: Set<String> = [], keys: Set<String> = [], threads: Set<String> = [], codes: Set<String> = [],
            services: Set<[UInt64]> = []
        for _ in 0..<20 {
            desk.ask(belief)
            nonces.insert(desk.nonce)
            keys.insert(desk.recipient?.kid ?? "")
            threads.insert(desk.thread)
            codes.insert(desk.code)
            if let service = desk.service { services.insert([service.high, service.low]) }
        }
        #expect([nonces.count, keys.count, threads.count, codes.count, services.count] == [20, 20, 20, 20, 20])
        // 80 random bits as a decimal number.
        #expect(nonces.allSatisfy { text in UInt128(text).map { $0 > 0 && $0 < 1 << 80 && String($0) == text } ?? false })
    }

    @Test("the code and the invitation over the air are one text, and name the key and the service that are on the air")
    func invitation() throws {
        let desk = ProofDesk()
        desk.ask(try ProofSamples.belief())
        let prefix = "didcomm://invite?oob="
        #expect(desk.code.hasPrefix(prefix) && desk.code.utf8.count <= Invitation.longestAddress)
        let text = try #require(Base64.decode(String(desk.code.dropFirst(prefix.count))))
        #expect(desk.withQuestion { $0.invitation } == text)
        let root = try JSONDocument(parsing: text).root
        let service = try #require(root["services"]?.elements.map(Array.init)?.first)
        #expect(service["recipientKeys"]?.elements.map(Array.init)?.first?.string == desk.recipient?.didKey)
        #expect(service["serviceEndpoint"]?.string?.hasPrefix("ble://") == true)
        #expect(root["label"]?.string == "Gatehouse")
    }

    @Test("every item is restricted to definitions of the bundle")
    func restrictions() throws {
        var wishes = ProofDesk.adult
        wishes.attributes = ["Full Name"]
        wishes.predicates = [.init("floor", .atLeast, -3)]
        // All that is more than a code has room for.
        wishes.service = .fixed
        let desk = ProofDesk(wishes)
        desk.ask(try ProofSamples.belief([ProofSamples.definition(expiry: "Years")]))
        let request = try #require(desk.request)
        var items: [JSONValue] = []
        for name in ["requested_attributes", "requested_predicates"] {
            items += (request[name]?.members.map(Array.init) ?? []).map(\.value)
        }
        #expect(items.count == 4)
        for item in items {
            let restrictions = item["restrictions"]?.elements.map(Array.init) ?? []
            #expect(restrictions.map { $0["cred_def_id"]?.string } == [ProofSamples.resident])
        }
        #expect(request["requested_predicates"]?["expiry"]?["p_value"]?.int64 == 20_260_924)
        #expect(request["requested_predicates"]?["age"]?["p_value"]?.int64 == 20_080_924)
    }

    @Test("a day begins by the site's clock")
    func day() {
        // 2026-09-24T15:13:20Z
        #expect(AriesQuestion.day(ProofSamples.now, zone: 0) == 20_260_924)
        #expect(AriesQuestion.day(ProofSamples.now, zone: 8 * 3600) == 20_260_924)
        #expect(AriesQuestion.day(ProofSamples.now, zone: 9 * 3600) == 20_260_925)
        #expect(AriesQuestion.day(.max, zone: 1) == nil)
        #expect(AriesQuestion.dayCount(ProofSamples.now, zone: 9 * 3600) == AriesQuestion.dayCount(ProofSamples.grownUp, zone: -1))
        #expect(AriesQuestion.dayCount(0, zone: 0) == 0 && AriesQuestion.dayCount(0, zone: -1) == -1)
        #expect(AriesQuestion.dayCount(86_400, zone: -1) == 0 && AriesQuestion.dayCount(.max, zone: 1) == nil)
    }

    @Test("what is too long for a code is said; the service that wallets know needs none")
    func length() throws {
        let many = (0..<8).map { ProofSamples.definition("did:web:a-town-with-a-long-name.example/anoncreds/cred-def/resident-\($0)") }
        let desk = ProofDesk()
        desk.ask(try ProofSamples.belief(many))
        guard case .codeTooLong(let count) = desk.obstacle else { return #expect(Bool(false), "\(String(describing: desk.obstacle))") }
        #expect(count > Invitation.longestAddress && desk.isWiped)
        var wishes = ProofDesk.adult
        wishes.service = .fixed
        let known = ProofDesk(wishes)
        known.ask(try ProofSamples.belief(many))
        #expect(known.code == "ble://d2f195b6-2e80-4ab0-be24-32ebe761352f" && known.obstacle == nil)
    }
}
