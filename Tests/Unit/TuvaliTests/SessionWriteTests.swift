import Bluetooth
import Testing

@testable import Tuvali

/// Identify, sizes and chunks, as a wallet or a stranger writes them, and when (tuvali.md sections 5 and 6).
@Suite struct SessionWriteTests {
    // MARK: Identify

    @Test func identifyIsNonceThenKey() throws {
        let visit = try TestVisit.at(.identified)
        #expect(visit.nonce == WalletSide.nonce)
        #expect(visit.walletKey == WalletSide.key)
        #expect(visit.events.contains(.identified))
    }

    @Test func aShortIdentifyIsIgnored() throws {
        let visit = try TestVisit.at(.connected)
        for count in 0..<44 { visit.write(.identifyRequest, Array(WalletSide.identify.prefix(count))) }
        #expect(visit.phase == .connected)
        #expect(visit.count(.shortIdentify) == 44)
        #expect(visit.nonce == [UInt8](repeating: 0, count: 12))
        #expect(visit.walletKey == [UInt8](repeating: 0, count: 32))
    }

    @Test func octetsBehindIdentifyAreIgnored() throws {
        let visit = try TestVisit.at(.connected)
        visit.write(.identifyRequest, WalletSide.identify + [UInt8](repeating: 0xEE, count: 400))
        #expect(visit.nonce == WalletSide.nonce)
        #expect(visit.walletKey == WalletSide.key)
    }

    @Test(arguments: [Session.Phase.identified, .secure, .receiving, .deciding, .waitingDisconnect, .closing])
    func aSecondIdentifyChangesNothing(_ phase: Session.Phase) throws {
        let visit = try TestVisit.at(phase)
        let events = visit.events
        visit.write(.identifyRequest, [UInt8](repeating: 0x11, count: 44))
        #expect(visit.nonce == WalletSide.nonce)
        #expect(visit.walletKey == WalletSide.key)
        #expect(visit.phase == phase)
        #expect(visit.events == events)
        #expect(visit.count(.secondIdentify) == 1)
    }

    // MARK: Response Size

    @Test func aResponseSizeOfZeroEndsTheSession() throws {
        let visit = try TestVisit.at(.secure)
        visit.write(.responseSize, [0, 0, 0, 0])
        visit.expectFailure(.responseSizeInvalid, "TVV_TRA_001")
    }

    /// Values that crash the reference, and those past the limits: 4 MiB in all, 32,767 chunks.
    @Test(
        arguments: [
            [0xFF, 0xFF, 0xFF, 0xFF], [0x80, 0, 0, 0], [0x7F, 0xFF, 0xFF, 0xFF], [1, 0, 0, 0], [0, 0x40, 0, 1],
        ] as [[UInt8]])
    func aResponseSizeThatIsTooLargeEndsTheSession(_ value: [UInt8]) throws {
        let visit = TestVisit(capacity: TransferSize.maximumCiphertext)
        try visit.advertise()
        visit.connect(mtu: 517)
        visit.write(.identifyRequest, WalletSide.identify)
        visit.write(.responseSize, value)
        visit.expectFailure(.responseSizeInvalid, "TVV_TRA_001")
    }

    @Test func fourMebibytesAreTaken() throws {
        let visit = TestVisit(capacity: TransferSize.maximumCiphertext)
        try visit.advertise()
        visit.connect(mtu: 517)
        visit.write(.identifyRequest, WalletSide.identify)
        visit.write(.responseSize, [0, 0x40, 0, 0])
        #expect(visit.errors == [])
        #expect(visit.phase == .receiving)
        #expect(visit.totalChunks == (4 << 20) / 505 + 1)
    }

    @Test func moreThan32767ChunksEndTheSession() throws {
        for (size, fits) in [(32767 * 60, true), (32767 * 60 + 1, false)] {
            let visit = TestVisit(capacity: TransferSize.maximumCiphertext)
            try visit.advertise()
            visit.connect(mtu: 67)
            visit.write(.identifyRequest, WalletSide.identify)
            visit.write(.responseSize, WalletSide.size(size))
            #expect(visit.errors == (fits ? [] : [.responseSizeInvalid]))
        }
    }

    @Test func aResponseSizeCutOffEndsTheSession() throws {
        for count in 0..<4 {
            let visit = try TestVisit.at(.secure)
            visit.write(.responseSize, Array(WalletSide.size(100).prefix(count)))
            visit.expectFailure(.peripheralFailed, "TVV_UNK_002")
        }
    }

    @Test(arguments: [Session.Phase.receiving, .deciding, .waitingDisconnect])
    func aSecondResponseSizeChangesNothing(_ phase: Session.Phase) throws {
        let visit = try TestVisit.at(phase, size: 600)
        for value in [WalletSide.size(7), WalletSide.size(600), [0, 0, 0, 0], [1], [0xFF, 0xFF, 0xFF, 0xFF]] {
            visit.write(.responseSize, value)
        }
        #expect(visit.count(.secondResponseSize) == 5)
        #expect(visit.messageSize == 600)
        #expect(visit.phase == phase)
        #expect(visit.errors == [])
    }

    @Test func aResponseSizeBeforeIdentifyIsIgnored() throws {
        let visit = try TestVisit.at(.connected)
        visit.write(.responseSize, WalletSide.size(100))
        #expect(visit.count(.outOfTurn) == 1)
        #expect(visit.phase == .connected)
        #expect(visit.messageSize == 0)
    }

    @Test func withoutAnMTUExchangeThereIsNoTransfer() throws {
        let visit = TestVisit()
        try visit.advertise()
        visit.connect(mtu: nil)
        visit.write(.identifyRequest, WalletSide.identify)
        visit.write(.responseSize, WalletSide.size(100))
        visit.expectFailure(.mtuTooSmall, "TVV_CON_001")
    }

    @Test func anMTUBelow67EndsTheSession() throws {
        for mtu in [23, 66, 67, 517] as [UInt16] {
            for phase in [Session.Phase.connected, .secure, .receiving] {
                let visit = try TestVisit.at(phase)
                visit.session.mtuExchanged(mtu, now: visit.now)
                visit.pump()
                if mtu < 67 { visit.expectFailure(.mtuTooSmall, "TVV_CON_001") } else { #expect(visit.phase == phase) }
            }
        }
    }

    /// Once the message is there the verdict stands: what the wallet agrees with its own stack changes nothing.
    @Test func anMTUBelow67AfterTheMessageChangesNothing() throws {
        for phase in [Session.Phase.deciding, .waitingDisconnect] {
            let visit = try TestVisit.at(phase)
            visit.session.mtuExchanged(23, now: visit.now)
            visit.pump()
            #expect(visit.errors == [])
            #expect(visit.phase == phase)
        }
    }

    // MARK: chunks

    @Test func chunksBeforeTheSizeAreIgnored() throws {
        for phase in [Session.Phase.connected, .identified, .secure] {
            let visit = try TestVisit.at(phase)
            visit.write(.submitResponse, WalletSide.chunk(1, [1, 2, 3]))
            #expect(visit.count(.beforeSize) == 1)
            #expect(visit.phase == phase)
            #expect(visit.isBufferZero)
        }
    }

    @Test func chunksAfterTheLastAreIgnored() throws {
        for phase in [Session.Phase.deciding, .waitingDisconnect] {
            let visit = try TestVisit.at(phase, size: 120)
            visit.write(.submitResponse, WalletSide.chunk(1, [UInt8](repeating: 3, count: 60)))
            #expect(visit.count(.afterLast) == 1)
            #expect(visit.received == TestVisit.message(120))
        }
    }

    @Test func whatEachChunkSufferedIsCounted() throws {
        let visit = try TestVisit.at(.receiving, size: 120)
        let chunks = WalletSide.chunks(TestVisit.message(120), mtu: 67)
        var broken = chunks[0]
        broken[20] ^= 1
        let other = WalletSide.chunk(1, [UInt8](repeating: 1, count: 60))
        visit.send([[], [0, 1, 0], chunks[0] + [0], WalletSide.chunk(0, [1]), WalletSide.chunk(0x8000, [1])])
        visit.send([WalletSide.chunk(1, [1]), broken, chunks[0], chunks[0], other, chunks[1], chunks[1]])
        let expected: [(ChunkAssembler.Outcome, UInt32)] = [
            (.tooShort, 2), (.tooLong, 1), (.sequenceOutOfRange, 2), (.wrongLength, 1), (.checksumMismatch, 1),
            (.accepted, 2), (.duplicate, 1), (.conflict, 1), (.afterLast, 1), (.beforeSize, 0),
        ]
        for (outcome, count) in expected { #expect(visit.count(outcome) == count, "\(outcome)") }
        #expect(visit.checksumFailures == 1)
        #expect(visit.received == TestVisit.message(120))
    }
}
