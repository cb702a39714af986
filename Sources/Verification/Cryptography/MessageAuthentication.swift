import COpenSSL

/// HMAC (RFC 2104): says that whoever made a message had the key.
public enum MessageAuthentication {
    /// Octets of a tag of HMAC with SHA-256.
    public static let tagLength = 32

    /// HMAC-SHA-256, not cut short. Compare it with `constantTimeEqual`. Throws `unavailable`.
    public static func tag(of message: Span<UInt8>, key: borrowing Secret) throws(CryptographyError) -> [UInt8] {
        _ = Library.shared
        var tag = [UInt8](repeating: 0, count: tagLength)
        var length = 0
        let isMade = key.withBytes { key in
            key.withUnsafeBufferPointer { key in
                message.withUnsafeBufferPointer { message in
                    EVP_Q_mac(
                        nil, "HMAC", nil, "SHA2-256", nil, key.baseAddress, key.count, message.baseAddress, message.count, &tag, tag.count,
                        &length) != nil
                }
            }
        }
        guard isMade, length == tagLength else { throw Library.failure(.unavailable) }
        return tag
    }
}
