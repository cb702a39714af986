import CSodium

/// ChaCha20-Poly1305 (RFC 8439) with the tag apart, in place. A message may be empty, but not without an address.
public enum ChaChaPoly {
    public static let keyLength = 32
    public static let nonceLength = 12
    public static let tagLength = 16

    /// Decrypts `message` in place; on return it is authentic. Throws `wrongLength`, `authenticationFailed`, `unavailable`; `message` is
    /// then wiped.
    public static func open(
        _ message: UnsafeMutableRawBufferPointer, tag: Span<UInt8>, key: borrowing Secret, nonce: Span<UInt8>, additional: Span<UInt8>
    ) throws(CryptographyError) {
        guard Sodium.isReady else {
            wipe(message)
            throw .unavailable
        }
        guard key.count == keyLength, nonce.count == nonceLength, tag.count == tagLength, let start = message.baseAddress else {
            wipe(message)
            throw .wrongLength
        }
        let octets = start.assumingMemoryBound(to: UInt8.self)
        let status = tag.withPointer { tag in
            nonce.withPointer { nonce in
                additional.withPointer { header in
                    key.withPointer {
                        crypto_aead_chacha20poly1305_ietf_decrypt_detached(
                            octets, nil, octets, UInt64(message.count), tag, header, UInt64(additional.count), nonce, $0)
                    }
                }
            }
        }
        guard status == 0 else {
            wipe(message)
            throw .authenticationFailed
        }
    }

    /// Encrypts `message` in place and returns the tag. Throws `wrongLength`, `unavailable`; `message` is then wiped.
    public static func seal(
        _ message: UnsafeMutableRawBufferPointer, key: borrowing Secret, nonce: Span<UInt8>, additional: Span<UInt8>
    ) throws(CryptographyError) -> InlineArray<16, UInt8> {
        guard Sodium.isReady else {
            wipe(message)
            throw .unavailable
        }
        guard key.count == keyLength, nonce.count == nonceLength, let start = message.baseAddress else {
            wipe(message)
            throw .wrongLength
        }
        let octets = start.assumingMemoryBound(to: UInt8.self)
        let tag = InlineArray<16, UInt8>.filled { tag in
            nonce.withPointer { nonce in
                additional.withPointer { header in
                    key.withPointer {
                        crypto_aead_chacha20poly1305_ietf_encrypt_detached(
                            octets, tag, nil, octets, UInt64(message.count), header, UInt64(additional.count), nil, nonce, $0)
                    }
                }
            }
        }
        guard let tag else {
            wipe(message)
            throw .unavailable
        }
        return tag
    }
}
