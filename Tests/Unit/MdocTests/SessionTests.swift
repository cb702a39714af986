import CBOR
import Cryptography
import TestSupport
import Testing

@testable import Mdoc

@Suite struct SessionTests {
    private static let ask = Array("ask".utf8), answer = Array("answer".utf8)

    /// The error of what begins or sends.
    private func failure(_ body: () throws(SessionError) -> Void) -> SessionError? {
        do throws(SessionError) {
            try body()
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: NISTCurve.allCases) func aSessionOnEveryCurve(_ curve: NISTCurve) throws {
        var phone = try TestPhone(curve)
        var session = try ReaderSession(phone.engagement)
        let key = try CBORDocument(parsing: session.readerKeyBytes).root.content(of: 24)?.bytes ?? []
        #expect(try CBORDocument(parsing: key).root[-2]?.bytes?.count == curve.coordinateLength)
        try phone.meet(session)
        let first = try session.establishment(request: Self.ask.span)
        #expect(try CBORDocument(parsing: first).root["eReaderKey"]?.source == session.readerKeyBytes)
        #expect(try phone.read(first) == Self.ask && session.isAwaitingResponse)
        #expect(Opened(&session, try phone.say(Self.answer)) == .message(Self.answer, nil, isAwaited: true))
        #expect(!session.isAwaitingResponse && !session.hasEnded)
    }

    @Test func everySessionHasAKeyOfItsOwn() throws {
        let phone = try TestPhone()
        let one = try ReaderSession(phone.engagement), other = try ReaderSession(phone.engagement)
        #expect(one.readerKeyBytes != other.readerKeyBytes && one.transcript != other.transcript)
    }

    @Test func theKeysCurveIsThePhones() throws {
        let phone = try TestPhone(.p384)
        let engagement = phone.engagement
        let error = failure { () throws(SessionError) in
            let pair: CurveAgreement
            do throws(CryptographyError) { pair = try CurveAgreement(.p256) } catch { throw .unavailable }
            _ = try ReaderSession(engagement, pair: pair)
        }
        #expect(error == .otherCurve)
    }

    @Test func severalRequestsGoOnCounting() throws {
        var phone = try TestPhone()
        var session = try ReaderSession(phone.engagement)
        try phone.meet(session)
        #expect(failure { () throws(SessionError) in _ = try session.request(Self.ask.span) } == .notEstablished)
        _ = try phone.read(try session.establishment(request: Self.ask.span))
        #expect(failure { () throws(SessionError) in _ = try session.establishment(request: Self.ask.span) } == .alreadyEstablished)
        for round in 0..<5 {
            #expect(failure { () throws(SessionError) in _ = try session.request(Self.ask.span) } == .requestInProgress)
            let answer = Self.answer + [UInt8(round)]
            #expect(Opened(&session, try phone.say(answer)) == .message(answer, nil, isAwaited: true))
            #expect(try phone.read(try session.request(Self.ask.span)) == Self.ask)
        }
        #expect(session.keys.reader.counter == 7 && session.keys.device.counter == 6)
    }

    @Test func aLateAnswerIsOpenedAndNotAwaited() throws {
        var phone = try TestPhone()
        var session = try ReaderSession(phone.engagement)
        try phone.meet(session)
        _ = try session.establishment(request: Self.ask.span)
        session.giveUp()
        #expect(Opened(&session, try phone.say(Self.answer)) == .message(Self.answer, nil, isAwaited: false))
        _ = try session.request(Self.ask.span)
        #expect(Opened(&session, try phone.say(Self.answer)) == .message(Self.answer, nil, isAwaited: true))
    }

    @Test func anAnswerWithAStatusIsTheLast() throws {
        for status in [10, 11, 20, 99] as [UInt64] {
            var phone = try TestPhone()
            var session = try ReaderSession(phone.engagement)
            try phone.meet(session)
            _ = try session.establishment(request: Self.ask.span)
            let message = try phone.say(Self.answer, status: status)
            #expect(Opened(&session, message) == .message(Self.answer, SessionStatus(rawValue: status), isAwaited: true))
            #expect(session.hasEnded && session.end() == nil)
            #expect(Opened(&session, try phone.say(Self.answer)) == .end(.over))
            #expect(failure { () throws(SessionError) in _ = try session.request(Self.ask.span) } == .over)
        }
    }

    @Test func aStatusAloneEndsAndTakesNoNumber() throws {
        for status in [0, 10, 11, 20, 21, .max] as [UInt64] {
            let phone = try TestPhone()
            var session = try ReaderSession(phone.engagement)
            _ = try session.establishment(request: Self.ask.span)
            let message = SessionData.encode(SessionStatus(rawValue: status))
            #expect(Opened(&session, message) == .end(.ended(SessionStatus(rawValue: status))))
            #expect(session.keys.device.counter == 1 && session.hasEnded)
        }
    }

    @Test func theGatesEnds() throws {
        let phone = try TestPhone()
        var unborn = try ReaderSession(phone.engagement)
        #expect(unborn.end() == nil && unborn.hasEnded)
        for (status, octets) in [(SessionStatus.encryptionError, "0a"), (.decodingError, "0b"), (.termination, "14")] {
            var session = try ReaderSession(phone.engagement)
            _ = try session.establishment(request: Self.ask.span)
            #expect(session.end(status) == hex("a166737461747573\(octets)"))
            #expect(session.end(status) == nil)
            #expect(Opened(&session, hex("a16673746174757314")) == .end(.over))
        }
        #expect(SessionEnd.decryptionError.answer == hex("a1667374617475730a"))
        #expect(SessionEnd.undecodable.answer == hex("a1667374617475730b"))
        #expect(SessionEnd.countersUsedUp.answer == hex("a16673746174757314"))
        #expect(SessionEnd.ended(.termination).answer == nil && SessionEnd.over.answer == nil)
    }

    // MARK: what does not open

    @Test func aFailureIsFinal() throws {
        var phone = try TestPhone()
        var session = try ReaderSession(phone.engagement)
        try phone.meet(session)
        _ = try session.establishment(request: Self.ask.span)
        let good = try phone.say(Self.answer)
        var bad = good
        bad[bad.count - 1] ^= 1
        #expect(Opened(&session, bad) == .end(.decryptionError))
        #expect(session.hasEnded && session.end() == nil)
        // The message itself would have opened.
        #expect(Opened(&session, good) == .end(.over))
        let zero = [UInt8](repeating: 0, count: 32)
        let hasKeys = session.keys.reader.matches(zero.span) || session.keys.device.matches(zero.span)
        #expect(!hasKeys)
    }

    @Test func everyChangedBitIsFound() throws {
        let d = [UInt8](repeating: 5, count: 32)
        var phone = try TestPhone()
        try phone.meet(try ReaderSession(phone.engagement, pair: try CurveAgreement(.p256, privateKey: d.span)))
        let message = try phone.say(Self.answer)
        for position in message.indices {
            for bit in 0..<8 {
                var mutant = message
                mutant[position] ^= 1 << bit
                var session = try ReaderSession(phone.engagement, pair: try CurveAgreement(.p256, privateKey: d.span))
                let opened = Opened(&session, mutant)
                #expect(opened == .end(.decryptionError) || opened == .end(.undecodable), "bit \(bit) of \(position)")
            }
        }
        var session = try ReaderSession(phone.engagement, pair: try CurveAgreement(.p256, privateKey: d.span))
        #expect(Opened(&session, message) == .message(Self.answer, nil, isAwaited: false))
    }

    @Test func otherNumbersAndOtherSidesDoNotOpen() throws {
        for change in 0..<3 {
            var phone = try TestPhone()
            var session = try ReaderSession(phone.engagement)
            try phone.meet(session)
            let establishment = try session.establishment(request: Self.ask.span)
            let first = try phone.say(Self.answer), second = try phone.say(Self.answer)
            switch change {
            case 0: #expect(Opened(&session, second) == .end(.decryptionError))
            case 1:
                #expect(Opened(&session, first) == .message(Self.answer, nil, isAwaited: true))
                #expect(Opened(&session, first) == .end(.decryptionError))
            default: #expect(Opened(&session, establishment) == .end(.decryptionError))
            }
        }
    }

    @Test func theLastNumberIsNeverUsed() throws {
        var phone = try TestPhone()
        var session = try ReaderSession(phone.engagement)
        try phone.meet(session)
        _ = try session.establishment(request: Self.ask.span)
        session.giveUp()
        session.keys.reader.counter = .max - 1
        _ = try session.request(Self.ask.span)
        session.giveUp()
        #expect(failure { () throws(SessionError) in _ = try session.request(Self.ask.span) } == .countersUsedUp)
        #expect(session.hasEnded == true)

        var other = try ReaderSession(phone.engagement)
        try phone.meet(other)
        _ = try other.establishment(request: Self.ask.span)
        other.keys.device.counter = .max
        #expect(Opened(&other, try phone.say(Self.answer)) == .end(.countersUsedUp))
        #expect(other.hasEnded == true)
    }

    @Test func messagesThatAreNoSessionData() throws {
        let octets = [UInt8](repeating: 0x81, count: 100_000) + [0]
        let cases: [[UInt8]] = [
            [], [0xA0], [0x80], [0xF6], hex("ff00"), hex("a16464617461"), hex("a1646461746101"), hex("a16464617461f6"),
            hex("a16673746174757320"), hex("a166737461747573f6"), hex("a1667374617475736131"), hex("a164646174616161"),
            hex("a1646461746140 00"), octets,
            hex("a2646461746140646461746140"), hex("a16564617461 3140"), [UInt8](repeating: 0, count: SessionData.longest + 1),
            hex("a2 646461746141 00 667374617475736161"), hex("bf"), hex("bbffffffffffffffff"), hex("a1 6464617461 5b7fffffffffffffff 00"),
        ]
        for message in cases {
            let phone = try TestPhone()
            var session = try ReaderSession(phone.engagement)
            #expect(Opened(&session, message) == .end(.undecodable), "\(Hex.text(message.prefix(40)))")
            #expect(session.hasEnded == true)
        }
    }

    @Test func whatOthersWriteIsRead() throws {
        var phone = try TestPhone()
        var session = try ReaderSession(phone.engagement)
        try phone.meet(session)
        let data = try CBORDocument(parsing: try phone.say(Self.answer)).root["data"]?.bytes ?? []
        // Indefinite, in chunks, with long heads, and members nobody knows.
        let chunks = CBOREncoding.bytes(data.prefix(5)) + CBOREncoding.bytes(data.dropFirst(5))
        let message = hex("bf 7800 f5 6161 83010203 7804 64617461 5f") + chunks + [0xFF, 0xFF]
        #expect(Opened(&session, message) == .message(Self.answer, nil, isAwaited: false))
    }

    @Test func dataInManyPieces() throws {
        var phone = try TestPhone()
        var session = try ReaderSession(phone.engagement)
        try phone.meet(session)
        let answer = [UInt8](repeating: 9, count: 60_000)
        let data = try CBORDocument(parsing: try phone.say(answer)).root["data"]?.bytes ?? []
        var message = hex("a1 6464617461 5f")
        for start in stride(from: 0, to: data.count, by: 16) { message += CBOREncoding.bytes(data[start..<min(start + 16, data.count)]) }
        #expect(Opened(&session, message + [0xFF]) == .message(answer, nil, isAwaited: false))
    }

    @Test func lengthsOfData() throws {
        for length in [0, 1, 15, 16, 17] {
            let phone = try TestPhone()
            var session = try ReaderSession(phone.engagement)
            let message = SessionData.encode([UInt8](repeating: 0, count: length))
            #expect(Opened(&session, message) == .end(.decryptionError), "\(length)")
        }
        var phone = try TestPhone()
        var session = try ReaderSession(phone.engagement)
        try phone.meet(session)
        #expect(Opened(&session, try phone.say([])) == .message([], nil, isAwaited: false))
        let long = [UInt8](repeating: 7, count: SessionData.longest - 40)
        #expect(Opened(&session, try phone.say(long)) == .message(long, nil, isAwaited: false))
        let longer = [UInt8](repeating: 7, count: SessionData.longest - 15)
        #expect(failure { () throws(SessionError) in _ = try session.establishment(request: longer.span) } == .tooLong)
        // It was the request's fault: the session is as it was.
        #expect(try phone.read(try session.establishment(request: Self.ask.span)) == Self.ask)
    }

    @Test func noiseIsAnErrorOfItsType() throws {
        var random = SeededRandom(seed: 5)
        let phone = try TestPhone()
        for _ in 0..<500 {
            var session = try ReaderSession(phone.engagement)
            let noise = random.bytes(Int.random(in: 0..<200, using: &random))
            if case .message = Opened(&session, noise) { Issue.record("noise opened") }
            #expect(session.hasEnded == true)
        }
    }
}
