import Bluetooth
import DIDComm
import Testing
import Trust

@testable import Presentation
@testable import Visit

/// Messages that anybody on the gate's own network posts, and who does not notice them.
@Suite("Posts at a gate") struct AriesPostTests {
    private func makeGate(_ kinds: Set<OfferedKind> = [.tuvali, .aries], takesCodes: Bool = false) throws -> TestGate {
        var wishes = Town.wishes
        wishes.endpoint = "http://192.168.7.1/didcomm"
        var policy = Town.policy(kinds, wishes)
        policy.takesCodes = takesCodes
        policy.copiesWithoutFace = ["*"]
        return try TestGate(policy: policy, store: try Town.believed.get())
    }

    @Test("what proves nothing turns no light, sends no phone away and takes no question; whoever posted it is told at once")
    func worthless() throws {
        let test = try makeGate()
        let uri = test.uri, key = test.key, nonce = test.proofNonce, lights = test.lights, signs = test.signs
        // Another visit's presentation: the request is this one's.
        #expect(test.post(try test.answer()) == .taken && test.takePostReply() == nil)
        test.wait(1)
        #expect(test.takePostReply() == .taken && test.takePostReply() == nil)
        #expect(test.lights == lights && test.signs == signs && test.verdicts == [] && test.uri == uri && test.key == key)
        #expect(test.proofNonce == nonce && test.controller.isAdvertising)
        let record = try #require(test.records.first)
        #expect(record.outcome == .rejected && record.presentation == .aries && record.form == .anoncreds)
        #expect(record.proven?.isPosted == true)
        #expect(record.reasons.count == 1 && record.reasons.first?.isOfGenuineCredential == false && record.sizeClass != nil)
        // The next one is not looked at before the gate has rested.
        #expect(test.post(try test.answer()) == .nobodyAsked)
        test.wait(NetworkRest.shortestMilliseconds)
        try test.substituteQuestion()
        #expect(test.post(try test.answer()) == .taken)
        test.wait(60)
        #expect(test.outcomes == [.rejected, .accepted] && test.verdicts == [true])
    }

    @Test("a phone that is connected stays, and its visit is as it would have been")
    func beside() throws {
        let test = try makeGate()
        try test.goodVisit(upTo: .exchanged)
        #expect(test.post(try test.answer()) == .taken)
        test.wait(60)
        #expect(test.isConnected && !test.isAskedToLeave && test.outcomes == [.rejected])
        let wallet = try TestWallet()
        test.visit(wallet, try wallet.seal(TestWallet.gzip(TestIssuer.payload()), for: test.key), from: .identified, mtu: 100)
        #expect(test.post([1]) == .nobodyAsked)
        test.wait(60)
        #expect(test.outcomes == [.rejected, .accepted] && test.records.last?.step == 0)
    }

    @Test("a proof that holds makes a phone leave that has not identified")
    func yielding() throws {
        let test = try makeGate()
        try test.goodVisit(upTo: .exchanged)
        try test.substituteQuestion()
        #expect(test.post(try test.answer()) == .taken && test.isConnected)
        test.wait(60)
        #expect(test.outcomes == [.accepted] && test.isAskedToLeave)
    }

    @Test("however many are posted, nobody's deadlines are shortened, and codes are read")
    func flood() throws {
        let test = try makeGate(takesCodes: true)
        for _ in 0..<40 {
            let receipt = test.post(try test.answer())
            #expect(receipt == .taken)
            test.wait(NetworkRest.shortestMilliseconds)
        }
        // Beyond a burst they are counted.
        #expect(test.records.count == 16 && test.outcomes.allSatisfy { $0 == .rejected } && test.verdicts == [])
        test.wait(60_000)
        #expect(test.abandoned.map(\.rejected).reduce(0, +) == 24 && test.abandoned.allSatisfy { $0.step == 0 })
        let step = test.gate.admission.box.step(at: test.now.monotonic), isPaused = test.gate.admission.isPaused(at: test.now.monotonic)
        #expect(step == 0 && !isPaused)
        test.look(try TestIssuer.credential())
        test.wait(1)
        #expect(test.outcomes.last == .accepted)
    }

    @Test("a phone that identifies first has the visit, and whoever posted is told so")
    func phoneFirst() throws {
        let test = try makeGate()
        try test.goodVisit(upTo: .exchanged)
        #expect(test.post(try test.answer()) == .taken)
        test.write(.identifyRequest, try TestWallet().identify)
        #expect(test.takePostReply() == .gone && test.recipient == nil)
        test.wait(60)
        #expect(test.records.isEmpty)
    }

    @Test("behind the light of another visit a post waits, and is judged when that has gone out")
    func behindLight() throws {
        let test = try makeGate()
        while test.key.isEmpty { test.wait(1000) }
        try test.goodVisit()
        test.wait(60)
        test.leave()
        #expect(test.light == .accept && test.verdicts == [true])
        try test.substituteQuestion()
        #expect(test.post(try test.answer()) == .taken)
        test.wait(60)
        #expect(test.outcomes == [.accepted] && test.takePostReply() == nil)
        test.wait(4_000)
        #expect(test.outcomes == [.accepted, .accepted] && test.verdicts == [true, true] && test.takePostReply() == .taken)
    }

    @Test("a holder who does not want to changes nothing")
    func declined() throws {
        let test = try makeGate(), nonce = test.proofNonce
        #expect(test.post(try test.answer("present-proof/2.0/problem-report")) == .unopened(.declined))
        test.wait(60)
        #expect(test.proofNonce == nonce && test.records.isEmpty && test.takePostReply() == nil)
    }

    @Test("a bundle that is over believes nobody, and whoever posted is told so")
    func ended() throws {
        let test = try makeGate()
        let bundle = try TrustBundle(
            sequence: 7, created: TestIssuer.now - 100, notBefore: TestIssuer.now - 100, notAfter: TestIssuer.now + 10, clock: .reject,
            contents: TrustContents())
        test.gate.believe(try Town.believed.get().under(TrustTerms(bundle, highWater: TestIssuer.now - 100)))
        test.turn()
        try test.substituteQuestion()
        test.setClock(TestIssuer.now + 11)
        #expect(test.post(try test.answer()) == .taken)
        test.wait(60)
        #expect(test.records.first?.reasons == [.credential(.trustExpired)] && test.takePostReply() == .taken)
        test.expectNoAccept()
    }

    // MARK: the rest

    @Test("the gate rests eight times as long as it looked, within bounds")
    func rest() {
        func instant(_ milliseconds: UInt64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }
        for (taken, pause) in [(0, 500), (62, 500), (63, 504), (7_000, 56_000), (10_000, 60_000), (.max / 1_000_000, 60_000)] {
            var rest = NetworkRest()
            #expect(!rest.isOn(at: instant(0)))
            rest.begin(at: instant(0))
            #expect(rest.isOn(at: instant(0)))
            rest.end(at: instant(UInt64(taken)))
            #expect(rest.isOn(at: instant(UInt64(taken) + UInt64(pause) - 1)), "\(taken)")
            if taken < 1_000_000 { #expect(!rest.isOn(at: instant(UInt64(taken + pause))), "\(taken)") }
            rest.forget()
            #expect(!rest.isOn(at: instant(UInt64(taken))))
        }
        var rest = NetworkRest()
        rest.count(held: 0, keepsPhonesAway: true, at: instant(0))
        #expect(rest.isOn(at: instant(15_999)) && !rest.isOn(at: instant(16_000)))
    }
}

extension TestGate {
    func post(_ octets: [UInt8]) -> PostReceipt {
        let receipt = gate.receive(post: octets.span, at: now)
        turn()
        return receipt
    }

    func takePostReply() -> PostReply? { gate.takePostReply() }
}
