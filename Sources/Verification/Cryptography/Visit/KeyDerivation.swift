import COpenSSL

/// HKDF-SHA-256, extract and expand (RFC 5869). One context, made at start and reused.
public struct KeyDerivation: ~Copyable {
    /// The longest output RFC 5869 allows, in bytes: 255 blocks of SHA-256. A `Secret` holds at most 4096.
    public static let longestOutput = 255 * 32

    private let context: OpaquePointer

    /// Throws `unavailable`.
    public init() throws(CryptographyError) {
        guard let hkdf = Library.shared.hkdf, let context = EVP_KDF_CTX_new(hkdf) else {
            throw Library.failure(.unavailable)
        }
        self.context = context
    }

    deinit {
        EVP_KDF_CTX_free(context)
    }

    /// Derives `count` bytes from `secret`. Throws `wrongLength`, `unavailable`.
    public mutating func derive(
        _ count: Int, from secret: borrowing Secret, salt: Span<UInt8>, info: Span<UInt8>
    ) throws(CryptographyError) -> Secret {
        var output = try Secret(count: count)
        try secret.withBytes { (input) throws(CryptographyError) in
            try output.withMutableBytes { (buffer) throws(CryptographyError) in
                try fill(buffer, from: input, salt: salt, info: info)
            }
        }
        return output
    }

    /// Fills `output` (at most `longestOutput` bytes) from raw input keying material. Throws `wrongLength`,
    /// `unavailable`; the output is then wiped.
    public mutating func fill(
        _ output: UnsafeMutableRawBufferPointer, from input: Span<UInt8>, salt: Span<UInt8>, info: Span<UInt8>
    ) throws(CryptographyError) {
        guard let start = output.baseAddress, (1...Self.longestOutput).contains(output.count), !input.isEmpty else {
            wipe(output)
            throw .wrongLength
        }
        // The context copies what it is given: reset it on every path, or the secret stays in it until the next visit.
        EVP_KDF_CTX_reset(context)
        defer { EVP_KDF_CTX_reset(context) }
        let derived = input.withUnsafeBufferPointer { input in
            salt.withUnsafeBufferPointer { salt in
                info.withUnsafeBufferPointer { info in
                    gatehouse_hkdf_sha256(
                        context, start.assumingMemoryBound(to: UInt8.self), output.count, input.baseAddress, input.count,
                        salt.baseAddress, salt.count, info.baseAddress, info.count)
                }
            }
        }
        guard derived == 1 else {
            wipe(output)
            throw Library.failure(.unavailable)
        }
    }
}
