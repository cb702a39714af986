import Bluetooth
import Testing
@testable import Tuvali

/// The states of the BLE Verifier SDK, what moves between them, and what is left behind (tuvali.md sections 10 and 14).
@Suite struct SessionStateTests {
    @Test func aVisitWalksThroughTheStates() throws {
        let visit = TestVisit()
        #expect(visit.state == .idle)
        try visit.advertise()
        #expect(visit.state == .advertising)
        visit.connect(mtu: 67)
        #expect(visit.state == .connected)
        visit.write(.identifyRequest, WalletSide.identify)
        #expect(visit.state == .secureConnectionEstablished)
        try visit.session.sendRequest()
        #expect(visit.state == .requested)
        #expect(visit.pushes == [])
        visit.write(.responseSize, WalletSide.size(60))
        visit.send(WalletSide.chunks(TestVisit.message(60), mtu: 67))
        visit.write(.transferReportRequest, [1])
        #expect(visit.state == .received)
        visit.decide(true)
        visit.wait(50)
        visit.leave()
        #expect(visit.state == .idle)
        #expect(visit.events == [.connected, .identified, .received, .ended(.complete)])
    }

    @Test func stateNamesAreTheSDKs() {
        let names = [
            "Idle", "Advertising", "Connected", "SecureConnectionEstablished", "Requested", "Received", "Error", "Disconnected",
        ]
        for (index, name) in names.enumerated() {
            #expect(SessionState(rawValue: UInt8(index)).map { "\($0.name)" } == name)
        }
        #expect(SessionState(rawValue: UInt8(names.count)) == nil)
    }

    static let allowed: [SessionState: Set<SessionState.Action>] = [
        .idle: [.startAdvertisement], .advertising: [.stopAdvertising], .connected: [.disconnect],
        .secureConnectionEstablished: [.sendRequest, .disconnect], .requested: [.disconnect], .received: [], .error: [],
        .disconnected: [],
    ]

    /// A visit in each state.
    static func visit(in state: SessionState) throws -> TestVisit {
        switch state {
        case .idle: return try .at(.idle)
        case .advertising: return try .at(.advertising)
        case .connected: return try .at(.connected)
        case .secureConnectionEstablished: return try .at(.secure)
        case .requested: return try .at(.receiving)
        case .received: return try .at(.deciding)
        case .error: return try .at(.closing)
        case .disconnected:
            let visit = try TestVisit.at(.secure)
            visit.obeysDisconnect = false
            try visit.session.disconnect(now: visit.now)
            return visit
        }
    }

    @Test(arguments: 0...7)
    func actionsAStateDoesNotAllowAreRefusedAndDoNothing(_ raw: UInt8) throws {
        let state = try #require(SessionState(rawValue: raw))
        for action in [SessionState.Action.startAdvertisement, .stopAdvertising, .sendRequest, .disconnect] {
            let visit = try Self.visit(in: state)
            #expect(visit.state == state)
            let phase = visit.phase
            let now = visit.now
            let refusal = Self.perform(action, visit, now)
            if Self.allowed[state]?.contains(action) == true {
                #expect(refusal == nil)
            } else {
                #expect(refusal == ActionRefused(action: action, state: state))
                #expect(visit.state == state)
                #expect(visit.phase == phase)
                visit.pump()
                #expect(!visit.isAskedToLeave || phase == .closing)
            }
        }
    }

    static func perform(_ action: SessionState.Action, _ visit: TestVisit, _ now: Instant) -> ActionRefused? {
        do throws(ActionRefused) {
            switch action {
            case .startAdvertisement: try visit.session.startAdvertisement(now: now)
            case .stopAdvertising: try visit.session.stopAdvertising()
            case .sendRequest: try visit.session.sendRequest()
            case .disconnect: try visit.session.disconnect(now: now)
            }
            return nil
        } catch {
            return error
        }
    }

    @Test func disconnectAsksTheWalletAndThenForcesIt() throws {
        let visit = try TestVisit.at(.secure)
        try visit.session.disconnect(now: visit.now)
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
            #expect(visit.state == .idle)
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
            #expect(visit.state == .idle)
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
        #expect(visit.state == .advertising)
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
        #expect(visit.state == .idle)
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
