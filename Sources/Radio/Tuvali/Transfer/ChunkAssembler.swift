import Bluetooth

/// Puts chunks together in a buffer given once (tuvali.md section 6).
///
/// A chunk is `sequence(2) | crc(2) | payload`, big-endian, sequence numbers from 1. It counts as received when its
/// number, its length and its checksum are right; everything else stays missing and is named in the outcome.
public struct ChunkAssembler: ~Copyable {
    public enum Outcome: UInt8, Hashable, Sendable {
        case accepted
        /// No size is known.
        case beforeSize
        /// Nothing behind the header, or not even that.
        case tooShort
        /// More than one value holds.
        case tooLong
        /// 0, or more than there are.
        case sequenceOutOfRange
        /// Not the length of this chunk. The reference takes it and leaves a hole that only AES-GCM finds.
        case wrongLength
        case checksumMismatch
        /// Received before with the same octets.
        case duplicate
        /// Received before with other octets; the first stay.
        case conflict
        /// Everything had arrived.
        case afterLast
    }

    private let buffer: UnsafeMutableRawBufferPointer
    private var crc = CRC16()
    private var received = InlineArray<512, UInt64>(repeating: 0)
    private var chunkPayload = 0
    private var maxData = 0
    /// Octets of ciphertext; 0 before `begin`.
    public private(set) var size = 0
    /// Chunks the transfer has.
    public private(set) var total = 0
    public private(set) var missing = 0
    public private(set) var checksumFailures: UInt32 = 0

    /// `buffer` bounds the size of a transfer; it outlives the assembler and is written by nobody else.
    public init(buffer: UnsafeMutableRawBufferPointer) { self.buffer = buffer }

    public var isComplete: Bool { size > 0 && missing == 0 }

    /// Opens a transfer of `size` octets in chunks of at most `maxData`; false when it does not fit the limits.
    public mutating func begin(size newSize: UInt32, maxData newMaxData: Int) -> Bool {
        let payload = newMaxData - TransferSize.chunkHeader
        guard newSize > 0, payload > 0, Int(newSize) <= buffer.count else { return false }
        let chunks = (Int(newSize) + payload - 1) / payload
        guard chunks <= TransferSize.maximumChunks else { return false }
        for index in 0..<(chunks + 63) / 64 { received[index] = 0 }
        size = Int(newSize)
        total = chunks
        missing = chunks
        maxData = newMaxData
        chunkPayload = payload
        checksumFailures = 0
        return true
    }

    /// Takes one written value.
    public mutating func accept(_ chunk: borrowing Span<UInt8>) -> Outcome {
        guard size > 0 else { return .beforeSize }
        guard missing > 0 else { return .afterLast }
        guard chunk.count > TransferSize.chunkHeader else { return .tooShort }
        guard chunk.count <= maxData else { return .tooLong }
        let sequence = Int(chunk[0]) << 8 | Int(chunk[1])
        guard sequence >= 1, sequence <= total else { return .sequenceOutOfRange }
        let offset = (sequence - 1) * chunkPayload
        let payload = chunk.extracting(TransferSize.chunkHeader..<chunk.count)
        guard payload.count == min(chunkPayload, size - offset) else { return .wrongLength }
        guard crc.checksum(payload) == UInt16(chunk[2]) << 8 | UInt16(chunk[3]) else {
            if checksumFailures < .max { checksumFailures += 1 }
            return .checksumMismatch
        }
        let word = (sequence - 1) >> 6
        let bit: UInt64 = 1 << UInt64((sequence - 1) & 63)
        if received[word] & bit != 0 { return equals(payload, at: offset) ? .duplicate : .conflict }
        payload.withUnsafeBytes { octets in
            if let from = octets.baseAddress, let base = buffer.baseAddress {
                (base + offset).copyMemory(from: from, byteCount: octets.count)
            }
        }
        received[word] |= bit
        missing -= 1
        return .accepted
    }

    /// Whether more than 70 % is missing: the transfer is given up rather than repaired. The integer form of the
    /// reference's rule.
    public var isBeyondRepair: Bool { 10 * missing > 7 * total }

    /// The first missing sequence number at or behind `sequence`, or nil.
    mutating func firstMissing(from sequence: Int) -> Int? {
        var index = max(0, sequence - 1)
        while index < total {
            let absent = ~received[index >> 6] >> UInt64(index & 63)
            if absent == 0 {
                index = (index >> 6 + 1) << 6
            } else {
                index += absent.trailingZeroBitCount
                return index < total ? index + 1 : nil
            }
        }
        return nil
    }

    /// Overwrites what was received with zeros and forgets the transfer.
    public mutating func wipe() {
        if size > 0 { buffer.wipe(count: min(size, buffer.count)) }
        size = 0
        total = 0
        missing = 0
        checksumFailures = 0
    }

    private mutating func equals(_ payload: borrowing Span<UInt8>, at offset: Int) -> Bool {
        for index in 0..<payload.count where buffer[offset + index] != payload[index] { return false }
        return true
    }
}

extension UnsafeMutableRawBufferPointer {
    /// Zeros the first `count` octets.
    func wipe(count: Int) {
        guard let base = baseAddress, count > 0 else { return }
        UnsafeMutableRawPointer(base).initializeMemory(as: UInt8.self, repeating: 0, count: count)
    }
}
