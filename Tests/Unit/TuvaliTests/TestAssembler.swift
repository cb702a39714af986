import Bluetooth
import Glibc
import Testing

@testable import Tuvali

/// An assembler with its own buffer.
final class TestAssembler {
    var assembler: ChunkAssembler
    let buffer: UnsafeMutableRawBufferPointer

    init(capacity: Int = TransferSize.maximumCiphertext) {
        buffer = .allocate(byteCount: capacity, alignment: 64)
        // Not an octet at a time, as a generic call is without optimization.
        if let begin = buffer.baseAddress { memset(begin, 0, buffer.count) }
        assembler = ChunkAssembler(buffer: buffer)
    }

    deinit { buffer.deallocate() }

    var isComplete: Bool { assembler.isComplete }
    var isBeyondRepair: Bool { assembler.isBeyondRepair }
    var total: Int { assembler.total }
    var missing: Int { assembler.missing }
    var size: Int { assembler.size }
    var checksumFailures: UInt32 { assembler.checksumFailures }

    func begin(_ size: Int, maxData: Int = 64) -> Bool { assembler.begin(size: UInt32(size), maxData: maxData) }
    @discardableResult
    func accept(_ chunk: [UInt8]) -> ChunkAssembler.Outcome { assembler.accept(chunk.span) }

    func report(maxData: Int) -> [UInt8] {
        var value = AttributeValue()
        guard TransferReport.write(&assembler, maxData: maxData, into: &value) else { return [] }
        return array(value.storage.span.extracting(0..<value.count))
    }

    /// A transfer of `total` chunks with these missing.
    func receive(_ total: Int, missing: Set<Int>, maxData: Int) {
        let payload = [UInt8](repeating: 0xA5, count: maxData - 4)
        #expect(begin(total * payload.count, maxData: maxData))
        var chunk = WalletSide.chunk(1, payload)
        for sequence in 1...total where !missing.contains(sequence) {
            chunk[0] = UInt8(sequence >> 8)
            chunk[1] = UInt8(sequence & 0xFF)
            accept(chunk)
        }
        #expect(self.missing == missing.count)
    }
}
