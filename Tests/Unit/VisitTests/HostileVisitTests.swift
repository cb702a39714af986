import Bluetooth
import TestSupport
import Testing

@testable import Tuvali
@testable import Visit

/// A stranger within radio range against the whole gate. Nothing traps, nobody is let in, and the next visitor with a good
/// credential is.
@Suite struct HostileVisitTests {
    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func randomPDUsInRandomPhases(_ seed: UInt64) throws {
        var numbers = SeededRandom(seed: seed)
        let test = try TestGate()
        for _ in 0..<4000 {
            if !test.isConnected {
                test.wait(UInt64.random(in: 0...50, using: &numbers))
                // Otherwise hardly anything but the first three is served.
                test.renewPhone()
                if !test.isConnected, test.controller.isAdvertising {
                    test.connect(mtu: [nil, 67, 517].randomElement(using: &numbers) ?? nil)
                }
            }
            switch Int.random(in: 0..<100, using: &numbers) {
            case 0: test.leave()
            case 1..<6: test.wait(UInt64.random(in: 0...2000, using: &numbers))
            case 6..<10: test.write(.identifyRequest, numbers.bytes(44))
            case 10..<15:
                test.write(.responseSize, [0, 0, UInt8.random(in: 0...4, using: &numbers), UInt8.random(in: 0...255, using: &numbers)])
            case 15..<20: test.write(.transferReportRequest, [UInt8.random(in: 0...2, using: &numbers)])
            case 20..<50:
                let count = [60, 505, 1, 93].randomElement(using: &numbers) ?? 60
                test.write(.submitResponse, TestGate.chunk(Int.random(in: 0...12, using: &numbers), numbers.bytes(count)))
            default:
                let opcodes: [UInt8] = [0x02, 0x04, 0x06, 0x08, 0x0A, 0x0C, 0x0E, 0x10, 0x12, 0x16, 0x18, 0x1E, 0x20, 0x52, 0xD2]
                let handle = UInt8.random(in: 0...0x40, using: &numbers)
                let opcode = opcodes.randomElement(using: &numbers) ?? 0
                test.controller.send([opcode, handle, 0] + numbers.bytes(Int.random(in: 0...80, using: &numbers)))
                test.turn()
            }
        }
        test.expectNoAccept()
        try expectNextVisitorServed(test)
    }

    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func everyMessageCutChangedOrOfNoiseIsRejected(_ seed: UInt64) throws {
        var numbers = SeededRandom(seed: seed &* 77)
        let test = try TestGate()
        let good = try TestIssuer.payload()
        for round in 0..<40 {
            let wallet = try TestWallet()
            var plaintext = TestWallet.gzip(good)
            let place = Int.random(in: 0..<plaintext.count, using: &numbers)
            switch round % 4 {
            case 0: plaintext = Array(plaintext.prefix(place))
            // The member's checksum and length: elsewhere a bit may mean nothing, padding for one.
            case 1: plaintext[plaintext.count - 1 - place % 8] ^= 1 << UInt8.random(in: 0...7, using: &numbers)
            // Inside the credential every octet is signed.
            case 2:
                var text = good
                let inside = Int.random(in: 90..<(text.count - 4), using: &numbers)
                text[inside] = text[inside] == 0x41 ? 0x42 : 0x41
                plaintext = TestWallet.gzip(text)
            default: plaintext = numbers.bytes(Int.random(in: 0...300, using: &numbers))
            }
            test.renewPhone()
            test.visit(wallet, try wallet.seal(plaintext, for: test.key), mtu: 185)
            test.wait(50)
            test.leave()
            #expect(test.records.count == round + 1)
        }
        test.expectNoAccept()
        #expect(test.outcomes.allSatisfy { $0 == .rejected })
        try expectNextVisitorServed(test)
    }

    private func expectNextVisitorServed(_ test: TestGate) throws {
        test.leave()
        test.wait(700_000)
        #expect(!test.isConnected)
        #expect(test.light == .ready)
        #expect(test.isForgotten)
        try test.goodVisit()
        test.wait(50)
        #expect(test.outcomes.last == .accepted)
        #expect(test.light == .accept)
    }
}
