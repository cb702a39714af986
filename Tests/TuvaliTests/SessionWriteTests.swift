import Bluetooth
import Testing
@testable import Tuvali

/// What a wallet, or a stranger, writes and when (tuvali.md sections 5 to 8 and 11).
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
        expectFailure(visit, .responseSizeInvalid, "TVV_TRA_001")
    }

    /// Values that crash the reference, and those past the limits: 4 MiB in all, 32,767 chunks.
    @Test(arguments: [
        [0xFF, 0xFF, 0xFF, 0xFF], [0x80, 0, 0, 0], [0x7F, 0xFF, 0xFF, 0xFF], [1, 0, 0, 0], [0, 0x40, 0, 1],
    ] as [[UInt8]])
    func aResponseSizeThatIsTooLargeEndsTheSession(_ value: [UInt8]) throws {
        let visit = TestVisit(capacity: TransferSize.maximumCiphertext)
        try visit.advertise()
        visit.connect(mtu: 517)
        visit.write(.identifyRequest, WalletSide.identify)
        visit.write(.responseSize, value)
        expectFailure(visit, .responseSizeInvalid, "TVV_TRA_001")
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
            expectFailure(visit, .peripheralFailed, "TVV_UNK_002")
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
        expectFailure(visit, .mtuTooSmall, "TVV_CON_001")
    }

    @Test func anMTUBelow67EndsTheSession() throws {
        for mtu in [23, 66, 67, 517] as [UInt16] {
            for phase in [Session.Phase.connected, .secure, .receiving] {
                let visit = try TestVisit.at(phase)
                visit.session.mtuExchanged(mtu, now: visit.now)
                visit.pump()
                if mtu < 67 { expectFailure(visit, .mtuTooSmall, "TVV_CON_001") } else { #expect(visit.phase == phase) }
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

    // MARK: Transfer Report Request

    @Test(arguments: [Session.Phase.connected, .identified, .secure])
    func aReportRequestBeforeTheSizeEndsTheSession(_ phase: Session.Phase) throws {
        let visit = try TestVisit.at(phase)
        visit.write(.transferReportRequest, [1])
        expectFailure(visit, .transferFailed, "TVV_UNK_003")
        #expect(visit.reports == [])
    }

    @Test func reportRequestsOfOtherValuesAreIgnored() throws {
        for phase in [Session.Phase.connected, .secure, .receiving, .deciding] {
            let visit = try TestVisit.at(phase)
            for value in [[], [0], [3], [0x7F], [0xFF], [0, 1], [3, 2]] as [[UInt8]] { visit.write(.transferReportRequest, value) }
            #expect(visit.count(.unknownReportRequest) == 7)
            #expect(visit.phase == phase)
        }
    }

    @Test func octetsBehindAReportRequestAreIgnored() throws {
        let visit = try TestVisit.at(.receiving, size: 120)
        visit.send(WalletSide.chunks(TestVisit.message(120), mtu: 67))
        visit.write(.transferReportRequest, [1, 2, 0xFF] + [UInt8](repeating: 9, count: 60))
        visit.wait(50)
        #expect(visit.reports == [[1, 0, 0]])
    }

    @Test(arguments: [Session.Phase.connected, .secure, .receiving])
    func aWalletThatTellsItsFailureEndsTheSession(_ phase: Session.Phase) throws {
        let visit = try TestVisit.at(phase)
        visit.write(.transferReportRequest, [2])
        expectFailure(visit, .walletFailed, "TVW_UNK_003")
    }

    @Test func aReportRequestAfterTheMessageStartsNothingAnew() throws {
        for value in [1, 2] as [UInt8] {
            let visit = try TestVisit.at(.deciding)
            for _ in 0..<5 { visit.write(.transferReportRequest, [value]) }
            visit.wait(1000)
            #expect(visit.events.filter { $0 == .received }.count == 1)
            #expect(visit.reports == [[1, 0, 0]])
            #expect(visit.phase == .deciding)
        }
    }

    @Test func tooManyMissingEndTheSessionWithoutAReport() throws {
        for (total, received, fails) in [(1, 0, true), (2, 0, true), (3, 0, true), (2, 1, false), (3, 1, false), (10, 3, false), (10, 2, true)] {
            let visit = try TestVisit.at(.receiving, size: 60 * total)
            visit.send(Array(WalletSide.chunks(TestVisit.message(60 * total), mtu: 67).prefix(received)))
            visit.write(.transferReportRequest, [1])
            if fails { expectFailure(visit, .tooManyMissing, "TVV_TRA_002") }
            visit.wait(60)
            #expect(visit.reports.isEmpty == fails)
        }
    }

    @Test func theRuleHoldsAtEveryRequest() throws {
        let visit = try TestVisit.at(.receiving, size: 600)
        visit.send(Array(WalletSide.chunks(TestVisit.message(600), mtu: 67).prefix(3)))
        for request in 1...5 {
            visit.write(.transferReportRequest, [1])
            visit.wait(50)
            #expect(visit.reports.count == request)
        }
        #expect(Set(visit.reports).count == 1)
    }

    /// The chunks a report would have listed arrive before the report can leave: it says what is so when it leaves, and
    /// the message is then taken, or the wallet would wait for a verdict for ever.
    @Test func aReportThatTurnsIntoSuccessBeforeItLeavesMeansTheMessage() throws {
        for isLate in [false, true] {
            let visit = try TestVisit.at(.receiving, size: 120)
            let chunks = WalletSide.chunks(TestVisit.message(120), mtu: 67)
            visit.send([chunks[0]])
            visit.isLinkBusy = true
            visit.write(.transferReportRequest, [1])
            if isLate { visit.wait(60) }
            visit.send([chunks[1]])
            visit.isLinkBusy = false
            visit.wait(60)
            #expect(visit.reports == [[1, 0, 0]])
            #expect(visit.events.filter { $0 == .received }.count == 1)
            #expect(visit.phase == .deciding)
        }
    }

    // MARK: reads

    @Test func readsReturnWhatWasPushedLastAndNothingBefore() throws {
        let visit = try TestVisit.at(.receiving, size: 120)
        for characteristic in [Characteristic.transferReportResponse, .verificationStatus, .disconnect, .requestSize, .request] {
            #expect(visit.read(characteristic) == [])
        }
        visit.send(WalletSide.chunks(TestVisit.message(120), mtu: 67))
        visit.write(.transferReportRequest, [1])
        visit.isLinkBusy = true
        visit.wait(50)
        visit.decide(true)
        #expect(visit.read(.verificationStatus) == [])
        visit.isLinkBusy = false
        visit.obeysDisconnect = false
        visit.wait(0)
        #expect(visit.read(.transferReportResponse) == [1, 0, 0])
        #expect(visit.read(.verificationStatus) == [0])
        #expect(visit.read(.disconnect) == [])
    }

    // MARK: section 11

    @Test func errorsHaveTheirDocumentedCodes() {
        let codes: [(TuvaliError, String)] = [
            (.unknown, "TUV_UNK_001"), (.walletFailed, "TVW_UNK_003"), (.peripheralFailed, "TVV_UNK_002"),
            (.transferFailed, "TVV_UNK_003"), (.mtuTooSmall, "TVV_CON_001"), (.responseSizeInvalid, "TVV_TRA_001"),
            (.tooManyMissing, "TVV_TRA_002"), (.transferStopped, "OVP_001"), (.deviceNameLength, "OVP_002"),
        ]
        for (error, code) in codes { #expect("\(error.code)" == code) }
        #expect(TuvaliError(rawValue: UInt8(codes.count)) == nil)
    }

    private func expectFailure(
        _ visit: TestVisit, _ error: TuvaliError, _ code: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(visit.errors == [error], sourceLocation: sourceLocation)
        #expect("\(error.code)" == code, sourceLocation: sourceLocation)
        #expect(visit.isAskedToLeave, sourceLocation: sourceLocation)
        #expect(visit.phase == .closing, sourceLocation: sourceLocation)
        #expect(visit.state == .error, sourceLocation: sourceLocation)
        #expect(visit.statuses == [], sourceLocation: sourceLocation)
        // The wallet does not go by itself.
        visit.wait(500)
        #expect(visit.events.contains(.disconnectNow), sourceLocation: sourceLocation)
        #expect(visit.ends == [.failed], sourceLocation: sourceLocation)
    }
}
