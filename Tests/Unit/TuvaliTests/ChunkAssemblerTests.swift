import Bluetooth
import Testing

@testable import Tuvali

/// Chunks and reports apart from any session (tuvali.md sections 4, 6 and 7).
@Suite struct ChunkAssemblerTests {
    // MARK: the recorded ones

    @Test(arguments: Vectors.all.sessions.indices)
    func recordedChunksMakeTheRecordedMessage(_ index: Int) {
        let session = Vectors.all.sessions[index]
        let message = octets(session.ciphertext)
        #expect(octets(session.response_size) == WalletSide.size(message.count))
        for transfer in session.transfers {
            let chunks = transfer.chunks.map { octets($0) }
            #expect(WalletSide.chunks(message, mtu: Int(transfer.att_mtu)) == chunks)
            #expect(TransferSize.maxData(mtu: transfer.att_mtu) == transfer.max_data)
            for order in [Array(chunks.indices), chunks.indices.reversed(), chunks.indices.shuffled()] {
                let test = TestAssembler()
                #expect(test.begin(message.count, maxData: transfer.max_data))
                #expect(test.total == transfer.total_chunks)
                for index in order {
                    #expect(!test.isComplete)
                    #expect(test.accept(chunks[index]) == .accepted)
                }
                #expect(test.isComplete)
                #expect(Array(test.buffer[..<message.count]) == message)
                #expect(test.report(maxData: transfer.max_data) == [1, 0, 0])
            }
        }
    }

    @Test(arguments: Vectors.all.reports.indices)
    func reportsAreTheReferences(_ index: Int) {
        let row = Vectors.all.reports[index]
        #expect(TransferSize.maxData(mtu: row.att_mtu) == row.max_data)
        #expect(TransferSize.pageSize(maxData: row.max_data) == row.page_size)
        guard row.missing.allSatisfy({ $0 <= TransferSize.maximumChunks }), row.missing == row.missing.sorted() else {
            // The one row that only shows the reference's serializer: out of order, and past the last number there is.
            #expect(row.missing == [65535, 256, 255])
            return
        }
        let test = TestAssembler()
        let total = max(row.missing.last ?? 1, 1) + 5
        test.receive(total, missing: Set(row.missing), maxData: row.max_data)
        #expect(test.report(maxData: row.max_data) == octets(row.report))
        guard row.listed > 0 else { return }
        #expect(octets(row.report).count == 3 + 2 * row.listed)
        #expect(test.report(maxData: row.max_data)[1...2] == [UInt8(row.pages >> 8), UInt8(row.pages & 0xFF)])
    }

    @Test(arguments: Vectors.all.threshold_70.indices)
    func moreThanSeventyPercentMissingIsBeyondRepair(_ index: Int) {
        let row = Vectors.all.threshold_70[index]
        let most = row.max_missing_that_still_gets_a_report
        for missing in 0...row.total {
            guard row.total <= 40 || abs(missing - most) <= 2 else { continue }
            let test = TestAssembler()
            test.receive(row.total, missing: Set(1..<missing + 1), maxData: 64)
            #expect(test.isBeyondRepair == (missing > most), "\(missing) of \(row.total)")
        }
        // The reference computes 0.7 * n in double: 0.7 * 90 is a little below 63, 0.7 * 180 a little below 126.
        #expect(row.reference_double_math == most - (row.total == 90 || row.total == 180 ? 1 : 0))
    }

    /// The reference's double arithmetic gives up one chunk earlier than the rule says at 581 totals (90, 170, 180, 330, ...), never later:
    /// a transfer it would repair is repaired here.
    @Test func theIntegerRuleNeverGivesUpWhereTheReferenceRepairs() {
        var different = 0
        for total in 1...TransferSize.maximumChunks {
            let most = 7 * total / 10
            #expect(Double(most + 1) > 0.7 * Double(total))
            if Double(most) > 0.7 * Double(total) { different += 1 }
        }
        #expect(different == 581)
    }

    // MARK: limits

    @Test func sizesFollowFromTheMTU() {
        let rows: [(UInt16, Int, Int, Int)] = [
            (67, 64, 60, 30), (100, 97, 93, 47), (185, 182, 178, 89), (247, 244, 240, 120), (512, 509, 505, 253),
            (517, 509, 505, 253), (65535, 509, 505, 253),
        ]
        for (mtu, maxData, payload, page) in rows {
            #expect(TransferSize.maxData(mtu: mtu) == maxData)
            #expect(maxData - TransferSize.chunkHeader == payload)
            #expect(TransferSize.pageSize(maxData: maxData) == page)
        }
    }

    @Test func sizesThatCannotBeAreRefusedBeforeAnythingIsTaken() {
        let test = TestAssembler(capacity: 1 << 21)
        for (size, maxData) in [
            (0, 64), (1 << 21 + 1, 509), (Int(Int32.max), 509), (Int(UInt32.max), 509), (1 << 31, 64), (100, 4), (100, 0), (100, -3),
        ] {
            #expect(!test.begin(size, maxData: maxData))
            #expect(test.accept(WalletSide.chunk(1, [1])) == .beforeSize)
            #expect(test.report(maxData: 64) == [])
        }
        // 32,767 chunks are the most; 32,768 would make the reference's sequence number negative.
        #expect(!test.begin(32767 * 60 + 1, maxData: 64))
        #expect(test.begin(32767 * 60, maxData: 64))
        #expect(test.total == 32767)
    }

    @Test func theLastOf32767ChunksIsTaken() {
        let test = TestAssembler()
        test.receive(32767, missing: [1, 64, 65, 20000, 32704], maxData: 64)
        #expect(test.report(maxData: 64) == [0, 0, 1, 0, 1, 0, 64, 0, 65, 0x4E, 0x20, 0x7F, 0xC0])
        let payload = [UInt8](repeating: 0xA5, count: 60)
        #expect(test.accept(WalletSide.chunk(32768, payload)) == .sequenceOutOfRange)
        for sequence in [1, 64, 65, 20000, 32704] { #expect(test.accept(WalletSide.chunk(sequence, payload)) == .accepted) }
        #expect(test.isComplete)
        #expect(test.report(maxData: 64) == [1, 0, 0])
    }

    // MARK: section 6, bad input

    static let message = TestVisit.message(150)
    static let chunks = WalletSide.chunks(message, mtu: 67)

    private func begun() -> TestAssembler {
        let test = TestAssembler(capacity: 4096)
        #expect(test.begin(150))
        return test
    }

    @Test func aChunkBeforeAnySizeIsIgnored() {
        let test = TestAssembler(capacity: 4096)
        #expect(test.accept(Self.chunks[0]) == .beforeSize)
        #expect(test.buffer.allSatisfy { $0 == 0 })
    }

    @Test func aChunkWithoutAPayloadStaysMissing() {
        let test = begun()
        for count in 0...4 { #expect(test.accept(Array([0, 1, 0, 0].prefix(count))) == .tooShort) }
        #expect(test.missing == 3)
    }

    @Test func aValueAboveMaxDataStaysMissing() {
        let test = begun()
        #expect(test.accept(WalletSide.chunk(1, [UInt8](repeating: 1, count: 61))) == .tooLong)
        #expect(test.accept(WalletSide.chunk(1, [UInt8](repeating: 1, count: 508))) == .tooLong)
        #expect(test.missing == 3)
    }

    @Test func aWrongChecksumIsCountedAndStaysMissing() {
        let test = begun()
        for bit in 0..<16 {
            var chunk = Self.chunks[1]
            chunk[2 + bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(test.accept(chunk) == .checksumMismatch)
        }
        var chunk = Self.chunks[1]
        chunk[63] ^= 1
        #expect(test.accept(chunk) == .checksumMismatch)
        #expect(test.checksumFailures == 17)
        #expect(test.missing == 3)
        #expect(test.buffer.allSatisfy { $0 == 0 })
    }

    @Test(arguments: [0, 4, 5, 0x7FFF, 0x8000, 0x8001, 0xFFFF])
    func aSequenceNumberThatIsNoneIsIgnored(_ sequence: Int) {
        let test = begun()
        for count in [1, 30, 60] { #expect(test.accept(WalletSide.chunk(sequence, Self.message.prefix(count))) == .sequenceOutOfRange) }
        #expect(test.missing == 3)
        #expect(test.buffer.allSatisfy { $0 == 0 })
    }

    /// The reference takes these and leaves a hole.
    @Test func aWrongLengthWithTheRightChecksumStaysMissing() {
        let test = begun()
        for count in 1...60 {
            for sequence in 1...3 where count != (sequence == 3 ? 30 : 60) {
                #expect(test.accept(WalletSide.chunk(sequence, Self.message.prefix(count))) == .wrongLength)
            }
        }
        #expect(test.missing == 3)
    }

    @Test func theFirstOfTwoDifferentChunksStays() {
        let test = begun()
        #expect(test.accept(Self.chunks[0]) == .accepted)
        #expect(test.accept(Self.chunks[0]) == .duplicate)
        var other = Self.message
        other[7] ^= 0x40
        #expect(test.accept(WalletSide.chunk(1, other.prefix(60))) == .conflict)
        #expect(Array(test.buffer[..<60]) == Array(Self.message.prefix(60)))
        #expect(test.missing == 2)
    }

    @Test func aChunkAfterTheLastIsIgnored() {
        let test = begun()
        for chunk in Self.chunks { #expect(test.accept(chunk) == .accepted) }
        for chunk in Self.chunks { #expect(test.accept(chunk) == .afterLast) }
        #expect(test.accept(WalletSide.chunk(1, [UInt8](repeating: 9, count: 60))) == .afterLast)
        #expect(Array(test.buffer[..<150]) == Self.message)
    }

    @Test func everyTruncationOfAChunkStaysMissing() {
        let test = begun()
        for chunk in Self.chunks {
            for count in 0..<chunk.count { #expect(test.accept(Array(chunk.prefix(count))) != .accepted) }
        }
        #expect(test.missing == 3)
        #expect(test.buffer.allSatisfy { $0 == 0 })
        for chunk in Self.chunks { #expect(test.accept(chunk) == .accepted) }
    }

    @Test func theSmallestTransferIsOneOctet() {
        let test = TestAssembler(capacity: 64)
        #expect(test.begin(1))
        #expect(test.accept(WalletSide.chunk(1, [7, 8])) == .wrongLength)
        #expect(test.accept(WalletSide.chunk(1, [7])) == .accepted)
        #expect(test.isComplete)
    }

    @Test func wipingLeavesNothingOfTheTransfer() {
        let test = begun()
        var broken = Self.chunks[2]
        broken[2] ^= 1
        test.accept(Self.chunks[0])
        test.accept(Self.chunks[2])
        test.accept(broken)
        test.assembler.wipe()
        #expect(test.buffer.allSatisfy { $0 == 0 })
        #expect([test.size, test.total, test.missing] == [0, 0, 0])
        #expect(test.checksumFailures == 0)
        #expect(test.accept(Self.chunks[0]) == .beforeSize)
        // What was there before does not count for the next.
        #expect(test.begin(150))
        #expect(test.missing == 3)
        #expect(test.accept(Self.chunks[0]) == .accepted)
    }
}
