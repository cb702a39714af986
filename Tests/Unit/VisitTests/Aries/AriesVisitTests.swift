import Bluetooth
import DIDComm
import Testing

@testable import Presentation
@testable import Visit

/// Visits by wallets that are asked for a proof, with the gate around them.
@Suite("Proofs at a gate") struct AriesVisitTests {
    private func makeGate(_ policy: Policy = Town.policy()) throws -> TestGate {
        try TestGate(policy: policy, store: try Town.believed.get())
    }

    @Test("invited, answered, accepted; and the same answer is none for the next visit")
    func accepted() throws {
        let test = try makeGate()
        #expect(test.light == .ready && test.sign == .scan && test.uri.hasPrefix("didcomm://invite?oob="))
        test.meetWallet()
        let invitation = try #require(test.takeMessages().first)
        #expect(invitation.contains("out-of-band/1.1/invitation") && test.sign == .approve(percent: 0))
        try test.substituteQuestion()
        let answer = try test.answer(), nonce = test.proofNonce
        test.send(message: Array(answer.prefix(400)), isEnded: false)
        guard case .receiving = test.sign else { return #expect(Bool(false), "\(test.sign)") }
        test.send(message: Array(answer.dropFirst(400)))
        test.wait(60)
        #expect(test.outcomes == [.accepted] && test.light == .accept && test.verdicts == [true])
        let record = try #require(test.records.first)
        #expect(record.presentation == .aries && record.form == .anoncreds && record.issuer == Town.id && record.binding == .linkSecret)
        #expect(record.proven?.definition == Town.resident && record.proven?.statements == ["birth_date <= 20080926"])
        #expect(record.notes == ["holder-bound-link-secret", "never-expires", "same-credential", "holder-not-bound"])
        #expect(record.mtu == 185 && record.chunks > 10 && record.sizeClass != nil)
        test.wait(100)
        #expect(test.takeMessages().map { $0.contains(#""status":"OK""#) } == [true])
        test.leave()
        #expect(test.proofNonce != nil && test.proofNonce != nonce)
        test.wait(4000)
        test.meetWallet()
        test.send(message: answer)
        test.wait(60)
        #expect(test.outcomes == [.accepted, .rejected] && test.records.last?.reasons.map(\.code) == ["envelope-not-for-us"])
        // Noise under what is on the air turns no red light.
        #expect(!test.lights.dropFirst().suffix(1).contains(.accept) && test.verdicts == [true])
    }

    @Test(
        "what is no proof has its code, the wallet a coarse one, and nobody a verdict",
        arguments: [
            ("present-proof/2.0/presentation", "another", "thread-unknown"), ("trust_ping/1.0/ping", nil, "message-type-unsupported"),
        ] as [(String, String?, String)])
    func refused(type: String, thread: String?, code: String) throws {
        let test = try makeGate()
        test.meetWallet()
        _ = test.takeMessages()
        test.send(message: try test.answer(type, thread: thread))
        test.wait(200)
        #expect(test.records.map { $0.reasons.map(\.code) } == [[code]] && test.verdicts == [])
        #expect(test.takeMessages().map { $0.contains(#""code":"malformed""#) && !$0.contains(code) } == [true])
        test.leave()
        test.wait(3000)
        #expect(test.light == .ready)
        test.expectNoAccept()
    }

    @Test("a proof of something else than was asked is refused, and its wallet told no more")
    func rejected() throws {
        let test = try makeGate()
        test.meetWallet()
        _ = test.takeMessages()
        // Another visit's presentation: the request is this one's.
        test.send(message: try test.answer())
        test.wait(200)
        #expect(test.outcomes == [.rejected] && test.light == .reject && test.verdicts == [false])
        #expect(test.takeMessages().map { $0.contains(#""code":"rejected""#) } == [true])
        #expect(test.records.first?.proven?.definition == nil && test.records.first?.binding == nil)
        test.expectNoAccept()
    }

    @Test("a holder who does not want to gets no answer, and one who leaves has a record; both are asked anew")
    func left() throws {
        let test = try makeGate()
        var nonces: Set<String> = []
        test.meetWallet()
        if let nonce = test.proofNonce { nonces.insert(nonce) }
        _ = test.takeMessages()
        test.send(message: try test.answer("present-proof/2.0/problem-report"))
        test.wait(3000)
        #expect(test.takeMessages() == [] && !test.isConnected)
        test.meetWallet()
        if let nonce = test.proofNonce { nonces.insert(nonce) }
        test.leave()
        if let nonce = test.proofNonce { nonces.insert(nonce) }
        #expect(test.outcomes == [.left, .left] && test.records.map(\.failure) == ["declined", "vanished"] && nonces.count == 3)
        test.expectNoAccept()
    }

    @Test("who only connects takes nothing from the offer")
    func released() throws {
        let test = try makeGate()
        let uri = test.uri, nonce = test.proofNonce
        test.connect(mtu: 185)
        test.leave()
        #expect(test.records.isEmpty && test.uri == uri && test.proofNonce == nonce && test.controller.isAdvertising)
        test.connect(mtu: 185)
        test.wait(31_000)
        #expect(!test.isConnected && test.records.isEmpty && test.uri == uri)
    }

    @Test("beside Tuvali: either may come, the code of each has its turn, and whoever commits ends the other's")
    func beside() throws {
        let test = try makeGate(Town.policy([.tuvali, .aries]))
        #expect(test.uri.hasPrefix("OPENID4VP://"))
        test.wait(8_000)
        #expect(test.uri.hasPrefix("didcomm://"))
        test.wait(8_000)
        #expect(test.uri.hasPrefix("OPENID4VP://"))
        try test.goodVisit(upTo: .identified)
        #expect(test.proofNonce == nil && test.recipient == nil)
        test.leave()
        #expect(test.outcomes == [.left] && test.proofNonce != nil)
        test.meetWallet()
        #expect(test.takeMessages().count == 1)
        try test.substituteQuestion()
        test.send(message: try test.answer())
        test.wait(60)
        #expect(test.outcomes == [.left, .accepted])
        test.wait(3000)
        test.leave()
        test.wait(4000)
        while !test.uri.hasPrefix("OPENID4VP://") { test.wait(8_000) }
        try test.goodVisit()
        test.wait(60)
        #expect(test.outcomes == [.left, .accepted, .accepted] && test.records.last?.binding == HolderBinding.none)
    }

    @Test("where others are believed another question is asked; where nobody is, none")
    func trust() throws {
        let test = try makeGate()
        let nonce = test.proofNonce
        test.gate.believe(.nobody)
        test.turn()
        #expect(test.proofNonce == nil && test.uri == "" && test.gate.proofObstacle == .nobodyBelieved && !test.controller.isAdvertising)
        test.gate.believe(try Town.believed.get())
        test.turn()
        #expect(test.proofNonce != nil && test.proofNonce != nonce && test.gate.proofObstacle == nil && test.controller.isAdvertising)
    }

    @Test("a message that is posted is judged as one that came by radio, and whoever posted is told")
    func posted() throws {
        var wishes = Town.wishes
        wishes.endpoint = "http://192.168.7.1/didcomm"
        let test = try makeGate(Town.policy([.tuvali, .aries], wishes))
        #expect(test.post(Array("{}".utf8)) == .unopened(.envelopeMissing) && test.records.isEmpty)
        try test.substituteQuestion()
        let answer = try test.answer()
        #expect(test.post(answer) == .taken && test.post(answer) == .nobodyAsked)
        test.wait(60)
        #expect(test.outcomes == [.accepted] && test.records.first?.proven?.isPosted == true)
        #expect(test.takePostReply() == .taken)
        #expect(test.post(answer) == .unopened(.envelopeNotForUs) && test.gate.posts.unopened == 2)
        test.wait(4000)
        try test.goodVisit()
        test.wait(60)
        #expect(test.outcomes == [.accepted, .accepted])
    }

    @Test("a day that ends between question and verdict: what was proven has to be enough for the next; and idle gates ask anew")
    func midnight() throws {
        // The 26th of September 2026, on which whoever was born on that day is eighteen.
        for (wall, isEnough) in [(1_790_380_800, true), (1_790_380_799, false)] as [(Int64, Bool)] {
            let test = try makeGate()
            test.meetWallet()
            _ = test.takeMessages()
            try test.substituteQuestion()
            test.send(message: try test.answer())
            // Somebody sets the clock.
            test.setClock(wall)
            test.wait(200)
            #expect(test.outcomes == [isEnough ? .accepted : .rejected])
            guard !isEnough else { continue }
            let record = try #require(test.records.first)
            #expect(record.reasons == [.proof(.dayPassed)] && record.issuer == Town.id && record.proven?.definition == Town.resident)
            #expect(test.takeMessages().map { $0.contains(#""code":"expired""#) } == [true])
        }
        let test = try makeGate()
        let nonce = test.proofNonce, uri = test.uri
        // TestIssuer.now is at eight in the morning.
        test.setClock(TestIssuer.now + 57_599)
        test.turn()
        #expect(test.proofNonce == nonce && test.uri == uri)
        test.connect(mtu: 185)
        test.setClock(TestIssuer.now + 57_600)
        test.turn()
        // Whoever is there is not asked anew.
        #expect(test.proofNonce == nonce)
        test.leave()
        #expect(test.proofNonce != nil && test.proofNonce != nonce && test.uri != uri)
    }

    @Test("nothing of a visit is left, wherever it ends", arguments: 0..<6)
    func wiped(end: Int) throws {
        let test = try makeGate()
        #expect(!test.isProofWiped)
        if end > 0 { test.meetWallet() }
        if end > 1 { test.send(message: Array(try test.answer().prefix(2000)), isEnded: false) }
        if end > 2 { test.leave() }
        switch end {
        case 3:
            test.meetWallet()
            try test.substituteQuestion()
            test.send(message: try test.answer())
            test.wait(60)
            #expect(test.outcomes.last == .accepted)
        case 4:
            test.controller.hardwareError()
            test.turn()
        case 5: test.gate.linkLost(at: test.now)
        default: break
        }
        test.gate.stop(at: test.now)
        test.wait(3000)
        test.gate.wipe()
        #expect(test.isProofWiped)
    }
}
