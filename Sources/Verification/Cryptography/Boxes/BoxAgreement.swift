import CSodium

/// What two key pairs have in common, and the boxes under it: NaCl's `crypto_box`, X25519, HSalsa20 and XSalsa20-Poly1305
/// (aries.md section 2). The tag is in front and is checked before anything is decrypted.
public struct BoxAgreement: ~Copyable {
    /// Octets of a nonce.
    public static let nonceLength = 24
    /// Octets that a box has more than its message: the tag.
    public static let overhead = 16
    private static let keyLength = 32

    private let key: Secret

    /// Throws `unavailable`, and `lowOrderPoint` where the shared secret would be all zero: anybody knows the key then.
    public init(_ pair: borrowing BoxKeyPair, with peer: BoxPublicKey) throws(CryptographyError) {
        guard Sodium.isReady else { throw .unavailable }
        var key = try Secret(count: Self.keyLength)
        let octets = peer.array
        try key.fill(orThrow: .lowOrderPoint) { key in
            octets.span.withPointer { peer in pair.secret.withPointer { crypto_box_beforenm(key, peer, $0) } }
        }
        self.key = key
    }

    /// The message of a box, at least one octet and at most 4,096. Throws `wrongLength`, `authenticationFailed`, `unavailable`.
    public borrowing func open(_ box: Span<UInt8>, nonce: Span<UInt8>) throws(CryptographyError) -> Secret {
        guard nonce.count == Self.nonceLength else { throw .wrongLength }
        var message = try Secret(count: box.count - Self.overhead)
        try message.fill(orThrow: .authenticationFailed) { message in
            box.withPointer { octets in
                nonce.withPointer { nonce in
                    key.withPointer { crypto_box_open_easy_afternm(message, octets, UInt64(box.count), nonce, $0) }
                }
            }
        }
        return message
    }

    /// The box of a message. Throws `wrongLength`, `unavailable`.
    public borrowing func seal(_ message: Span<UInt8>, nonce: Span<UInt8>) throws(CryptographyError) -> [UInt8] {
        guard nonce.count == Self.nonceLength else { throw .wrongLength }
        var box = [UInt8](repeating: 0, count: message.count + Self.overhead)
        let status = box.withUnsafeMutableBufferPointer { box in
            box.baseAddress.map { box in
                message.withPointer { octets in
                    nonce.withPointer { nonce in
                        key.withPointer { crypto_box_easy_afternm(box, octets, UInt64(message.count), nonce, $0) }
                    }
                }
            }
        }
        guard status == 0 else { throw .unavailable }
        return box
    }

    /// Whether `octets` are the key both have, in time that does not tell. For checks.
    package borrowing func hasKey(_ octets: Span<UInt8>) -> Bool { key.matches(octets) }
}
