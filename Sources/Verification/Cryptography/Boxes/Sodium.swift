import CSodium

/// libsodium, made ready once. It has what libcrypto lacks: XSalsa20-Poly1305, HSalsa20 and BLAKE2b of 24 octets.
///
/// None of the functions used here allocates. Making it ready asks the kernel for randomness and measures the processor, so a process that
/// gives up rights asks for `isReady` before it does.
public enum Sodium {
    /// Whether the library works. Every type of `Boxes` asks, and throws `unavailable` where it does not.
    public static let isReady = sodium_init() >= 0

    /// `libsodium 1.0.18`: the library that is loaded.
    public static var libraryVersion: String { "libsodium " + (sodium_version_string().map { String(cString: $0) } ?? "") }
}

extension Span where Element == UInt8 {
    /// Lends the address of the bytes; of none, that of a byte that nobody reads: the library takes no null.
    func withPointer<Result>(_ body: (UnsafePointer<UInt8>) -> Result) -> Result {
        withUnsafeBufferPointer { bytes in
            if let start = bytes.baseAddress { return body(start) }
            return withUnsafePointer(to: 0) { body($0) }
        }
    }
}

extension Secret {
    /// Lends the address of the bytes to a function of a C library.
    borrowing func withPointer<Result>(_ body: (UnsafePointer<UInt8>) -> Result) -> Result { withBytes { $0.withPointer(body) } }

    /// Has a function of a C library write the bytes. Throws `failure` unless it returns 0.
    mutating func fill(
        orThrow failure: CryptographyError, _ body: (UnsafeMutablePointer<UInt8>) -> Int32
    ) throws(CryptographyError) {
        let status = withMutableBytes { bytes in bytes.baseAddress.map { body($0.assumingMemoryBound(to: UInt8.self)) } }
        guard status == 0 else { throw failure }
    }
}

extension InlineArray where Element == UInt8 {
    /// The bytes that a function of a C library writes; nil unless it returns 0.
    static func filled(_ body: (UnsafeMutablePointer<UInt8>) -> Int32) -> Self? {
        var array = Self(repeating: 0)
        var bytes = array.mutableSpan
        let status = bytes.withUnsafeMutableBufferPointer { bytes in bytes.baseAddress.map(body) }
        return status == 0 ? array : nil
    }
}
