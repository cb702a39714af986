import COpenSSL
import CZlib
import Cryptography
import Presentation
import SelfTest

/// Opening a message against the same work by one-shot calls of libcrypto and zlib.
func benchOpening() throws {
    for portrait in [2_000, 50_000, 350_000] {
        let gzip = ScriptedWallet.gzip(try DemoCredential(portrait: portrait).text)
        let key = try Random.bytes(32)
        let nonce = try Random.bytes(12)
        var cipher = try AuthenticatedCipher()
        var sealed = gzip + [UInt8](repeating: 0, count: 16)
        try sealed.withUnsafeMutableBytes { try cipher.seal($0, key: key.span, nonce: nonce.span) }
        var opener = try MessageOpener()
        let work = UnsafeMutableRawBufferPointer.allocate(byteCount: sealed.count, alignment: 64)
        let plain = UnsafeMutableRawBufferPointer.allocate(byteCount: sealed.count, alignment: 64)
        let text16 = UnsafeMutableRawBufferPointer.allocate(byteCount: MessageOpener.payloadCap, alignment: 64)
        defer {
            work.deallocate()
            plain.deallocate()
            text16.deallocate()
        }
        var lengths = (0, 0)
        let (ours, oneShot) = medians(rounds: 101) {
            work.copyBytes(from: sealed)
            do throws(OpeningError) { lengths.0 = try opener.open(work, key: key.span, nonce: nonce.span) } catch { lengths.0 = -1 }
        } _: {
            work.copyBytes(from: sealed)
            lengths.1 = openOnce(work, plain, text16, key, nonce)
        }
        precondition(lengths.0 == lengths.1 && lengths.0 > portrait, "both open the same")
        print(
            "open and inflate, \(sealed.count) octets: \(text(ours / 1000, 1)) us, \(text(ours / oneShot)) times one-shot libcrypto + zlib; goal 1.1"
        )
    }
}

/// What a program without buffers of its own does: a context made, used and freed for each message.
private func openOnce(
    _ message: UnsafeMutableRawBufferPointer, _ plain: UnsafeMutableRawBufferPointer, _ output: UnsafeMutableRawBufferPointer,
    _ key: [UInt8], _ nonce: [UInt8]
) -> Int {
    let count = message.count - 16
    guard let context = EVP_CIPHER_CTX_new(), let from = message.baseAddress, let to = plain.baseAddress, let out = output.baseAddress
    else { return -1 }
    defer { EVP_CIPHER_CTX_free(context) }
    var length: Int32 = 0
    guard EVP_DecryptInit_ex(context, EVP_aes_256_gcm(), nil, key, nonce) == 1,
        EVP_DecryptUpdate(context, to.assumingMemoryBound(to: UInt8.self), &length, from.assumingMemoryBound(to: UInt8.self), Int32(count))
            == 1,
        EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, 16, from + count) == 1
    else { return -1 }
    var rest: Int32 = 0
    guard EVP_DecryptFinal_ex(context, to.assumingMemoryBound(to: UInt8.self), &rest) == 1 else { return -1 }
    var stream = z_stream()
    guard inflateInit2_(&stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else { return -1 }
    defer { inflateEnd(&stream) }
    stream.next_in = to.assumingMemoryBound(to: UInt8.self)
    stream.avail_in = UInt32(count)
    stream.next_out = out.assumingMemoryBound(to: UInt8.self)
    stream.avail_out = UInt32(output.count)
    guard inflate(&stream, Z_FINISH) == Z_STREAM_END else { return -1 }
    return Int(stream.total_out)
}
