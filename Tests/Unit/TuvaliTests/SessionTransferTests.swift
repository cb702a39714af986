import Bluetooth
import TestSupport
import Testing

@testable import Tuvali

/// Whole transfers through a session: the recorded ones octet for octet, and a great many made up.
@Suite struct SessionTransferTests {
    static let transfers = Vectors.all.sessions.indices.flatMap { session in
        Vectors.all.sessions[session].transfers.indices.map { (session, $0) }
    }

    @Test(arguments: transfers)
    func recordedTransfersRunAsRecorded(_ session: Int, _ transfer: Int) throws {
        let session = Vectors.all.sessions[session]
        let transfer = session.transfers[transfer]
        for run in transfer.loss_runs {
            let visit = TestVisit(capacity: 4096)
            try visit.advertise()
            visit.connect(mtu: transfer.att_mtu)
            visit.write(.identifyRequest, octets(session.identify))
            #expect(visit.nonce == octets(session.nonce))
            #expect(visit.walletKey == octets(session.wallet_pk))
            visit.write(.responseSize, octets(session.response_size))
            Self.play(run, transfer.chunks.map { octets($0) }, visit)
            #expect(visit.reports == run.reports.map { octets($0.report) }, "\(session.name) \(transfer.att_mtu) \(run.name)")
            #expect(visit.checksumFailures == run.crc_failures)
            #expect(visit.errors.first.map { "\($0.code)" } == run.verifier_error)
            #expect(visit.events.contains(.received) == run.result_ok)
            if run.result_ok {
                #expect(visit.received == octets(session.ciphertext))
                visit.decide(true)
                visit.wait(0)
                #expect(visit.statuses == [[0]])
                visit.leave()
                #expect(visit.ends == [.complete])
            } else {
                #expect(visit.isAskedToLeave)
                #expect(visit.statuses == [])
                visit.wait(500)
                #expect(visit.ends == [.failed])
            }
        }
    }

    /// The wallet's part of a recorded run: the first pass, then what each report lists.
    private static func play(_ run: Vectors.LossRun, _ chunks: [[UInt8]], _ visit: TestVisit) {
        var sequences = Array(1...chunks.count)
        for round in 0..<16 {
            for sequence in sequences where !(run.dropped["\(round)"] ?? []).contains(sequence) {
                var chunk = chunks[sequence - 1]
                if (run.corrupted["\(round)"] ?? []).contains(sequence) { chunk[chunk.count - 1] ^= 1 }
                visit.write(.submitResponse, chunk)
            }
            visit.write(.transferReportRequest, [1])
            visit.wait(60)
            guard round < run.reports.count else { return }
            #expect(visit.reports.count == round + 1)
            sequences = run.reports[round].missing
            if sequences.isEmpty { return }
        }
    }

    // MARK: never what crashes a wallet

    /// Random sizes, MTUs and losses; each report is read by a parser of its own and compared with a model of what is
    /// missing; the session gives up exactly where the rule says so.
    @Test(arguments: [67, 68, 100, 185, 247, 511, 512, 517] as [UInt16])
    func everyReportIsOneAWalletSurvives(_ mtu: UInt16) throws {
        var numbers = SeededRandom(seed: UInt64(mtu))
        let payload = Int(min(mtu, 512)) - 7
        for round in 0..<60 {
            let chunks = Int.random(in: 1...(round % 10 == 0 ? 900 : 40), using: &numbers)
            let size = (chunks - 1) * payload + Int.random(in: 1...payload, using: &numbers)
            try Self.transfer(size, mtu, &numbers)
        }
    }

    private static func transfer(_ size: Int, _ mtu: UInt16, _ numbers: inout SeededRandom) throws {
        let message = numbers.bytes(size)
        let chunks = WalletSide.chunks(message, mtu: Int(mtu))
        let visit = TestVisit(capacity: size)
        try visit.advertise()
        visit.connect(mtu: mtu)
        visit.write(.identifyRequest, WalletSide.identify)
        visit.write(.responseSize, WalletSide.size(size))
        var missing = Set(1...chunks.count)
        var sequences = Array(1...chunks.count)
        for round in 0..<16 {
            let losses: [Double] = [0, 0.05, 0.3, 0.6, 0.7, 0.72, 0.95]
            let loss = losses.randomElement(using: &numbers) ?? 0
            for sequence in sequences where Double.random(in: 0..<1, using: &numbers) >= loss {
                visit.write(.submitResponse, chunks[sequence - 1])
                missing.remove(sequence)
            }
            visit.write(.transferReportRequest, [1])
            visit.wait(50)
            if 10 * missing.count > 7 * chunks.count {
                #expect(visit.errors == [.tooManyMissing])
                #expect(visit.reports.count == round)
                return
            }
            try #require(visit.reports.count == round + 1)
            let report = try WalletSide.Report(visit.reports[round], mtu: Int(mtu), total: chunks.count)
            let page = (Int(min(mtu, 512)) - 6) / 2
            #expect(report.isSuccess == missing.isEmpty)
            #expect(report.missing == Array(missing.sorted().prefix(page)))
            #expect(report.pages == (missing.count + page - 1) / page)
            if report.isSuccess {
                #expect(visit.events.last == .received)
                #expect(visit.received == message)
                return
            }
            sequences = report.missing
        }
        #expect(visit.errors == [])
        #expect(visit.phase == .receiving)
    }

    /// A page-limited wallet that loses all but a little still gets through, a page at a time.
    @Test func aLargeTransferAtTheSmallestMTUIsRepairedPageByPage() throws {
        let message = TestVisit.message(60 * 600)
        let chunks = WalletSide.chunks(message, mtu: 67)
        let visit = try TestVisit.at(.receiving, size: message.count)
        // 420 of 600: exactly 70 %.
        visit.send(Array(chunks.prefix(180)))
        for round in 0..<14 {
            visit.write(.transferReportRequest, [1])
            visit.wait(50)
            let report = try WalletSide.Report(try #require(visit.reports.last), mtu: 67, total: 600)
            #expect(report.missing == Array(181 + 30 * round..<211 + 30 * round))
            #expect(report.pages == 14 - round)
            for sequence in report.missing { visit.write(.submitResponse, chunks[sequence - 1]) }
        }
        visit.write(.transferReportRequest, [1])
        visit.wait(0)
        #expect(visit.reports.last == [1, 0, 0])
        #expect(visit.received == message)
        #expect(visit.errors == [])
    }
}
