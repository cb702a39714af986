import Bluetooth
import Testing

@testable import Tuvali

/// Whatever can happen to a session.
enum Happening: String, CaseIterable, Sendable {
    // The wallet writes.
    case identify, size, chunk, reportRequest, failureTold
    // The link.
    case smallMTU, leaves, connects
    // Time and the application.
    case deadline, keysAgreed, fails, decides, stops

    func happen(to visit: TestVisit) {
        switch self {
        case .identify: visit.write(.identifyRequest, WalletSide.identify)
        case .size: visit.write(.responseSize, WalletSide.size(600))
        case .chunk: visit.write(.submitResponse, WalletSide.chunk(1, TestVisit.message(600)[..<60]))
        case .reportRequest: visit.write(.transferReportRequest, [1])
        case .failureTold: visit.write(.transferReportRequest, [2])
        case .smallMTU: visit.session.mtuExchanged(66, now: visit.now)
        case .leaves: visit.leave()
        case .connects: visit.session.connected(intervalMicroseconds: 7_500, now: visit.now)
        case .deadline:
            if let due = visit.phaseDeadline ?? visit.sessionDeadline { visit.wait(due.milliseconds(since: visit.now)) }
        case .keysAgreed: visit.session.secureChannelEstablished(now: visit.now)
        case .fails: visit.session.fail(.unknown, now: visit.now)
        case .decides: visit.decide(true)
        case .stops: _ = visit.stop()
        }
        visit.pump()
    }
}

/// The protocol as one table: what is not in it changes nothing.
private let moves: [Session.Phase: [Happening: Session.Phase]] = [
    .idle: [:],
    .advertising: [.connects: .connected, .deadline: .idle, .stops: .idle],
    .connected: [
        .identify: .identified, .reportRequest: .closing, .failureTold: .closing, .smallMTU: .closing, .leaves: .advertising,
        .deadline: .closing,
        .fails: .closing, .stops: .closing,
    ],
    .identified: [
        .keysAgreed: .secure, .reportRequest: .closing, .failureTold: .closing, .smallMTU: .closing, .leaves: .idle, .deadline: .closing,
        .fails: .closing, .stops: .closing,
    ],
    .secure: [
        .size: .receiving, .reportRequest: .closing, .failureTold: .closing, .smallMTU: .closing, .leaves: .idle, .deadline: .closing,
        .fails: .closing, .stops: .closing,
    ],
    // A report request with nothing received yet: beyond repair.
    .receiving: [
        .reportRequest: .closing, .failureTold: .closing, .smallMTU: .closing, .leaves: .idle, .deadline: .closing, .fails: .closing,
        .stops: .closing,
    ],
    .deciding: [.decides: .waitingDisconnect, .leaves: .idle, .fails: .closing, .stops: .closing],
    .waitingDisconnect: [.leaves: .idle, .fails: .closing, .stops: .closing],
    .closing: [.leaves: .idle],
]

@Suite struct SessionPhaseTests {
    @Test(
        "every phase goes where the protocol says, whatever happens, and nowhere else", arguments: 0...8 as ClosedRange<UInt8>,
        Happening.allCases)
    func moved(raw: UInt8, happening: Happening) throws {
        let phase = try #require(Session.Phase(rawValue: raw))
        let visit = try TestVisit.at(phase)
        #expect(visit.phase == phase)
        visit.agrees = false
        visit.obeysDisconnect = false
        happening.happen(to: visit)
        #expect(visit.phase == moves[phase]?[happening] ?? phase)
        // Only who has the verdict already is told: one given now waits for the report.
        #expect(visit.statuses.count == (phase == .waitingDisconnect ? 1 : 0))
    }

    @Test("there are no phases beyond the table")
    func whole() {
        #expect(moves.count == 9)
        #expect((0..<9).allSatisfy { Session.Phase(rawValue: $0).map { moves[$0] != nil } == true })
        #expect(Session.Phase(rawValue: 9) == nil)
    }

    @Test("a session that has ended runs no timer", arguments: 0...8 as ClosedRange<UInt8>)
    func still(raw: UInt8) throws {
        let visit = try TestVisit.at(#require(Session.Phase(rawValue: raw)))
        visit.leave()
        if visit.phase == .advertising { visit.wait(SessionTiming().advertisement + SessionTiming().handover) }
        #expect(visit.phase == .idle)
        #expect(visit.deadline == nil)
        #expect(visit.transferDeadline == nil && visit.reportAt == nil && visit.resendAt == nil)
    }

    @Test(
        "writes out of turn are counted by what was wrong with them",
        arguments: [
            (.connected, .size, .outOfTurn), (.receiving, .size, .secondResponseSize), (.secure, .identify, .secondIdentify),
            (.closing, .identify, .secondIdentify), (.deciding, .reportRequest, .outOfTurn), (.deciding, .failureTold, .outOfTurn),
            (.closing, .size, .outOfTurn),
        ] as [(Session.Phase, Happening, IgnoredWrite)])
    func counted(phase: Session.Phase, happening: Happening, ignored: IgnoredWrite) throws {
        let visit = try TestVisit.at(phase)
        happening.happen(to: visit)
        #expect(visit.count(ignored) == 1)
        #expect(visit.phase == phase)
    }

    @Test("ignored writes have a counter each")
    func counters() throws {
        let visit = try TestVisit.at(.connected)
        visit.write(.identifyRequest, [1])
        visit.write(.responseSize, WalletSide.size(600))
        visit.write(.transferReportRequest, [3])
        visit.write(.identifyRequest, WalletSide.identify)
        visit.write(.identifyRequest, WalletSide.identify)
        visit.write(.responseSize, WalletSide.size(600))
        visit.write(.responseSize, WalletSide.size(600))
        for raw in 0..<UInt8(IgnoredWrite.count) {
            #expect(visit.count(try #require(IgnoredWrite(rawValue: raw))) == 1, "\(raw)")
        }
        #expect(IgnoredWrite(rawValue: UInt8(IgnoredWrite.count)) == nil)
    }
}
