import Bluetooth
import Credentials
import Testing

@testable import Faces
@testable import Presentation
@testable import Tuvali
@testable import Visit

/// A visit without a radio: a code is read, judged and told by light.
@Suite("A code's visit") struct CodeVisitTests {
    @Test("a good copy is accepted where the site says so, and the same offer goes on")
    func accepted() throws {
        let test = try TestGate.withCodes()
        let (key, code) = (test.key, test.code)
        test.look(try TestIssuer.credential())
        #expect(test.isByCode && test.light == .busy && test.sign == .checking)
        test.wait(20)
        #expect(test.outcomes == [.accepted] && test.light == .accept && test.sign == .accepted && test.verdicts == [true])
        let record = try #require(test.records.first)
        #expect(record.presentation == .code && record.notes == ["holder-not-bound"] && record.isHolderBound == false)
        #expect(record.mtu == 0 && record.chunks == 0 && record.form == .sdJWT && record.sizeClass == 8 && record.step == 0)
        #expect(record.times.opened == 0 && record.times.decided == 0 && record.times.identified == nil)
        // Nobody has to be told by radio, and nothing of the key was used.
        #expect(test.statuses.isEmpty && test.key == key && test.code == code && test.controller.isAdvertising)
        test.wait(5000)
        #expect(test.lights == [.off, .ready, .busy, .accept, .ready])
        try test.goodVisit()
        test.wait(50)
        #expect(test.outcomes == [.accepted, .accepted] && test.records.last?.presentation == .tuvali)
    }

    @Test("without a site's word a copy needs a face, whatever the policy on faces")
    func policy() throws {
        let type = "urn:example:id"
        let cases: [(Policy.Face, String?, Set<String>, String)] = [
            (.off, nil, [], "copy-needs-face"), (.off, TestGate.photo, [], "copy-needs-face"),
            (.off, nil, ["urn:example:other", "URN:EXAMPLE:ID"], "copy-needs-face"), (.off, nil, [type], "accepted"),
            (.off, TestGate.photo, ["*"], "accepted"), (.required, TestGate.photo, [], "compared"),
            (.required, TestGate.photo, ["*"], "compared"), (.required, nil, [], "no-portrait"), (.required, nil, ["*"], "no-portrait"),
            (.whenPhoto, TestGate.photo, [], "compared"), (.whenPhoto, TestGate.photo, [type], "compared"),
            (.whenPhoto, nil, [], "copy-needs-face"), (.whenPhoto, nil, [type], "accepted"),
        ]
        for (face, portrait, copies, expected) in cases {
            let test = try TestGate.withCodes(face: face, copies: copies)
            test.look(try TestIssuer.credential(portrait: portrait))
            test.wait(20)
            let found = test.faceRequest != nil ? "compared" : test.records.first?.reasons.first?.code ?? test.outcomes.first?.rawValue
            #expect(found == expected, "\(face), \(portrait ?? "-"), \(copies)")
            if expected != "accepted" { test.expectNoAccept() }
        }
    }

    @Test("a phone's visit asks for no more than before")
    func radio() throws {
        let test = try TestGate.withCodes(copies: [])
        try test.goodVisit()
        test.wait(50)
        #expect(test.outcomes == [.accepted])
    }

    @Test("a face that matches binds a code to its holder; one that does not is rejected")
    func face() throws {
        let test = try TestGate.withCodes(face: .required, copies: [])
        test.look(try TestIssuer.credential(portrait: TestGate.photo))
        #expect(test.wantsCamera && !test.wantsCodes)
        test.wait(20)
        #expect(test.light == .look && test.sign == .look && test.records.isEmpty && !test.controller.isAdvertising)
        test.wait(980)
        try test.answer(TestGate.match)
        #expect(test.outcomes == [.accepted] && test.light == .accept && !test.wantsCamera && test.wantsCodes)
        let record = try #require(test.records.first)
        #expect(record.isHolderBound == true && record.notes == [] && record.face?.milliseconds == 1000 && record.times.decided == 1000)
        #expect(test.controller.isAdvertising)
        test.pause()
        test.look(try TestIssuer.credential(portrait: TestGate.photo))
        test.wait(20)
        try test.answer(FaceOutcome(refused: .noMatch))
        #expect(test.outcomes == [.accepted, .rejected] && test.light == .reject)
    }

    @Test("a shell that never answers is a reject at the gate's own deadline, and the next visit is served")
    func silence() throws {
        let test = try TestGate.withCodes(face: .required)
        test.look(try TestIssuer.credential(portrait: TestGate.photo))
        test.wait(Policy().faceTime + 20)
        #expect(test.records.first?.reasons == [.face(.timedOut)] && !test.isByCode && test.controller.isAdvertising)
    }

    @Test("what is ours by its wrapping and no good is rejected by name, and believed never")
    func rejected() throws {
        for text in try StrangeCode.rejected() {
            let test = try TestGate.withCodes()
            test.look(text)
            test.wait(20)
            test.expectNoAccept()
            #expect(test.outcomes == [.rejected] && test.light == .reject && test.verdicts == [false], "\(text)")
            #expect(test.records.first?.presentation == .code)
            test.wait(5000)
            #expect(test.light == .ready && test.controller.isAdvertising)
        }
        let test = try TestGate.withCodes()
        test.look("mdoc:owBj")
        test.wait(20)
        #expect(test.records.first?.reasons == [.credential(.unsupportedForm(.mdoc))])
    }

    @Test("somebody else's code, the gate's own and none at all change nothing", arguments: StrangeCode.ignored)
    func ignored(_ text: String) throws {
        let test = try TestGate.withCodes()
        let (lights, signs, commands) = (test.lights.count, test.signs.count, test.controller.commands.count)
        for _ in 0..<15 {
            for text in [text, test.uri, test.uri.lowercased(), ""] { test.look(text) }
            test.wait(100)
        }
        #expect(test.lights.count == lights && test.signs.count == signs && test.controller.commands.count == commands)
        #expect(test.records.isEmpty && test.abandoned.isEmpty && !test.isByCode && test.wantsCodes)
        // Fifteen looks at the same code are one.
        let counters = test.codes
        let isOffer = text.lowercased().hasPrefix("openid4vp:")
        #expect(counters.taken == 0 && counters.own == (isOffer ? 45 : 30))
        let others = counters.foreign + counters.nothing + counters.damaged
        #expect(isOffer ? others == 0 : text.utf8.count > 7089 ? others == 15 : others == 1)
    }

    @Test("the screen says of a code that is none after two seconds, for four, and once")
    func told() throws {
        let test = try TestGate.withCodes()
        test.hold("hello", milliseconds: 2000)
        #expect(test.sign == .scan)
        test.look("hello")
        #expect(test.sign == .notForThisGate && test.light == .ready)
        test.hold("hello", milliseconds: 4000)
        #expect(test.sign == .scan)
        test.hold("hello", milliseconds: 60_000)
        #expect(test.signs.filter { $0 == .notForThisGate }.count == 1)
        // Somebody else with the same.
        test.hold("", milliseconds: 3100)
        test.hold("hello", milliseconds: 3000)
        #expect(test.sign == .notForThisGate)
        // A visit has the screen.
        test.look(try TestIssuer.credential())
        #expect(test.sign == .checking)
    }

    @Test("of a web address and an offer the screen says nothing")
    func foreign() throws {
        let test = try TestGate.withCodes()
        test.hold("https://example.org", milliseconds: 8000)
        test.hold("OPENID4VP://connect?x", milliseconds: 8000)
        #expect(!test.signs.contains(.notForThisGate))
    }

    @Test("a supervisor's key stands for the face of a code read after it, also where nobody else's face is asked for")
    func supervisor() throws {
        for face in [Policy.Face.off, .required, .whenPhoto] {
            let test = try TestGate.withCodes(face: face, copies: [], allowsSupervisor: true)
            #expect(test.turnKey())
            test.wait(1000)
            test.look(try TestIssuer.credential())
            test.wait(20)
            #expect(test.outcomes == [.accepted] && test.records.first?.notes == ["holder-not-bound", "supervisor"], "\(face)")
            #expect(test.supervisorNews == [.armed, .used])
        }
        // Nothing for it to stand for.
        let open = try TestGate.withCodes(copies: ["*"], allowsSupervisor: true)
        #expect(!open.turnKey())
    }

    @Test("the key is not for a code that was read before it was turned, nor for one that is no good")
    func supervisorLate() throws {
        let test = try TestGate.withCodes(face: .required, copies: [], allowsSupervisor: true)
        test.look(try TestIssuer.credential(portrait: TestGate.photo))
        test.wait(20)
        #expect(test.turnKey())
        try test.answer(FaceOutcome(refused: .noMatch))
        test.waitForLights()
        test.show(try TestIssuer.credential(expires: TestIssuer.now - 500))
        #expect(test.outcomes == [.rejected, .rejected] && test.supervisorNews == [.armed])
    }

    @Test("codes are wanted while a visit may begin")
    func wanted() throws {
        let never = try TestGate()
        #expect(!never.wantsCodes)
        never.look(try TestIssuer.credential())
        never.wait(50)
        #expect(never.records.isEmpty && !never.isByCode && never.codes == CodeCounters())

        let test = try TestGate.withCodes()
        #expect(test.wantsCodes)
        try test.goodVisit(upTo: .exchanged)
        #expect(test.wantsCodes)
        test.leave()
        try test.goodVisit(upTo: .identified)
        #expect(!test.wantsCodes)
        test.leave()
        #expect(test.wantsCodes)
        test.gate.linkLost(at: test.now)
        test.turn()
        #expect(test.wantsCodes)
        test.gate.stop(at: test.now)
        test.turn()
        #expect(!test.wantsCodes)
        test.look(try TestIssuer.credential())
        test.wait(50)
        test.expectNoAccept()
    }

    @Test("a record that cannot be kept lets nobody in, and a slow disk is waited for")
    func records() throws {
        let fails = try TestGate.withCodes()
        fails.shelf = .fails
        fails.look(try TestIssuer.credential())
        fails.wait(20)
        #expect(fails.light == .reject && fails.verdicts == [false] && !fails.isByCode)

        let slow = try TestGate.withCodes()
        slow.shelf = .waits
        slow.look(try TestIssuer.credential())
        slow.wait(20)
        #expect(slow.take()?.outcome == .accepted)
        slow.wait(5000)
        #expect(slow.verdicts == [] && slow.isByCode)
        slow.stored(true)
        #expect(slow.verdicts == [true] && slow.light == .accept)
    }
}
