import Bluetooth
import CBOR
import Mdoc
import MdocTransport
import Testing

@testable import Presentation
@testable import Visit

/// Visits by an engagement that come to nothing: each ends by a name within its deadline, and the next visit is served.
@Suite struct MdocEndTests {
    private func record(_ test: TestGate) throws -> VisitRecord { try #require(test.records.first) }

    @Test func nobodyComes() throws {
        let test = try TestGate.withMdoc()
        test.look(try MdocTestPhone().code)
        test.wait(29_900)
        #expect(test.records.isEmpty && test.controller.isAdvertising)
        test.wait(200)
        let record = try record(test)
        #expect(record.outcome == .timedOut && record.failure == "mdoc-no-link" && record.mdoc?.bearer == nil && record.reasons.isEmpty)
        #expect(test.lights.contains(.reject) && test.verdicts.isEmpty)
        try test.stillServes()
    }

    /// The bar grows while a person reads, for five minutes; then the phone is told.
    @Test func nobodyAgrees() throws {
        let test = try TestGate.withMdoc(), phone = try MdocTestPhone()
        try test.meet(phone)
        test.wait(299_000)
        #expect(test.records.isEmpty)
        let bar = test.signs.compactMap { if case .approve(let percent) = $0 { percent } else { nil } }
        #expect(bar == stride(from: UInt8(0), to: 100, by: 5).map { $0 }, "\(bar)")
        test.wait(1100)
        let record = try record(test)
        #expect(record.outcome == .timedOut && record.failure == "mdoc-no-answer" && record.mdoc?.bearer == .server)
        try test.deliver(to: phone)
        #expect(phone.messages.last == (try phone.answer(nil, status: 20)))
        try test.stillServes()
    }

    @Test func thePersonRefuses() throws {
        let test = try TestGate.withMdoc(), phone = try MdocTestPhone()
        try test.meet(phone)
        test.write(.state, [2])
        #expect(try record(test).outcome == .left && record(test).failure == "mdoc-phone-ended")
        try test.stillServes()
    }

    @Test func thePhoneSaysOnlyThatItEnds() throws {
        let test = try TestGate.withMdoc(), phone = try MdocTestPhone()
        try test.meet(phone)
        test.send(try phone.answer(nil, status: 20))
        #expect(try record(test).outcome == .left && record(test).failure == "mdoc-session-ended")
        try test.stillServes()
    }

    @Test func thePhoneLeaves() throws {
        for isHalf in [false, true] {
            let test = try TestGate.withMdoc(), phone = try MdocTestPhone()
            try test.meet(phone)
            if isHalf { test.write(.clientToServer, [1, 2, 3]) }
            test.leave()
            #expect(try record(test).outcome == .left && record(test).failure == "mdoc-link-lost")
            try test.stillServes()
        }
    }

    @Test func whatDoesNotOpenEndsTheSession() throws {
        let test = try TestGate.withMdoc(), phone = try MdocTestPhone()
        try test.meet(phone)
        var answer = try phone.answer(try phone.response())
        answer[answer.count - 1] ^= 1
        test.send(answer)
        #expect(try record(test).outcome == .failed && record(test).failure == "mdoc-not-authentic")
        try test.deliver(to: phone)
        #expect(phone.messages.last == (try phone.answer(nil, status: 10)))
        try test.stillServes()
    }

    @Test func whatIsNoMessageEndsTheSession() throws {
        for (values, failure) in [
            ([[0, 0xFF, 0xFF]], "mdoc-undecodable"), ([[2, 1]], "mdoc-message-malformed"), ([[]], "mdoc-message-malformed"),
        ] as [([[UInt8]], String)] {
            let test = try TestGate.withMdoc(), phone = try MdocTestPhone()
            try test.meet(phone)
            for value in values { test.write(.clientToServer, value) }
            #expect(try record(test).outcome == .failed && record(test).failure == failure, "\(values)")
            try test.deliver(to: phone)
            #expect(phone.messages.last == (try phone.answer(nil, status: 11)))
            try test.stillServes()
        }
    }

    @Test func aPhoneThatNeverStarts() throws {
        let test = try TestGate.withMdoc()
        test.look(try MdocTestPhone().code)
        test.connect()
        test.wait(9_900)
        #expect(test.records.isEmpty)
        test.wait(1_200)
        #expect(try record(test).outcome == .timedOut && record(test).failure == "mdoc-no-start")
        try test.stillServes()
    }

    /// A link that fails is no phone's: the phone is looked for until its time is over.
    @Test func aLinkThatFailsIsTriedAgain() throws {
        let test = try TestGate.withMdoc(), phone = try MdocTestPhone()
        test.look(phone.code)
        let address = test.controller.address
        test.connect()
        test.leave()
        #expect(test.records.isEmpty && test.controller.isAdvertising && test.controller.address == address)
        test.renewPhone()
        test.connect()
        test.subscribe(.serverToClient)
        test.write(.state, [1])
        try test.deliver(to: phone)
        test.send(try phone.answer(try phone.response()))
        #expect(try record(test).outcome == .accepted)
        try test.stillServes()
    }

    /// Of what the phone says only the standard's numbers are recorded: another may be anything, also a document's number.
    @Test(arguments: [(10, "10"), (12, "12"), (13, "other"), (4_915_112_345_678, "other"), (.max, "other")] as [(UInt64, String)])
    func thePhoneCannotAnswer(status: UInt64, detail: String) throws {
        let test = try TestGate.withMdoc(), phone = try MdocTestPhone()
        try test.meet(phone)
        test.send(try phone.answer(TestDocument.response([], status: status)))
        let found = try record(test)
        #expect(found.outcome == .rejected && found.reasons.map(\.code) == ["response-refused"], "\(found)")
        #expect(found.reasons.first?.detail == detail)
        try test.stillServes()
    }

    @Test func codesThatAreNoEngagement() throws {
        let peripheral = TestEngagement.bluetooth([(0, CBOREncoding.bool(true)), (10, CBOREncoding.bytes(TestEngagement.uuid))])
        for (code, reason) in [
            ("mdoc:owBjMS4wAYIB2BhYS6QBAiABIVgg", MdocReason.engagement(.notAnEngagement)),
            (try MdocTestPhone(methods: [peripheral]).code, .bearerUnsupported),
        ] {
            let test = try TestGate.withMdoc()
            test.look(code)
            test.wait(1)
            #expect(try record(test).outcome == .rejected && record(test).reasons == [.mdoc(reason)])
            #expect(test.lights.last == .reject && test.signs.last == .rejected(.mdoc(reason)))
            try test.stillServes()
        }
    }

    @Test func nobodyIsBelieved() throws {
        let test = try TestGate.withMdoc()
        test.gate.believe(mdoc: nil)
        test.look(try MdocTestPhone().code)
        test.wait(1)
        #expect(try record(test).reasons == [.credential(.unsupportedForm(.mdoc))] && record(test).presentation == .code)
        try test.stillServes()
    }

    @Test func aCodeIsAnsweredOnce() throws {
        let test = try TestGate.withMdoc(), phone = try MdocTestPhone()
        try test.visit(phone)
        test.leave()
        test.waitForLights()
        test.wait(3000)
        test.hold(phone.code, "", milliseconds: 60_000)
        #expect(test.records.count == 1)
    }
}
