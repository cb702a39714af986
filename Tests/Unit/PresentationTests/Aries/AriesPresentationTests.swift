import AriesTransport
import Bluetooth
import DIDComm
import Testing

@testable import AnonCreds
@testable import Presentation
@testable import Trust

/// What a message is worth, and what is left of it.
@Suite("A proof in a message") struct AriesPresentationTests {
    private static let adult = ProofWishes.Predicate("birth_date", .atMost, 20_080_926)

    /// A desk that asks what the vector's verifier asked.
    private func desk(
        _ belief: AnonCredsBelief, _ name: String = "a05_le_birth_date", demands: [ProofWishes.Predicate] = [adult],
        wishes: ProofWishes = ProofDesk.adult
    ) throws -> (desk: ProofDesk, answer: [UInt8]) {
        let desk = ProofDesk(wishes), vector = try ProofSamples.vector(name)
        desk.ask(belief)
        desk.substitute(vector.request, demands: demands)
        let key = try #require(desk.recipient)
        return (desk, try ProofSamples.envelope(ProofSamples.message(vector.presentation, thread: desk.thread), for: key))
    }

    private func isPresented(_ opening: AriesPresentation.Opening) -> Bool { if case .presented = opening { true } else { false } }

    private func code(_ opening: AriesPresentation.Opening) -> AriesCode? { if case .fault(let code, _) = opening { code } else { nil } }

    private func reason(_ finding: ProofFinding) -> ProofReason? { if case .reject(let reason, _) = finding { reason } else { nil } }

    @Test("over eighteen, without a date of birth; and the same answer is none for another visit, nor twice for one")
    func accepted() throws {
        let belief = try ProofSamples.belief(), (desk, answer) = try self.desk(belief)
        #expect(isPresented(desk.open(answer)))
        guard case .accept(let proven) = desk.finding(by: belief) else {
            return #expect(Bool(false), "refused")
        }
        #expect(proven.statements == ["birth_date <= 20080926"] && proven.type == "resident" && proven.portrait == nil)
        #expect(proven.issuer == "did:web:town.example" && proven.definitionID == ProofSamples.resident && !proven.hasStatus)
        #expect(proven.notes == ["holder-bound-link-secret", "same-credential", "never-expires"])
        // There is nothing to judge any more, and the nonce is gone.
        #expect(desk.nonce == "" && desk.code == "")
        #expect(reason(desk.finding(by: belief)) != nil)
        desk.ask(belief)
        #expect(code(desk.open(answer)) == .envelopeNotForUs)
        #expect(
            isPresented(
                desk.open(
                    try ProofSamples.envelope(
                        ProofSamples.message(ProofSamples.vector("a05_le_birth_date").presentation, thread: desk.thread),
                        for: #require(desk.recipient)))))
        #expect(reason(desk.finding(by: belief)) != nil)
    }

    @Test("what the bundle demands now is demanded, whatever was asked")
    func demands() throws {
        func found(
            _ definition: BelievedDefinition, _ wishes: ProofWishes = ProofDesk.adult, demands: [ProofWishes.Predicate] = [Self.adult]
        ) throws
            -> ProofReason?
        {
            let asked = try ProofSamples.belief(), judged = try ProofSamples.belief([definition])
            let (desk, answer) = try self.desk(asked, demands: demands, wishes: wishes)
            #expect(isPresented(desk.open(answer)))
            return reason(desk.finding(by: judged))
        }
        #expect(try found(ProofSamples.definition()) == nil)
        #expect(try found(ProofSamples.definition(expiry: "Years")) == .claimMissing("Years"))
        #expect(try found(ProofSamples.definition(roles: [.birthDate: "Years"])) == .claimMissing("birthDate"))
        #expect(try found(ProofSamples.definition(types: [])) == .typeNotTrusted)
        #expect(try found(ProofSamples.definition("another")) == .typeNotTrusted)
        #expect(
            try found(ProofSamples.definition(registries: [.init(id: "r", lists: [.init(timestamp: 1, fetched: 1)])]))
                == .claimMissing("status"))
        // A day later nobody is older than was proven.
        #expect(try found(ProofSamples.definition(), demands: [.init("birth_date", .atMost, 20_080_925)]) == .claimMissing("birth_date"))
        var wishes = ProofDesk.adult
        wishes.attributes = ["Full Name"]
        #expect(try found(ProofSamples.definition(), wishes) == .claimMissing("Full Name"))
    }

    @Test("what is proven of several credentials is of nobody for sure")
    func several() throws {
        let belief = try ProofSamples.belief(), (desk, answer) = try self.desk(belief, "a08_two_credentials", demands: [])
        #expect(isPresented(desk.open(answer)))
        #expect(reason(desk.finding(by: belief)) == .severalCredentials)
    }

    @Test("a proof for which there is no time is none")
    func time() throws {
        let belief = try ProofSamples.belief(), (desk, answer) = try self.desk(belief)
        #expect(isPresented(desk.open(answer)))
        #expect(reason(desk.finding(by: belief, hasEnded: true)) == .presentation(.deadlinePassed))
    }

    @Test("what is no answer has its code, and the wallet is told a coarse one")
    func faults() throws {
        let belief = try ProofSamples.belief(), desk = ProofDesk()
        desk.ask(belief)
        let key = try #require(desk.recipient)
        func sent(_ message: String) throws -> AriesCode? { code(desk.open(try ProofSamples.envelope(Array(message.utf8), for: key))) }
        #expect(code(desk.open(Array("no JSON".utf8))) == .messageMalformed)
        #expect(code(desk.open(ProofSamples.message([1], thread: desk.thread))) == .envelopeMissing)
        #expect(code(desk.open(try ProofSamples.envelope(ProofSamples.message([1], thread: "another"), for: key))) == .threadUnknown)
        let ping = ProofSamples.message([1], thread: desk.thread, type: "trust_ping/1.0/ping")
        #expect(code(desk.open(try ProofSamples.envelope(ping, for: key))) == .messageTypeUnsupported)
        #expect(try sent(#"{"@type":"https://didcomm.org/present-proof/2.0/presentation"}"#) == .messageMalformed)
        guard
            case .declined = desk.open(
                try ProofSamples.envelope(
                    ProofSamples.message([1], thread: desk.thread, type: "present-proof/2.0/problem-report"), for: key))
        else { return #expect(Bool(false), "not declined") }
        #expect(ProofReason.message(.envelopeInvalid).problem == .malformed && ProofReason.presentation(.proofInvalid).problem == .rejected)
        #expect(ProofReason.claimMissing("x").problem == .rejected && ProofReason.message(.declined).problem == nil)
    }

    @Test("nothing of a visit is left, however it ends")
    func wiped() throws {
        let belief = try ProofSamples.belief(), now = Instant(nanoseconds: 1_000_000_000)
        for end in 0..<5 {
            let (desk, answer) = try self.desk(belief)
            #expect(desk.begin(at: now) && !desk.isWiped)
            #expect(!desk.outgoing.allSatisfy { $0 == 0 }, "the invitation is there")
            if end > 0 { #expect(isPresented(desk.open(answer))) }
            if end > 1 { _ = desk.finding(by: belief, hasEnded: end == 2) }
            if end > 3 { _ = desk.tell(true, at: now) }
            desk.aries.end()
            #expect(desk.isWiped, "\(end)")
        }
    }

    @Test("the first posted message that opens is the visitor's; others change nothing, and are counted")
    func posted() throws {
        var wishes = ProofDesk.adult
        wishes.endpoint = "http://192.168.7.1/didcomm"
        let belief = try ProofSamples.belief(), (desk, answer) = try self.desk(belief, wishes: wishes)
        #expect(desk.awaitsPost && desk.service == nil && !desk.begin(at: Instant(nanoseconds: 1)))
        #expect(code(desk.post(Array("{}".utf8))) == .envelopeMissing)
        let stranger = ProofDesk(wishes)
        stranger.ask(belief)
        #expect(code(desk.post(try ProofSamples.envelope([1], for: #require(stranger.recipient)))) == .envelopeNotForUs)
        #expect(desk.awaitsPost && desk.unopened == 2)
        #expect(isPresented(desk.post(answer)) && !desk.awaitsPost)
        guard case .accept = desk.finding(by: belief) else {
            return #expect(Bool(false), "refused")
        }
        #expect(desk.tell(true, at: Instant(nanoseconds: 1)))
        // Nobody waits for a word on the same connection.
        #expect(desk.takeReply() == .taken && desk.takeReply() == nil)
        desk.aries.end()
        #expect(desk.isWiped && desk.takeReply() == nil)
    }

    @Test("a posted message that proves nothing takes the question from nobody, and leaves nothing")
    func postedInVain() throws {
        var wishes = ProofDesk.adult
        wishes.endpoint = "http://192.168.7.1/didcomm"
        let belief = try ProofSamples.belief(), (desk, answer) = try self.desk(belief, wishes: wishes), nonce = desk.nonce
        let worthless = try ProofSamples.vector("a06_lt").presentation, now = Instant(nanoseconds: 1)
        let key = try #require(desk.recipient)
        #expect(isPresented(desk.post(try ProofSamples.envelope(ProofSamples.message(worthless, thread: desk.thread), for: key))))
        #expect(desk.hasPost && reason(desk.finding(by: belief))?.isOfGenuineCredential == false && !desk.hasPost)
        desk.aries.refusePost(at: now)
        #expect(desk.takeReply() == .taken && desk.nonce == nonce && desk.awaitsPost && desk.deadline == nil)
        // So it is with a proof for which there was no time.
        #expect(isPresented(desk.post(answer)))
        #expect(reason(desk.finding(by: belief, hasEnded: true)) == .presentation(.deadlinePassed) && desk.nonce == nonce)
        desk.aries.refusePost(at: now)
        #expect(isPresented(desk.post(answer)))
        guard case .accept = desk.finding(by: belief) else { return #expect(Bool(false), "refused") }
        // Used up by the first that is worth something.
        #expect(desk.nonce == "" && desk.tell(true, at: now))
        desk.aries.end()
        #expect(desk.isWiped)
    }

    @Test("whoever posts hears something, whatever becomes of it")
    func replies() throws {
        var wishes = ProofDesk.adult
        wishes.endpoint = "http://192.168.7.1/didcomm"
        let belief = try ProofSamples.belief()
        func posted() throws -> ProofDesk {
            let (desk, answer) = try self.desk(belief, wishes: wishes)
            #expect(isPresented(desk.post(answer, at: Instant(nanoseconds: 1_000_000))))
            return desk
        }
        // Others came first, or the gate asks anew.
        let ended = try posted()
        ended.aries.end()
        #expect(ended.takeReply() == .gone && ended.isWiped)
        // Nobody had the time to look at it.
        let late = try posted()
        late.aries.expire(at: Instant(nanoseconds: 10_000_999_999))
        #expect(late.takeReply() == nil && late.hasPost && late.deadline == Instant(nanoseconds: 10_001_000_000))
        late.aries.expire(at: Instant(nanoseconds: 10_001_000_000))
        #expect(late.takeReply() == .gone && !late.hasPost && late.awaitsPost && late.nonce != "")
        // No message can be made, as without randomness.
        let mute = try posted()
        _ = mute.finding(by: belief, hasEnded: true)
        mute.aries.problem = nil
        #expect(mute.tell(false, at: Instant(nanoseconds: 2)) && mute.takeReply() == .taken)
        // Who is gone for good is told nothing.
        let wiped = try posted()
        wiped.aries.wipe()
        #expect(wiped.takeReply() == nil && wiped.isWiped)
    }
}
