import Bluetooth
import Testing

@testable import Tuvali

/// Where a visit stands, what moves it on, and what is left behind (tuvali.md section 10).
@Suite struct SessionLifeTests {
    @Test func aVisitWalksThroughTheStates() throws {
        let visit = TestVisit()
        #expect(visit.phase == .idle)
        try visit.advertise()
        #expect(visit.phase == .advertising && visit.session.isAdvertising)
        visit.connect(mtu: 67)
        #expect(visit.phase == .connected && !visit.session.isAdvertising)
        visit.write(.identifyRequest, WalletSide.identify)
        #expect(visit.phase == .secure && !visit.session.isTransferring)
        visit.write(.responseSize, WalletSide.size(60))
        #expect(visit.phase == .receiving && visit.session.isTransferring)
        #expect(visit.pushes == [])
        visit.send(WalletSide.chunks(TestVisit.message(60), mtu: 67))
        visit.write(.transferReportRequest, [1])
        #expect(visit.phase == .deciding && !visit.session.isTransferring)
        visit.decide(true)
        visit.wait(50)
        visit.leave()
        #expect(visit.phase == .idle)
        #expect(visit.events == [.connected, .identified, .received, .ended(.complete)])
    }

    @Test(arguments: 1...8)
    func aSecondBeginningIsRefusedAndDoesNothing(_ raw: UInt8) throws {
        let phase = try #require(Session.Phase(rawValue: raw))
        let visit = try TestVisit.at(phase)
        let deadline = visit.deadline
        #expect(throws: ActionRefused()) { try visit.session.startAdvertisement(now: visit.now) }
        #expect(visit.phase == phase)
        #expect(visit.deadline == deadline)
        visit.pump()
        #expect(!visit.isAskedToLeave || phase == .closing)
    }

    @Test func stoppingAsksTheWalletAndThenForcesIt() throws {
        let visit = try TestVisit.at(.secure)
        _ = visit.stop()
        visit.pump()
        #expect(visit.isAskedToLeave)
        visit.wait(499)
        #expect(!visit.events.contains(.disconnectNow))
        visit.wait(1)
        #expect(visit.ends == [.stopped])
    }

    @Test func stoppingATransferIsOVP001() throws {
        for phase in [Session.Phase.connected, .secure, .receiving, .deciding] {
            let visit = try TestVisit.at(phase)
            let error = visit.stop()
            visit.pump()
            #expect(error.map { "\($0.code)" } == "OVP_001")
            #expect(visit.isAskedToLeave)
            visit.wait(500)
            #expect(visit.ends == [.stopped])
        }
        for phase in [Session.Phase.idle, .advertising] {
            let visit = try TestVisit.at(phase)
            #expect(visit.stop() == nil)
            #expect(visit.phase == .idle)
            visit.pump()
            #expect(visit.pushes == [])
        }
    }

    @Test func whatWasNotToldBeforeStoppingIsNotToldAfterwards() throws {
        let visit = try TestVisit.at(.deciding)
        visit.isLinkBusy = true
        visit.decide(true)
        _ = visit.stop()
        visit.isLinkBusy = false
        visit.obeysDisconnect = false
        visit.wait(499)
        #expect(visit.statuses == [])
        #expect(visit.isAskedToLeave)
        visit.wait(1)
        #expect(visit.events.contains(.disconnectNow))
    }

    // MARK: section 8

    @Test(arguments: [true, false])
    func theVerdictIsOneOctet(_ isAccepted: Bool) throws {
        let visit = try TestVisit.at(.deciding)
        visit.wait(50)
        visit.obeysDisconnect = false
        visit.decide(isAccepted)
        visit.decide(!isAccepted)
        visit.wait(2000)
        #expect(visit.statuses == [[isAccepted ? 0 : 1]])
        #expect(visit.pushed(.disconnect) == [])
    }

    @Test(arguments: [Session.Phase.idle, .advertising, .connected, .identified, .secure, .receiving, .waitingDisconnect, .closing])
    func aVerdictOutOfTurnIsNotTold(_ phase: Session.Phase) throws {
        let visit = try TestVisit.at(phase)
        let statuses = visit.statuses
        #expect(!visit.decide(true))
        visit.wait(0)
        #expect(visit.statuses == statuses)
        #expect(visit.phase == phase)
    }

    // MARK: the link goes

    @Test func aWalletThatLeavesAfterIdentifyEndsTheSession() throws {
        for phase in [Session.Phase.identified, .secure, .receiving, .deciding] {
            let visit = try TestVisit.at(phase)
            visit.leave()
            #expect(visit.ends == [.walletLeft])
            #expect(visit.phase == .idle)
            #expect(visit.deadline == nil)
            #expect(!visit.decide(true))
            visit.wait(600_000)
            #expect(visit.statuses == [])
        }
    }

    @Test func nothingIsPushedWithoutALink() throws {
        let visit = try TestVisit.at(.deciding)
        visit.decide(true)
        visit.leave()
        visit.wait(10_000)
        #expect(visit.pushes == [])
        #expect(visit.ends == [.walletLeft])
    }

    @Test func writesWithoutALinkDoNothing() throws {
        let visit = try TestVisit.at(.advertising)
        visit.write(.identifyRequest, WalletSide.identify)
        visit.write(.transferReportRequest, [1])
        #expect(visit.phase == .advertising)
        #expect(visit.walletKey == [UInt8](repeating: 0, count: 32))
    }

    @Test(arguments: [Session.Phase.secure, .receiving, .deciding, .waitingDisconnect, .closing])
    func afterAResetNothingOfTheWalletIsLeft(_ phase: Session.Phase) throws {
        let visit = try TestVisit.at(phase)
        visit.write(.submitResponse, WalletSide.chunk(1, [UInt8](repeating: 1, count: 30)))
        visit.session.reset()
        #expect(visit.isBufferZero)
        #expect(visit.nonce.allSatisfy { $0 == 0 })
        #expect(visit.walletKey.allSatisfy { $0 == 0 })
        #expect(visit.messageSize == 0)
        #expect(visit.totalChunks == 0)
        #expect(visit.checksumFailures == 0)
        #expect(visit.count(.wrongLength) == 0)
        #expect(visit.read(.transferReportResponse) == [])
        #expect(visit.read(.verificationStatus) == [])
        #expect(visit.deadline == nil)
        #expect(visit.phase == .idle)
        // And the next visit is like the first.
        visit.wait(0)
        try visit.advertise()
        visit.connect(mtu: 67)
        visit.write(.identifyRequest, WalletSide.identify)
        visit.write(.responseSize, WalletSide.size(60))
        let before = visit.reports.count
        visit.send(WalletSide.chunks(TestVisit.message(60), mtu: 67))
        visit.write(.transferReportRequest, [1])
        visit.wait(49)
        #expect(visit.reports.count == before)
        visit.wait(1)
        #expect(visit.reports.last == [1, 0, 0])
        #expect(visit.phase == .deciding)
    }
}
