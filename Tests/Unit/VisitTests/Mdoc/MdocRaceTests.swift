import Bluetooth
import CBOR
import Mdoc
import MdocTransport
import Testing

@testable import Presentation
@testable import Visit

/// Engagements beside wallets, cards, faults of the controller and the end of the gate: whoever commits first is served.
@Suite struct MdocRaceTests {
    @Test func whoHasIdentifiedIsNotDisturbed() throws {
        let test = try TestGate.withMdoc()
        try test.goodVisit(upTo: .identified)
        #expect(!test.wantsCodes)
        test.look(try MdocTestPhone().code)
        #expect(test.isCommitted && !test.gate.presentations.isByMdoc && test.controller.isLinked)
    }

    @Test func whoHasOnlyConnectedYields() throws {
        let test = try TestGate.withMdoc(), phone = try MdocTestPhone()
        test.connect()
        test.look(phone.code)
        test.wait(1000)
        // It was asked to leave, and the engagement's service is on the air.
        #expect(!test.controller.isLinked && test.controller.isAdvertising)
        #expect(test.controller.data.prefix(5) == [2, 1, 6, 0x11, 7])
        test.renewPhone()
        test.connect()
        test.subscribe(.serverToClient)
        test.write(.state, [1])
        try test.deliver(to: phone)
        test.send(try phone.answer(try phone.response()))
        #expect(test.records.map(\.outcome) == [.accepted])
        try test.stillServes()
    }

    @Test func aSecondCodeIsNotRead() throws {
        let test = try TestGate.withMdoc(), phone = try MdocTestPhone()
        try test.meet(phone)
        #expect(!test.wantsCodes)
        test.look(try MdocTestPhone().code)
        test.send(try phone.answer(try phone.response()))
        #expect(test.records.map(\.outcome) == [.accepted])
    }

    @Test func aControllerThatFailsEndsTheVisit() throws {
        let test = try TestGate.withMdoc(), phone = try MdocTestPhone()
        try test.meet(phone)
        test.controller.hardwareError()
        test.turn()
        #expect(test.records.first?.outcome == .controllerFault && test.records.first?.failure == "mdoc-no-radio")
        test.wait(5000)
        try test.stillServes()
    }

    /// What has been answered needs no radio any more.
    @Test func aControllerThatFailsAfterTheAnswerDoesNot() throws {
        let test = try TestGate.withMdoc(face: .whenPhoto), phone = try MdocTestPhone()
        try test.meet(phone)
        test.send(try phone.answer(try phone.response(portrait: [0xFF, 0xD8, 0xFF, 0xE0])))
        test.controller.hardwareError()
        test.turn()
        let request = try #require(test.takeFaceRequest())
        test.gate.faceDecided(TestGate.match, of: request.number, at: test.now)
        test.turn()
        #expect(test.records.first?.outcome == .accepted)
        test.wait(5000)
        try test.stillServes()
    }

    @Test func theGateStops() throws {
        for step in 0..<3 {
            let test = try TestGate.withMdoc(), phone = try MdocTestPhone()
            test.look(phone.code)
            if step > 0 { test.connect() }
            if step > 1 {
                test.subscribe(.serverToClient)
                test.write(.state, [1])
            }
            test.gate.stop(at: test.now)
            test.turn()
            test.wait(2000)
            #expect(test.isStopped && test.records.map(\.outcome) == [.stopped], "\(step): \(test.records)")
            #expect(!test.controller.isAdvertising)
        }
    }

    /// A stranger who connects to what is advertised for another is remembered, and the phone is served.
    @Test func aStrangerWhoConnectsAgainAndAgain() throws {
        let test = try TestGate.withMdoc(), phone = try MdocTestPhone()
        test.look(phone.code)
        test.renewPhone()
        for _ in 0..<8 where test.controller.isAdvertising {
            test.connect(mtu: nil)
            test.leave()
            test.wait(100)
        }
        #expect(test.records.isEmpty && test.controller.isAdvertising)
        test.renewPhone()
        test.connect()
        test.subscribe(.serverToClient)
        test.write(.state, [1])
        try test.deliver(to: phone)
        test.send(try phone.answer(try phone.response()))
        #expect(test.records.map(\.outcome) == [.accepted])
        try test.stillServes()
    }

    @Test func nothingOfAVisitIsLeft() throws {
        let test = try TestGate.withMdoc(), phone = try MdocTestPhone()
        try test.visit(phone)
        test.leave()
        test.waitForLights()
        test.wait(3000)
        #expect(test.gate.presentations.current == .none && test.gate.presentations.mdoc.isQuiet)
        let memory = UnsafeRawBufferPointer(test.gate.storage.answer)
        #expect(memory.allSatisfy { $0 == 0 } && UnsafeRawBufferPointer(test.gate.storage.question).allSatisfy { $0 == 0 })
    }

    /// A gate that has lost its radio in the middle serves its own table no sooner than it is back: until then that of the visit before
    /// lies there, and no other phone is to find it.
    @Test func eachEngagementHasATableOfItsOwn() throws {
        let test = try TestGate.withMdoc()
        test.look(try MdocTestPhone().code)
        #expect(test.controller.isAdvertising)
        test.gate.linkLost(at: test.now)
        test.turn()
        #expect(test.records.first?.failure == "mdoc-no-radio" && test.gate.presentations.mdoc.hasTable)
        let uuid = [UInt8](0x40..<0x50)
        let method = TestEngagement.bluetooth([(1, CBOREncoding.bool(true)), (11, CBOREncoding.bytes(uuid))])
        let phone = try MdocTestPhone(methods: [method])
        test.look(phone.code)
        test.open()
        test.wait(1000)
        #expect(test.controller.data.prefix(21) == [2, 1, 6, 0x11, 7] + uuid.reversed())
        test.renewPhone()
        test.connect()
        // Find By Type Value, of primary services: of the one that is advertised, and of the one before.
        for (service, opcode) in [(uuid, 0x07), (TestEngagement.uuid, 0x01)] as [([UInt8], UInt8)] {
            test.controller.send([0x06, 1, 0, 0xFF, 0xFF, 0x00, 0x28] + service.reversed())
            test.turn()
            #expect(test.answers.last?.first == opcode, "\(test.answers)")
        }
        test.subscribe(.serverToClient)
        test.write(.state, [1])
        try test.deliver(to: phone)
        test.send(try phone.answer(try phone.response()))
        #expect(test.records.last?.outcome == .accepted)
        try test.stillServes()
    }
}
