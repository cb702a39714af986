import Bluetooth
import TestSupport
import Testing

@testable import Tuvali

/// A stranger within radio range: values cut at every length, and a hundred thousand made-up ones.
@Suite struct HostileWriteTests {
    static let message = TestVisit.message(150)

    /// Every valid value cut at every length, in every phase: the value whole afterwards still does its work, or the
    /// session has ended by a documented error.
    @Test func everyTruncationOfEveryValueInEveryPhase() throws {
        let values: [(Characteristic, [UInt8])] = [
            (.identifyRequest, WalletSide.identify), (.responseSize, WalletSide.size(150)),
            (.submitResponse, WalletSide.chunks(Self.message, mtu: 67)[0]), (.submitResponse, WalletSide.chunks(Self.message, mtu: 67)[2]),
            (.transferReportRequest, [1]), (.transferReportRequest, [2]),
        ]
        for phase in [
            Session.Phase.idle, .advertising, .connected, .identified, .secure, .receiving, .deciding, .waitingDisconnect, .closing,
        ] {
            for (characteristic, value) in values {
                for count in 0..<value.count {
                    let visit = try TestVisit.at(phase, size: 150)
                    visit.write(characteristic, Array(value.prefix(count)), isCommand: count % 2 == 0)
                    // Only a size that is cut off is answered by more than silence.
                    let ends = phase == .secure && characteristic == .responseSize
                    #expect(visit.phase == (ends ? .closing : phase), "\(characteristic) cut at \(count) in \(phase)")
                    if phase == .receiving { #expect(visit.isBufferZero) }
                }
            }
        }
    }

    @Test func everyHandleTakesEveryLengthInEveryPhase() throws {
        for phase in [
            Session.Phase.idle, .advertising, .connected, .identified, .secure, .receiving, .deciding, .waitingDisconnect, .closing,
        ] {
            for handle in 0x0000...0x0040 as ClosedRange<UInt16> {
                let visit = try TestVisit.at(phase, size: 150)
                for count in [0, 1, 2, 3, 4, 5, 43, 44, 45, 64, 65, 509, 512] {
                    visit.write(handle, [UInt8](repeating: UInt8(count & 0xFF), count: count))
                    visit.write(handle, [UInt8](repeating: 0xFF, count: count), isCommand: false)
                }
                expectEnd(visit)
            }
        }
    }

    /// Random values to random handles at random times, with links that come and go, applications that decide or fail,
    /// and a link layer that is sometimes busy. Nothing traps, every report can be read, and without the stranger's
    /// help the session ends by its own deadlines.
    @Test(arguments: 0..<10)
    func aHundredThousandRandomWrites(_ part: Int) throws {
        var numbers = SeededRandom(seed: 0x6A7E_0000 + UInt64(part))
        var visit = try TestVisit.at(.connected)
        var writes = 0
        while writes < 10_000 {
            switch Int.random(in: 0..<1000, using: &numbers) {
            case 0..<4:
                expectEnd(visit)
                visit = try Self.fresh(&numbers)
            case 4..<10:
                if visit.isLinkUp {
                    visit.leave()
                } else {
                    visit.connect(mtu: [nil, 23, 67, 185, 517].randomElement(using: &numbers) ?? nil)
                }
            case 10..<30: visit.wait(UInt64.random(in: 0...400, using: &numbers))
            case 30..<34: visit.isLinkBusy.toggle()
            case 34..<38: visit.session.mtuExchanged(UInt16.random(in: 23...600, using: &numbers), now: visit.now)
            case 38..<42: visit.decide(Bool.random(using: &numbers))
            case 42..<43: visit.session.fail(.unknown, now: visit.now)
            case 43..<44: _ = visit.stop()
            case 44..<48: try? visit.session.startAdvertisement(now: visit.now)
            case 48..<60: _ = visit.read(Characteristic(rawValue: UInt8.random(in: 0...8, using: &numbers)) ?? .request)
            default:
                let (handle, value) = Self.value(visit, &numbers)
                visit.write(handle, value, isCommand: Bool.random(using: &numbers))
                writes += 1
            }
            for report in visit.reports.suffix(1) where visit.totalChunks > 0 {
                _ = try WalletSide.Report(report, mtu: 600, total: TransferSize.maximumChunks)
            }
        }
        expectEnd(visit)
    }

    private static func fresh(_ numbers: inout SeededRandom) throws -> TestVisit {
        let phases: [Session.Phase] = [
            .idle, .advertising, .connected, .identified, .secure, .receiving, .receiving, .deciding, .waitingDisconnect, .closing,
        ]
        let phase = phases.randomElement(using: &numbers) ?? .connected
        let visit = try TestVisit.at(phase, size: Int.random(in: 1...2000, using: &numbers))
        // Told once, the link goes down: that it does is the host's promise.
        visit.obeysDisconnect = true
        return visit
    }

    /// Noise, half of it shaped like what belongs there.
    private static func value(_ visit: TestVisit, _ numbers: inout SeededRandom) -> (UInt16, [UInt8]) {
        let characteristic = Characteristic(rawValue: UInt8.random(in: 0...8, using: &numbers)) ?? .submitResponse
        let handle = visit.service.handle(characteristic)
        switch Int.random(in: 0..<8, using: &numbers) {
        case 0: return (UInt16.random(in: 0...0xFFFF, using: &numbers), numbers.bytes(Int.random(in: 0...512, using: &numbers)))
        case 1: return (handle, numbers.bytes(Int.random(in: 0...512, using: &numbers)))
        case 2: return (visit.service.handle(.identifyRequest), numbers.bytes(44))
        case 3: return (visit.service.handle(.responseSize), WalletSide.size(Int.random(in: 0...3000, using: &numbers)))
        case 4: return (visit.service.handle(.transferReportRequest), [UInt8.random(in: 0...3, using: &numbers)])
        default:
            let payload = numbers.bytes([60, 60, 178, 505, 1, 30].randomElement(using: &numbers) ?? 60)
            return (visit.service.handle(.submitResponse), WalletSide.chunk(Int.random(in: 0...40, using: &numbers), payload))
        }
    }

    /// Left alone, the session is over within the longest of its deadlines, and forced the link down if there was one.
    private func expectEnd(_ visit: TestVisit, sourceLocation: SourceLocation = #_sourceLocation) {
        visit.obeysDisconnect = true
        visit.isLinkBusy = false
        // The verdict is the application's: it always comes.
        visit.decide(false)
        visit.wait(3_600_000)
        visit.decide(false)
        visit.wait(3_600_000)
        #expect(visit.phase == .idle, sourceLocation: sourceLocation)
        #expect(visit.deadline == nil, sourceLocation: sourceLocation)
        visit.session.reset()
        #expect(visit.buffer.prefix(4096).allSatisfy { $0 == 0 }, sourceLocation: sourceLocation)
    }
}
