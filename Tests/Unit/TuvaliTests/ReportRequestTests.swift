import Bluetooth
import Testing

@testable import Tuvali

/// Report requests, reads and error codes (tuvali.md sections 7, 8 and 11).
@Suite struct ReportRequestTests {
    // MARK: Transfer Report Request

    @Test(arguments: [Session.Phase.connected, .identified, .secure])
    func aReportRequestBeforeTheSizeEndsTheSession(_ phase: Session.Phase) throws {
        let visit = try TestVisit.at(phase)
        visit.write(.transferReportRequest, [1])
        visit.expectFailure(.transferFailed, "TVV_UNK_003")
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
        visit.expectFailure(.walletFailed, "TVW_UNK_003")
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
        for (total, received, fails) in [
            (1, 0, true), (2, 0, true), (3, 0, true), (2, 1, false), (3, 1, false), (10, 3, false), (10, 2, true),
        ] {
            let visit = try TestVisit.at(.receiving, size: 60 * total)
            visit.send(Array(WalletSide.chunks(TestVisit.message(60 * total), mtu: 67).prefix(received)))
            visit.write(.transferReportRequest, [1])
            if fails { visit.expectFailure(.tooManyMissing, "TVV_TRA_002") }
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
}
