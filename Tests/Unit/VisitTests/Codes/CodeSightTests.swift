import Testing

@testable import Faces
@testable import Presentation
@testable import Visit

/// A code stays where it is: when it is the same one, and when it is shown again.
@Suite("The same code") struct CodeSightTests {
    @Test("a code that stays where it is has one verdict, however long it stays")
    func stays() throws {
        let test = try TestGate.withCodes()
        test.hold(try TestIssuer.credential(), milliseconds: 120_000)
        #expect(test.outcomes == [.accepted] && test.light == .ready && test.wantsCodes)
    }

    @Test("out of sight for three seconds of looking, and ten after it was read, it is new")
    func again() throws {
        let card = try TestIssuer.credential()
        let test = try TestGate.withCodes()
        test.look(card)
        test.wait(20)
        test.waitForLights()
        // A hand before it.
        test.hold("", milliseconds: 2900)
        test.hold(card, milliseconds: 15_000)
        #expect(test.outcomes == [.accepted])
        test.hold("", milliseconds: 3000)
        test.look(card)
        test.wait(20)
        #expect(test.outcomes == [.accepted, .accepted])
        test.waitForLights()
        test.hold("", milliseconds: 3000)
        // Less than ten seconds after it was read: it is looked into when they are over.
        test.look(card)
        test.wait(20)
        #expect(test.outcomes == [.accepted, .accepted])
        test.hold(card, milliseconds: 5000)
        #expect(test.outcomes == [.accepted, .accepted, .accepted])
    }

    @Test("laid down in view by who came back too soon, it opens no more after a phone's visit")
    func leftBehind() throws {
        let card = try TestIssuer.credential()
        let test = try TestGate.withCodes()
        test.look(card)
        test.wait(20)
        test.hold("", milliseconds: 4000)
        test.hold(card, milliseconds: 1000)
        try test.goodVisit()
        test.wait(20_000)
        test.leave()
        test.hold(card, milliseconds: 60_000)
        #expect(test.records.map(\.presentation) == [.code, .tuvali])
    }

    @Test("where nobody looks, nothing is out of sight: a card that lies on the sill opens once")
    func unlooked() throws {
        let card = try TestIssuer.credential()
        let test = try TestGate.withCodes()
        for _ in 0..<10 {
            test.look(card)
            test.wait(600_000)
        }
        #expect(test.outcomes == [.accepted])
    }

    @Test("nor where the last look before a phone's visit showed a poster, or a hand", arguments: ["https://example.org/poster", ""])
    func missedBeforeAVisit(_ last: String) throws {
        let card = try TestIssuer.credential()
        let test = try TestGate.withCodes()
        test.hold(card, milliseconds: 4000)
        for visits in 1...3 {
            test.hold(card, last, milliseconds: 200)
            try test.goodVisit()
            test.wait(12_000)
            test.leave()
            test.hold(card, milliseconds: 20_000)
            #expect(test.records.map(\.presentation) == [.code] + Array(repeating: .tuvali, count: visits))
        }
    }

    @Test("a visit in between is no reason to take it for a new one")
    func visitBetween() throws {
        let card = try TestIssuer.credential()
        let test = try TestGate.withCodes()
        test.hold(card, milliseconds: 4000)
        try test.goodVisit()
        test.wait(50)
        test.leave()
        test.hold(card, milliseconds: 20_000)
        #expect(test.records.map(\.presentation) == [.code, .tuvali])
    }

    @Test("a code that another one hides for a while is new again, so that nobody is locked out by a poster")
    func poster() throws {
        let card = try TestIssuer.credential()
        let test = try TestGate.withCodes()
        test.hold(card, milliseconds: 500)
        test.hold("https://example.org/poster", milliseconds: 12_000)
        test.hold(card, milliseconds: 500)
        #expect(test.outcomes == [.accepted, .accepted])
    }

    @Test("an engagement is for one session: the same is nothing new for ten minutes")
    func engagement() throws {
        let test = try TestGate.withCodes()
        test.show("mdoc:owBj")
        test.hold("", milliseconds: 500_000)
        test.show("mdoc:owBj")
        #expect(test.outcomes == [.rejected])
        test.hold("", milliseconds: 600_000)
        test.show("mdoc:owBj")
        #expect(test.outcomes == [.rejected, .rejected])
    }

    @Test("whoever was not recognised may try again, as often as over the radio; what stays bad is looked at later and later")
    func pauses() throws {
        let faces = try TestGate.withCodes(face: .required)
        let card = try TestIssuer.credential(portrait: TestGate.photo)
        for _ in 0..<5 {
            faces.look(card)
            faces.wait(20)
            try faces.answer(FaceOutcome(decision: .refused(.noMatch, .below), frames: 9, compared: 8, isTrial: true))
            faces.pause()
        }
        #expect(faces.outcomes.count == 5)

        let test = try TestGate.withCodes()
        let expired = try TestIssuer.credential(expires: TestIssuer.now - 500)
        for _ in 0..<60 { test.show(expired) }
        // 60 times 3.5 s; after 10, 20, 40 and 80 s.
        #expect(test.outcomes.count == 5)
        // Nobody else waits for it.
        test.show(try TestIssuer.credential())
        #expect(test.outcomes.last == .accepted)
    }

    @Test("a copy on a wall of somebody who is locked out, or one that no face is compared with, turns fewer and fewer red lights")
    func copiesOnAWall() throws {
        let faces = try TestGate.withCodes(face: .required, copies: [])
        let card = try TestIssuer.credential(portrait: TestGate.photo)
        for _ in 0..<60 {
            faces.hold(card, milliseconds: 300)
            if let request = faces.takeFaceRequest() {
                faces.gate.faceDecided(FaceOutcome(refused: .lockedOut), of: request.number, at: faces.now)
                faces.turn()
            }
            faces.hold("", milliseconds: 3200)
        }
        let copies = try TestGate.withCodes(face: .whenPhoto, copies: [])
        let plain = try TestIssuer.credential()
        for _ in 0..<60 { copies.show(plain) }
        #expect(copies.records.last?.reasons == [.copyNeedsFace])
        for test in [faces, copies] { #expect(test.outcomes == Array(repeating: .rejected, count: 5)) }
    }

    @Test("another bundle may say otherwise of a code that was rejected")
    func pardon() throws {
        let test = try TestGate.withCodes()
        let expired = try TestIssuer.credential(expires: TestIssuer.now - 500)
        for _ in 0..<8 { test.show(expired) }
        let before = test.outcomes.count
        test.pause()
        test.believeAgain()
        test.show(expired)
        #expect(test.outcomes.count == before + 1)
    }

    @Test("a supervisor's key is for a card that was rejected again and again, too")
    func supervised() throws {
        let test = try TestGate.withCodes(face: .off, copies: [], allowsSupervisor: true)
        let card = try TestIssuer.credential()
        for _ in 0..<20 { test.show(card) }
        test.pause()
        let before = test.outcomes.count
        #expect(test.outcomes.last == .rejected && test.turnKey())
        test.show(card)
        #expect(test.outcomes.count == before + 1 && test.outcomes.last == .accepted)
    }

    @Test("nothing of a text stays: digests under a key that no other gate has")
    func canary() throws {
        let card = try TestIssuer.credential(name: "Canary of the house")
        let test = try TestGate.withCodes()
        let other = try TestGate.withCodes()
        for gate in [test, other] {
            gate.show(card)
            gate.show("canary-canary-canary-canary")
            gate.pause()
        }
        #expect(test.outcomes == [.accepted])
        let memory = UnsafeRawBufferPointer(test.gate.storage.codes), others = UnsafeRawBufferPointer(other.gate.storage.codes)
        let octets = Array(memory)
        for text in [card, "canary-canary-canary-canary"].map({ Array($0.utf8) }) {
            for start in stride(from: 0, to: text.count - 6, by: 3) { #expect(!octets.contains(text[start..<start + 6])) }
        }
        // The same codes, and nothing by which two gates could be put together.
        let (first, second) = (Array(octets.prefix(16)), Array(others.prefix(16)))
        #expect(first != second && first != [UInt8](repeating: 0, count: 16))
        test.gate.wipe()
        #expect(test.areCodesForgotten && test.isForgotten)
    }

    @Test("the gate ends in the middle: the credential is wiped")
    func wiped() throws {
        let test = try TestGate.withCodes()
        // It waits behind a verdict.
        test.look(try TestIssuer.credential(name: "A"))
        test.wait(20)
        test.look(try TestIssuer.credential(name: "B"))
        test.wait(20)
        #expect(test.isByCode && !test.areCodesForgotten)
        test.gate.stop(at: test.now)
        test.gate.wipe()
        #expect(test.areCodesForgotten)
    }
}

extension [UInt8] {
    fileprivate func contains(_ part: ArraySlice<UInt8>) -> Bool {
        indices.contains { self[$0...].starts(with: part) }
    }
}
