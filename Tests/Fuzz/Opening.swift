import CZlib
import Cryptography
import TestSupport

@testable import Presentation

nonisolated(unsafe) private var opener: MessageOpener = { try! MessageOpener(payloadCap: cap) }()
nonisolated(unsafe) private var cipher: AuthenticatedCipher = { try! AuthenticatedCipher() }()
private let cap = 1 << 20
private let key: [UInt8] = (0..<32).map { UInt8($0) &* 7 }
private let nonce: [UInt8] = (0..<12).map { UInt8($0) }

/// The first octet says what the rest is: a gzip member, deflated data that gets a right frame, or a message as it
/// comes over the air. The first two are sealed, so that what follows the decryption is reached.
func fuzzOpening(_ octets: UnsafeBufferPointer<UInt8>) {
    guard let mode = octets.first else { return }
    let rest = Array(octets.dropFirst())
    switch mode & 3 {
    case 0, 3: open(sealed(rest), expected: inflated(rest, windowBits: 31))
    case 1:
        let body = inflated(rest, windowBits: -15)
        // The data may hold a right trailer of their own.
        guard let body else { return open(sealed(header + rest), expected: inflated(header + rest, windowBits: 31)) }
        open(sealed(header + rest + trailer(body)), expected: body)
    default: open(rest, expected: nil)
    }
}

private let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]

private func trailer(_ body: [UInt8]) -> [UInt8] {
    let sum = UInt32(truncatingIfNeeded: crc32(0, body, UInt32(body.count)))
    return big32(sum).reversed() + big32(UInt32(body.count)).reversed()
}

private func sealed(_ member: [UInt8]) -> [UInt8] {
    var message = member + [UInt8](repeating: 0, count: 16)
    do {
        try message.withUnsafeMutableBytes { try cipher.seal($0, key: key.span, nonce: nonce.span) }
    } catch {
        fatalError("\(error)")
    }
    return message
}

/// - Parameter expected: the payload, or nil when there must be none.
private func open(_ message: [UInt8], expected: [UInt8]?) {
    var message = message
    let result: Result<Int, OpeningError> = message.withUnsafeMutableBytes { message in
        do throws(OpeningError) { return .success(try opener.open(message, key: key.span, nonce: nonce.span)) } catch {
            return .failure(error)
        }
    }
    let payload = opener.withPayload { payload in payload.withUnsafeBytes { Array($0) } }
    switch result {
    case .success(let count):
        require(count == payload.count && count > 0, "a payload has its length")
        require(payload == expected, "a payload is what was compressed")
    case .failure(let error):
        require(payload.isEmpty && message.allSatisfy { $0 == 0 }, "nothing is left of a refused message")
        require(error != .unavailable, "the opener stays usable")
        require(expected == nil || expected!.isEmpty || expected!.count > cap, "a good message is not refused")
    }
}

/// What zlib makes of exactly one stream when it is asked piece by piece; nil when that is not all of `octets`.
private func inflated(_ octets: [UInt8], windowBits: Int32) -> [UInt8]? {
    var stream = z_stream()
    guard inflateInit2_(&stream, windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else { return nil }
    defer { inflateEnd(&stream) }
    var input = octets
    var output: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 4096)
    return input.withUnsafeMutableBufferPointer { input in
        stream.next_in = input.baseAddress
        stream.avail_in = UInt32(input.count)
        while output.count <= cap + 4096 {
            let status = piece.withUnsafeMutableBufferPointer { piece in
                stream.next_out = piece.baseAddress
                stream.avail_out = UInt32(piece.count)
                return inflate(&stream, Z_NO_FLUSH)
            }
            output += piece[..<(piece.count - Int(stream.avail_out))]
            if status == Z_STREAM_END { return stream.avail_in == 0 ? output : nil }
            guard status == Z_OK, stream.avail_in > 0 || stream.avail_out == 0 else { return nil }
        }
        return nil
    }
}

/// One gzip member of `payload`.
func gzip(_ payload: [UInt8], level: Int32 = 6) -> [UInt8] { deflated(payload, windowBits: 31, level: level) }
