import CSodium

/// A box from nobody: NaCl's `crypto_box_seal`, the public half of a pair made for it alone and a box under a nonce that follows from both
/// public keys (aries.md section 2).
public enum SealedBox {
    /// Octets that a sealed box has more than its message: a public key and a tag.
    public static let overhead = BoxPublicKey.length + BoxAgreement.overhead

    /// The message, at least one octet and at most 4,096. Throws `wrongLength`, `unavailable`, and `authenticationFailed` also where the
    /// public key in front is one of low order.
    public static func open(_ box: Span<UInt8>, by pair: borrowing BoxKeyPair) throws(CryptographyError) -> Secret {
        guard Sodium.isReady else { throw .unavailable }
        var message = try Secret(count: box.count - overhead)
        let recipient = pair.publicKey.array
        try message.fill(orThrow: .authenticationFailed) { message in
            box.withPointer { octets in
                recipient.span.withPointer { recipient in
                    pair.secret.withPointer { crypto_box_seal_open(message, octets, UInt64(box.count), recipient, $0) }
                }
            }
        }
        return message
    }

    /// The sealed box of a message.
    ///
    /// - Parameter ephemeral: a pair made for this one box: whoever used one twice would use a nonce twice.
    /// Throws `wrongLength`, `lowOrderPoint`, `unavailable`.
    public static func seal(
        _ message: Span<UInt8>, for recipient: BoxPublicKey, ephemeral: consuming BoxKeyPair
    ) throws(CryptographyError) -> [UInt8] {
        let drawn = try nonce(ephemeral: ephemeral.publicKey, recipient: recipient)
        // Arrays: see BoxPublicKey.array.
        let nonce = drawn.indices.map { drawn[$0] }, own = ephemeral.publicKey.array
        let agreement = try BoxAgreement(ephemeral, with: recipient)
        let box = try agreement.seal(message, nonce: nonce.span)
        return own + box
    }

    /// BLAKE2b of both public keys, 24 octets. Throws `unavailable`.
    package static func nonce(ephemeral: BoxPublicKey, recipient: BoxPublicKey) throws(CryptographyError) -> InlineArray<24, UInt8> {
        guard Sodium.isReady else { throw .unavailable }
        let keys = ephemeral.octets.indices.map { ephemeral.octets[$0] } + recipient.octets.indices.map { recipient.octets[$0] }
        let nonce = InlineArray<24, UInt8>.filled { output in
            keys.span.withPointer { crypto_generichash(output, BoxAgreement.nonceLength, $0, UInt64(keys.count), nil, 0) }
        }
        guard let nonce else { throw .unavailable }
        return nonce
    }
}
