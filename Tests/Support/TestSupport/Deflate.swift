import CZlib

/// What zlib makes of a payload. `windowBits` says in which container: -15 is none, 15 zlib's own (RFC 1950), 31 gzip's (RFC 1952).
public func deflated(
    _ payload: [UInt8], windowBits: Int32, level: Int32 = 6, strategy: Int32 = Z_DEFAULT_STRATEGY, dictionary: [UInt8] = []
) -> [UInt8] {
    var stream = z_stream()
    precondition(
        deflateInit2_(&stream, level, Z_DEFLATED, windowBits, 8, strategy, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK)
    defer { deflateEnd(&stream) }
    if !dictionary.isEmpty { deflateSetDictionary(&stream, dictionary, UInt32(dictionary.count)) }
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
