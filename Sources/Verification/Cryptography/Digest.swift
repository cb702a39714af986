import COpenSSL

/// The digests the gate computes (FIPS 180-4, FIPS 202).
public enum DigestAlgorithm: Hashable, Sendable, CaseIterable {
    case sha256, sha384, sha512, sha3_256, sha3_384, sha3_512

    /// Length of the digest in bytes.
    public var byteCount: Int {
        switch self {
        case .sha256, .sha3_256: 32
        case .sha384, .sha3_384: 48
        case .sha512, .sha3_512: 64
        }
    }

    var method: OpaquePointer? {
        switch self {
        case .sha256: Library.shared.sha256
        case .sha384: Library.shared.sha384
        case .sha512: Library.shared.sha512
        case .sha3_256: Library.shared.sha3_256
        case .sha3_384: Library.shared.sha3_384
        case .sha3_512: Library.shared.sha3_512
        }
    }
}

/// An incremental digest. `finish` gives the digest and begins anew, so one value serves many messages.
public struct Digest: ~Copyable {
    public let algorithm: DigestAlgorithm
    private let context: OpaquePointer

    /// Throws `unavailable`.
    public init(_ algorithm: DigestAlgorithm) throws(CryptographyError) {
        guard let method = algorithm.method, let context = EVP_MD_CTX_new() else {
            throw Library.failure(.unavailable)
        }
        guard EVP_DigestInit_ex2(context, method, nil) == 1 else {
            EVP_MD_CTX_free(context)
            throw Library.failure(.unavailable)
        }
        self.algorithm = algorithm
        self.context = context
    }

    deinit {
        EVP_MD_CTX_free(context)
    }

    /// Appends `bytes` to the message. Throws `unavailable`.
    public mutating func update(_ bytes: Span<UInt8>) throws(CryptographyError) {
        guard !bytes.isEmpty else { return }
        let updated = bytes.withUnsafeBufferPointer { EVP_DigestUpdate(context, $0.baseAddress, $0.count) == 1 }
        guard updated else { throw Library.failure(.unavailable) }
    }

    /// Writes the digest into `output`, exactly `algorithm.byteCount` bytes, and begins a new message.
    /// Throws `wrongLength` (the message then continues) and `unavailable`.
    public mutating func finish(into output: UnsafeMutableRawBufferPointer) throws(CryptographyError) {
        guard output.count == algorithm.byteCount, let start = output.baseAddress else { throw .wrongLength }
        var length: UInt32 = 0
        guard EVP_DigestFinal_ex(context, start.assumingMemoryBound(to: UInt8.self), &length) == 1,
            Int(length) == output.count, EVP_DigestInit_ex2(context, algorithm.method, nil) == 1
        else { throw Library.failure(.unavailable) }
    }

    /// The digest as an array of `algorithm.byteCount` bytes; begins a new message. Throws `unavailable`.
    public mutating func finish() throws(CryptographyError) -> [UInt8] {
        // libcrypto writes at most EVP_MAX_MD_SIZE (64) bytes, so the widest digest fits whatever the algorithm.
        var wide = InlineArray<64, UInt8>(repeating: 0)
        var output = wide.mutableSpan
        try output.withUnsafeMutableBytes { (buffer) throws(CryptographyError) in
            try finish(into: UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(algorithm.byteCount)))
        }
        return Self.array(wide, algorithm.byteCount)
    }

    /// The digest of one message. Throws `unavailable`.
    public static func hash(_ bytes: Span<UInt8>, _ algorithm: DigestAlgorithm) throws(CryptographyError) -> [UInt8] {
        guard let method = algorithm.method else { throw Library.failure(.unavailable) }
        var wide = InlineArray<64, UInt8>(repeating: 0)
        var output = wide.mutableSpan
        var length: UInt32 = 0
        let hashed = output.withUnsafeMutableBytes { buffer in
            bytes.withUnsafeBufferPointer {
                EVP_Digest(
                    $0.baseAddress, $0.count, buffer.baseAddress?.assumingMemoryBound(to: UInt8.self), &length, method,
                    nil)
            }
        }
        guard hashed == 1, Int(length) == algorithm.byteCount else { throw Library.failure(.unavailable) }
        return array(wide, algorithm.byteCount)
    }

    /// SHA-256 of one message, without an array: for digests that are only compared. Throws `unavailable`.
    public static func sha256(_ bytes: Span<UInt8>) throws(CryptographyError) -> InlineArray<32, UInt8> {
        guard let method = DigestAlgorithm.sha256.method else { throw Library.failure(.unavailable) }
        var digest = InlineArray<32, UInt8>(repeating: 0)
        var output = digest.mutableSpan
        let hashed = output.withUnsafeMutableBytes { buffer in
            bytes.withUnsafeBufferPointer {
                EVP_Digest(
                    $0.baseAddress, $0.count, buffer.baseAddress?.assumingMemoryBound(to: UInt8.self), nil, method, nil)
            }
        }
        guard hashed == 1 else { throw Library.failure(.unavailable) }
        return digest
    }

    private static func array(_ wide: InlineArray<64, UInt8>, _ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            for index in 0..<count { buffer.initializeElement(at: index, to: wide[index]) }
            initialized = count
        }
    }
}
