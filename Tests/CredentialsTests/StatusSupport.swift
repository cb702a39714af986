import CZlib
@testable import Credentials

/// zlib's own container (RFC 1950) around a payload.
func zlib(_ payload: [UInt8], dictionary: [UInt8] = []) -> [UInt8] {
    var stream = z_stream()
    precondition(deflateInit_(&stream, 9, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK)
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

func refusal<Value>(_ body: () throws(StatusListError) -> Value) -> StatusListError? {
    do throws(StatusListError) {
        _ = try body()
        return nil
    } catch {
        return error
    }
}
