import CZlib

/// Gzip members made to order, the wrong ones too (RFC 1952 section 2.3).
struct Gzip {
    var flags: UInt8 = 0
    var method: UInt8 = 8
    var extra: [UInt8]?
    var name: [UInt8]?
    var comment: [UInt8]?
    var hasHeaderCRC = false
    var breaksHeaderCRC = false
    var operatingSystem: UInt8 = 3
    /// Z_FIXED, Z_DEFAULT_STRATEGY, ...
    var strategy: Int32 = Z_DEFAULT_STRATEGY
    /// 0 makes stored blocks.
    var level: Int32 = 6
    var crcDelta: UInt32 = 0
    var sizeDelta: UInt32 = 0

    func member(_ payload: [UInt8]) -> [UInt8] {
        var header: [UInt8] = [0x1f, 0x8b, method, 0, 0, 0, 0, 0, 0, operatingSystem]
        var bits = flags
        if let extra {
            bits |= 4
            header += [UInt8(truncatingIfNeeded: extra.count), UInt8(truncatingIfNeeded: extra.count >> 8)] + extra
        }
        if let name {
            bits |= 8
            header += name + [0]
        }
        if let comment {
            bits |= 16
            header += comment + [0]
        }
        if hasHeaderCRC { bits |= 2 }
        header[3] = bits
        if hasHeaderCRC {
            let sum = crc32(0, header, UInt32(header.count)) ^ (breaksHeaderCRC ? 1 : 0)
            header += [UInt8(truncatingIfNeeded: sum), UInt8(truncatingIfNeeded: sum >> 8)]
        }
        let sum = UInt32(truncatingIfNeeded: crc32(0, payload, UInt32(payload.count))) &+ crcDelta
        let size = UInt32(truncatingIfNeeded: payload.count) &+ sizeDelta
        return header + deflated(payload) + little(sum) + little(size)
    }

    private func little(_ value: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    private func deflated(_ payload: [UInt8]) -> [UInt8] {
        var stream = z_stream()
        precondition(
            deflateInit2_(&stream, level, Z_DEFLATED, -15, 8, strategy, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
                == Z_OK)
        defer { deflateEnd(&stream) }
        var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(payload.count))) + 64)
        var input = payload
        let produced = input.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                stream.next_in = input.baseAddress
                stream.avail_in = UInt32(input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = UInt32(output.count)
                precondition(deflate(&stream, Z_FINISH) == Z_STREAM_END)
                return output.count - Int(stream.avail_out)
            }
        }
        return Array(output.prefix(produced))
    }
}
