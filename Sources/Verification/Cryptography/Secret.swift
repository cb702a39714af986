import COpenSSL

/// A fixed number of secret bytes at one address, wiped when the value ends.
///
/// The bytes live in libcrypto's arena and never move: a secret held inline would leave a copy behind on the stack
/// each time the value moves. It cannot be copied, printed or compared in variable time.
public struct Secret: ~Copyable {
    public let count: Int
    private let bytes: UnsafeMutableRawPointer

    /// `count` zero bytes, 1 to 4096. Throws `wrongLength`, `unavailable`.
    init(count: Int) throws(CryptographyError) {
        bytes = try Self.allocate(count)
        self.count = count
    }

    /// A copy of `source`, 1 to 4096 bytes. The caller wipes the original. Throws `wrongLength`, `unavailable`.
    public init(copying source: Span<UInt8>) throws(CryptographyError) {
        let bytes = try Self.allocate(source.count)
        let destination = UnsafeMutableRawBufferPointer(start: bytes, count: source.count)
        source.withUnsafeBufferPointer { destination.copyMemory(from: UnsafeRawBufferPointer($0)) }
        self.bytes = bytes
        count = source.count
    }

    /// `count` random bytes. Throws `wrongLength`, `unavailable`, `noRandomness`.
    public init(randomCount count: Int) throws(CryptographyError) {
        let bytes = try Self.allocate(count)
        do throws(CryptographyError) {
            try Random.fill(UnsafeMutableRawBufferPointer(start: bytes, count: count))
        } catch {
            CRYPTO_clear_free(bytes, count, nil, 0)
            throw error
        }
        self.bytes = bytes
        self.count = count
    }

    deinit {
        CRYPTO_clear_free(bytes, count, nil, 0)
    }

    /// Lends the bytes for the duration of `body`, which must not keep or copy them.
    public borrowing func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let buffer = UnsafeBufferPointer(start: bytes.assumingMemoryBound(to: UInt8.self), count: count)
        return try body(buffer.span)
    }

    mutating func withMutableBytes<Result, Failure: Error>(
        _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafeMutableRawBufferPointer(start: bytes, count: count))
    }

    /// Constant-time comparison.
    public borrowing func matches(_ other: Span<UInt8>) -> Bool {
        withBytes { constantTimeEqual($0, other) }
    }

    private static func allocate(_ count: Int) throws(CryptographyError) -> UnsafeMutableRawPointer {
        guard (1...4096).contains(count) else { throw .wrongLength }
        _ = Library.shared
        guard let bytes = CRYPTO_zalloc(count, nil, 0) else { throw Library.failure(.unavailable) }
        return bytes
    }
}
