import Cryptography

/// From the bytes that came over the air to the wallet's text: AES-256-GCM in place, then one gzip member, bounded
/// (tuvali.md section 5, steps 5 and 6).
///
/// Made once at start. It owns the buffer for the inflated payload and everything libcrypto and zlib need, so opening a
/// message allocates nothing. The inflated payload stays readable through `withPayload` until `wipe` or the next `open`.
public struct MessageOpener: ~Copyable {
    /// Most bytes a payload may have once inflated (tuvali.md section 6).
    public static let payloadCap = 16 << 20

    private var cipher: AuthenticatedCipher
    private var inflater: Inflater
    let output: UnsafeMutableRawBufferPointer
    /// Bytes at the start of `output` that were written to since the last wipe.
    private var touched = 0
    /// Whether `output` or zlib's state may hold something of a message.
    private var isUsed = false
    /// Bytes at the start of `output` that are an opened payload.
    private var opened = 0

    /// Bytes zlib works in, for the table of fixed buffers.
    public static var workspaceSize: Int { Inflater.workspaceSize }

    /// An opener whose payloads are at most `payloadCap` bytes. The buffer is allocated here and nowhere else; its pages
    /// are touched as payloads need them. Throws `unavailable`.
    public init(payloadCap: Int = payloadCap) throws(OpeningError) {
        guard (1...Self.payloadCap).contains(payloadCap) else { throw .unavailable }
        let cipher = try Self.makeCipher()
        let inflater = try Inflater()
        self.cipher = cipher
        self.inflater = inflater
        output = .allocate(byteCount: payloadCap, alignment: 64)
    }

    deinit {
        Cryptography.wipe(UnsafeMutableRawBufferPointer(rebasing: output[..<touched]))
        output.deallocate()
    }

    /// Opens `message` (ciphertext, then the 16-byte tag) with the visit's key and Identify's nonce, and inflates it.
    /// Returns the payload's length in bytes.
    ///
    /// `message` is overwritten: with the compressed plaintext on success, with zeros on an error. The caller wipes it
    /// when the visit ends, as it wipes this with `wipe()`.
    public mutating func open(
        _ message: UnsafeMutableRawBufferPointer, key: borrowing Secret, nonce: Span<UInt8>
    ) throws(OpeningError) -> Int {
        try key.withBytes { (key) throws(OpeningError) in try open(message, key: key, nonce: nonce) }
    }

    /// As above, with the key's 32 bytes where the caller keeps them.
    public mutating func open(
        _ message: UnsafeMutableRawBufferPointer, key: Span<UInt8>, nonce: Span<UInt8>
    ) throws(OpeningError) -> Int {
        wipe()
        do throws(OpeningError) {
            let length = try decrypt(message, key, nonce)
            guard length > 0 else { throw .empty }
            let compressed = UnsafeMutableRawBufferPointer(rebasing: message[..<length])
            isUsed = true
            let inflated = try inflater.inflate(compressed, into: output, written: &touched)
            guard inflated > 0 else { throw .empty }
            opened = inflated
            return inflated
        } catch {
            Cryptography.wipe(message)
            wipe()
            throw error
        }
    }

    /// Lends the payload that was opened last; empty if there is none. `body` must not keep the span.
    public borrowing func withPayload<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let payload = UnsafeMutableRawBufferPointer(rebasing: output[..<opened])
        return try body(UnsafeBufferPointer(payload.assumingMemoryBound(to: UInt8.self)).span)
    }

    /// Forgets the payload and everything zlib remembers of it. The message's own buffer is the caller's to wipe.
    public mutating func wipe() {
        guard isUsed else { return }
        // Some builds of zlib store a few bytes past the end they report; a page more covers them.
        let end = min(output.count, touched + 4096)
        Cryptography.wipe(UnsafeMutableRawBufferPointer(rebasing: output[..<end]))
        inflater.reset()
        touched = 0
        opened = 0
        isUsed = false
    }

    private static func makeCipher() throws(OpeningError) -> AuthenticatedCipher {
        do throws(CryptographyError) {
            return try AuthenticatedCipher()
        } catch {
            throw .unavailable
        }
    }

    private mutating func decrypt(
        _ message: UnsafeMutableRawBufferPointer, _ key: Span<UInt8>, _ nonce: Span<UInt8>
    ) throws(OpeningError) -> Int {
        guard message.count >= AuthenticatedCipher.tagLength else { throw .tooShort }
        do throws(CryptographyError) {
            return try cipher.open(message, key: key, nonce: nonce)
        } catch {
            throw error == .authenticationFailed ? .authenticationFailed : .unavailable
        }
    }
}
