import Bluetooth
import Testing

@testable import Faces
@testable import Presentation
@testable import Tuvali
@testable import Visit

/// Everything that can happen, in any order: phones, codes, faults, faces, bundles and time.
@Suite("Codes in a crowd") struct CodeNoiseTests {
    private struct Chance: RandomNumberGenerator {
        var state: UInt64

        /// Steele and others' SplitMix64.
        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var word = state
            word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
            word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
            return word ^ word >> 31
        }
    }

    @Test("whatever the order, nobody bad is let in, and the next visitor is served", arguments: 0..<48 as Range<UInt64>)
    func anyOrder(seed: UInt64) throws {
        var chance = Chance(state: seed)
        let face: Policy.Face = seed % 2 == 0 ? .off : .required
        let test = try TestGate.withCodes(face: face, copies: seed % 3 == 0 ? [] : ["*"], allowsSupervisor: seed % 5 == 0)
        test.visitsWaitForLights = false
        var isOpen = true, cards = 0
        for _ in 0..<80 {
            test.controller.endsLinks = Int.random(in: 0..<8, using: &chance) != 0
            switch Int.random(in: 0..<18, using: &chance) {
            case 0, 1: test.look(try StrangeCode.rejected().randomElement(using: &chance) ?? "")
            case 2: test.look(StrangeCode.ignored.randomElement(using: &chance) ?? "")
            case 3: test.hold("", milliseconds: 3500)
            case 4, 5, 6:
                cards += 1
                test.look(try TestIssuer.credential(name: "\(cards)", portrait: TestGate.photo))
            case 7: test.connect()
            case 8: test.write(.identifyRequest, try TestWallet().identify)
            case 9: test.leave()
            case 10:
                // Without a code on the screen there is no key to seal for.
                guard test.key.count == 32 else { break }
                let steps = TestGate.Step.allCases
                try test.visit(
                    with: TestIssuer.wrapped(TestIssuer.credential(portrait: TestGate.photo)),
                    upTo: steps.randomElement(using: &chance) ?? .asked)
            case 11: test.controller.hardwareError()
            case 12:
                if isOpen { test.gate.linkLost(at: test.now) } else { test.gate.linkOpened(at: test.now) }
                isOpen.toggle()
            case 13: _ = test.turnKey()
            case 14: test.believeAgain()
            case 15:
                if let request = test.takeFaceRequest() {
                    let isMatch = Bool.random(using: &chance)
                    test.gate.faceDecided(isMatch ? TestGate.match : FaceOutcome(refused: .noMatch), of: request.number, at: test.now)
                }
            default: test.wait(UInt64(1) << UInt64.random(in: 0..<20, using: &chance))
            }
            test.turn()
            #expect(test.wantsCodes == !test.isCommitted)
            // While a code is judged nobody else is served.
            if test.isByCode { #expect(!test.isServingLink && (!test.isRadioReady || !test.controller.isAdvertising)) }
        }
        for record in test.records where record.outcome == .accepted {
            #expect(record.reasons.isEmpty && record.issuer == "https://issuer.example" && record.form == .sdJWT)
            if face == .required { #expect(record.isHolderBound == true || record.notes.contains("supervisor")) }
            if record.presentation == .code { #expect(record.mtu == 0 && record.chunks == 0 && record.times.identified == nil) }
        }
        #expect(test.verdicts.filter { $0 }.count == test.records.filter { $0.outcome == .accepted }.count)
        try expectService(test, isOpen: isOpen)
    }

    /// With a controller that works, and after a while, a phone is served and a code is.
    private func expectService(_ test: TestGate, isOpen: Bool) throws {
        test.controller.endsLinks = true
        // Also after a fault that asked the shell for more than a reset.
        test.open()
        test.leave()
        test.wait(700_000)
        test.leave()
        test.hold("", milliseconds: 4000)
        #expect(test.light == .ready && test.controller.isAdvertising && test.wantsCodes && !test.isConnected)
        let before = test.records.count
        test.renewPhone()
        try test.visit(with: TestIssuer.wrapped(TestIssuer.credential(portrait: TestGate.photo)))
        test.wait(50)
        if test.faceRequest != nil { try test.answer(TestGate.match) }
        test.leave()
        test.waitForLights()
        test.look(try TestIssuer.credential(name: "last", portrait: TestGate.photo))
        test.wait(50)
        if test.faceRequest != nil { try test.answer(TestGate.match) }
        #expect(test.records.dropFirst(before).map(\.presentation) == [.tuvali, .code])
        #expect(test.records.dropFirst(before).first?.outcome == .accepted)
    }
}
