import COpenSSL

/// A private key as a PEM text, not encrypted (RFC 7468, RFC 5958, RFC 5915). libcrypto reads it, because it wipes what it read.
enum PrivateKeyText {
    /// Octets of the longest PEM text that is looked at, and more than one of a key that is made here has.
    private static let longest = 4096

    /// A key of any kind, which the caller owns. Throws `malformedKey`, also for an encrypted key.
    static func read(_ pem: Span<UInt8>) throws(CryptographyError) -> OpaquePointer {
        guard pem.count <= longest else { throw .malformedKey }
        _ = Library.shared
        let key = pem.withUnsafeBufferPointer { text -> OpaquePointer? in
            guard let source = BIO_new_mem_buf(text.baseAddress, Int32(text.count)) else { return nil }
            defer { BIO_free(source) }
            // Without a callback libcrypto would ask the terminal for a password.
            return PEM_read_bio_PrivateKey_ex(source, nil, { _, _, _, _ in -1 }, nil, nil, nil)
        }
        guard let key else { throw Library.failure(.malformedKey) }
        return key
    }

    /// The private key as a PEM text "PRIVATE KEY" (RFC 5958, RFC 7468 section 10), not encrypted: whoever reads it signs with it.
    /// Throws `unavailable`.
    static func write(_ key: OpaquePointer) throws(CryptographyError) -> Secret {
        // A memory BIO wipes what it gives back.
        guard let memory = BIO_new(BIO_s_mem()) else { throw Library.failure(.unavailable) }
        defer { BIO_free(memory) }
        guard PEM_write_bio_PKCS8PrivateKey(memory, key, nil, nil, 0, nil, nil) == 1 else { throw Library.failure(.unavailable) }
        let length = BIO_ctrl_pending(memory)
        guard 1...longest ~= length else { throw Library.failure(.unavailable) }
        var text = try Secret(count: length)
        let count = text.withMutableBytes { BIO_read(memory, $0.baseAddress, Int32($0.count)) }
        guard Int(count) == length else { throw Library.failure(.unavailable) }
        return text
    }
}
