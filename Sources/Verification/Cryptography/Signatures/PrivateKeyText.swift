import COpenSSL

/// A private key as a PEM text, not encrypted (RFC 7468, RFC 5958, RFC 5915). libcrypto reads it, because it wipes what it read.
enum PrivateKeyText {
    /// Octets of the longest PEM text that is looked at.
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
}
