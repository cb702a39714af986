import Bluetooth
import Testing

@testable import Faces
@testable import Presentation
@testable import Visit

/// Strangers who hold up one code after the other.
@Suite("A flood of codes") struct CodeFloodTests {
    private static func bad(_ number: Int) -> String { "{\"proof\":\(number)}" }

    @Test("with many different bad codes each next one waits, a quarter of a minute at most; a good one is served after the pause")
    func flood() throws {
        let test = try TestGate.withCodes()
        for number in 0..<1200 { test.hold(Self.bad(number), milliseconds: 100) }
        // 3.5 s each for the first ones, then 4, 8, 16 s.
        #expect((8...13).contains(test.outcomes.count), "\(test.outcomes.count)")
        let before = test.outcomes.count
        test.hold(try TestIssuer.credential(), milliseconds: 16_100)
        #expect(test.outcomes.count == before + 1 && test.outcomes.last == .accepted)
        // And nobody waits any more.
        test.pause()
        test.look(Self.bad(5000))
        test.wait(20)
        test.waitForLights()
        test.look(try TestIssuer.credential(name: "B"))
        test.wait(20)
        #expect(test.outcomes.suffix(2) == [.rejected, .accepted])
    }

    @Test("a flood of codes takes no time from phones: their deadlines stay, and they come in between")
    func phones() throws {
        let test = try TestGate.withCodes()
        for number in 0..<300 { test.hold(Self.bad(number), milliseconds: 100) }
        test.waitForLights()
        try test.goodVisit()
        test.wait(50)
        #expect(test.outcomes.last == .accepted && test.records.last?.step == 0)
    }

    /// How many of so many frames had the gate on the air, with another code each time it looks.
    private func framesOnAir(_ test: TestGate, _ frames: Int, _ text: (Int) throws -> String) rethrows -> Int {
        var count = 0
        for frame in 0..<frames {
            if test.wantsCodes { test.look(try text(frame)) }
            test.wait(100)
            if test.controller.isAdvertising { count += 1 }
        }
        return count
    }

    @Test("credentials that an issuer signed, one rejected after the other, do not keep phones off the air")
    func genuineFlood() throws {
        let test = try TestGate.withCodes()
        // As one credential makes them, compressed otherwise each time.
        let onAir = try framesOnAir(test, 1200) { try TestIssuer.credential(expires: TestIssuer.now - 500, name: "\($0)") }
        #expect(onAir > 600, "\(onAir)")
        test.expectNoAccept()
        // Who comes then is served after the pause.
        test.hold(try TestIssuer.credential(), milliseconds: 16_100 + 3_600)
        #expect(test.outcomes.last == .accepted)
    }

    @Test("people with rejected cards, one behind the other, wait for nobody, however long a turn of the loop takes", arguments: [0, 30])
    func queue(late: UInt64) throws {
        let test = try TestGate.withCodes()
        for number in 0..<10 {
            test.look(try TestIssuer.credential(expires: TestIssuer.now - 500, name: "\(number)"))
            // Between what was read and what is verified.
            test.oversleep(late)
            test.wait(3600)
        }
        #expect(test.outcomes == Array(repeating: .rejected, count: 10))
    }

    @Test("codes in vain that make a phone leave each time are slowed, an issuer's too")
    func yielding() throws {
        let test = try TestGate.withCodes()
        for number in 0..<20 {
            test.renewPhone()
            test.connect()
            test.look(try TestIssuer.credential(expires: TestIssuer.now - 500, name: "\(number)"))
            test.leave()
            test.wait(3600)
        }
        #expect((4...12).contains(test.codes.taken), "\(test.codes.taken)")
    }

    @Test("a bad code that stays in view, or comes and goes with people who pass, locks nobody out")
    func poster() throws {
        let test = try TestGate.withCodes()
        let poster = Self.bad(1)
        for _ in 0..<60 { test.show(poster) }
        let verdicts = test.outcomes.count
        #expect(verdicts <= 6)
        test.waitForLights()
        // A decoder finds the one or the other.
        test.hold(poster, poster, poster, try TestIssuer.credential(), milliseconds: 400)
        #expect(test.outcomes.dropFirst(verdicts) == [.accepted])
    }

    @Test("whoever stays out of the camera's sight is waited for as long as phones' people are, and pays for it")
    func outOfSight() throws {
        let test = try TestGate.withCodes(face: .required)
        for visit in 0..<8 {
            test.hold(try TestIssuer.credential(name: "\(visit)", portrait: TestGate.photo), milliseconds: 100)
            guard test.faceRequest != nil else { break }
            test.wait(8_000)
            try test.answer(FaceOutcome(refused: .noFace))
            test.waitForLights()
        }
        #expect(test.outcomes.count < 8 && test.outcomes.count >= 4)
    }

    @Test("a thousand good codes in a row: each has its verdict, and nothing grows")
    func thousandGood() throws {
        let test = try TestGate.withCodes()
        let commands = test.controller.commands.count
        for number in 0..<1000 {
            test.look(try TestIssuer.credential(name: "\(number)"))
            test.wait(3600)
        }
        #expect(test.outcomes == Array(repeating: .accepted, count: 1000))
        #expect(test.codes.taken == 1000 && test.light == .ready)
        // Off, address, parameters, data, scan response, on; once for each, and for an offer that was too old.
        #expect(test.controller.commands.count - commands < 9 * 1000)
        #expect(test.hasNoRecordWaiting && test.abandoned.isEmpty)
    }

    @Test("a thousand bad codes make no more records than a stranger's phone, and the rest is counted")
    func thousandBad() throws {
        let test = try TestGate.withCodes()
        for number in 0..<1000 {
            test.hold(Self.bad(number), milliseconds: 200)
            test.wait(16_000)
        }
        #expect(test.codes.taken == 1000)
        let hours = 1000 * 16.2 / 3600
        #expect(Double(test.records.count) <= 64 + 20 * hours + 1)
        test.wait(1_200_000)
        #expect(test.abandoned.reduce(0) { $0 + $1.rejected } + UInt64(test.records.count) == 1000)
        test.expectNoAccept()
        // What a stranger has used up is not what is kept for those with a credential.
        test.show(try TestIssuer.credential(expires: TestIssuer.now - 500))
        #expect(test.records.last?.reasons == [.credential(.expired)])
    }

    @Test("a thousand codes that are none leave nothing but a count")
    func thousandPosters() throws {
        let test = try TestGate.withCodes()
        let actions = test.lights.count + test.signs.count
        for number in 0..<1000 { test.hold("poster \(number)", milliseconds: 100) }
        #expect(test.lights.count + test.signs.count == actions && test.records.isEmpty && test.abandoned.isEmpty)
        #expect(test.codes.nothing == 1000)
        test.look(try TestIssuer.credential())
        test.wait(20)
        #expect(test.outcomes == [.accepted])
    }

    @Test("one poster after the other does not make the gate forget what it has judged")
    func eviction() throws {
        let card = try TestIssuer.credential()
        let test = try TestGate.withCodes()
        test.look(card)
        test.wait(20)
        for number in 0..<80 { test.hold("poster \(number)", milliseconds: 100) }
        test.look(card)
        test.wait(100)
        // Eight seconds: still the same.
        #expect(test.outcomes == [.accepted])
    }
}
