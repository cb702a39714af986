import Cryptography
import Envelopes
import JSON

/// What an envelope is made with besides keys and message. Whoever draws one of these twice gives the content away.
package enum EnvelopeDraw: Hashable, Sendable {
    case contentKey
    case contentNonce
    /// The nonce of the box for the entry of that index.
    case keyNonce(Int)
    /// The secret half of the pair that a sealed box for the entry of that index is made with.
    case ephemeral(Int)

    /// Octets.
    package var count: Int {
        switch self {
        case .contentKey: EnvelopeLimits.contentKey
        case .contentNonce: EnvelopeLimits.nonce
        case .keyNonce: EnvelopeLimits.keyNonce
        case .ephemeral: BoxKeyPair.secretLength
        }
    }

    package func atRandom() throws(CryptographyError) -> Secret { try Secret(randomCount: count) }
}

extension Envelope {
    /// The envelope of an answer over HTTP, from the key of the visit: by that the wallet sees who answers (aries.md section 3).
    ///
    /// - Parameters:
    ///   - message: UTF-8 octets of one message.
    ///   - recipients: 1 to 32.
    /// - Returns: UTF-8 octets of the envelope. Throws `wrongLength` for another number of recipients, `lowOrderPoint`, `noRandomness`,
    ///   `unavailable`.
    public static func authcrypt(
        _ message: Span<UInt8>, for recipients: [EnvelopeRecipient], from sender: borrowing EnvelopeKey
    ) throws(CryptographyError) -> [UInt8] {
        try authcrypt(message, for: recipients, from: sender) { (draw) throws(CryptographyError) in try draw.atRandom() }
    }

    /// An envelope from nobody. Parameters and errors as of `authcrypt`.
    public static func anoncrypt(_ message: Span<UInt8>, for recipients: [EnvelopeRecipient]) throws(CryptographyError) -> [UInt8] {
        try anoncrypt(message, for: recipients) { (draw) throws(CryptographyError) in try draw.atRandom() }
    }

    /// As above, with draws of the caller's: recorded envelopes are made again by them.
    package static func authcrypt(
        _ message: Span<UInt8>, for recipients: [EnvelopeRecipient], from sender: borrowing EnvelopeKey,
        drawing draw: (EnvelopeDraw) throws(CryptographyError) -> Secret
    ) throws(CryptographyError) -> [UInt8] {
        let contentKey = try draw(.contentKey)
        let kid = Array(sender.kid.utf8)
        var header = try headerBegun(.authcrypt, recipients)
        for (index, recipient) in recipients.enumerated() {
            let agreement = try BoxAgreement(sender.pair, with: recipient.box)
            let nonce = try octets(draw(.keyNonce(index)))
            let wrapped = try contentKey.withBytes { (key) throws(CryptographyError) in try agreement.seal(key, nonce: nonce.span) }
            let sealed = try SealedBox.seal(kid.span, for: recipient.box, ephemeral: BoxKeyPair(draw(.ephemeral(index))))
            write(wrapped, for: recipient, sender: (sealed, nonce), to: &header)
        }
        return try sealed(message, header, contentKey, nonce: octets(draw(.contentNonce)))
    }

    package static func anoncrypt(
        _ message: Span<UInt8>, for recipients: [EnvelopeRecipient],
        drawing draw: (EnvelopeDraw) throws(CryptographyError) -> Secret
    ) throws(CryptographyError) -> [UInt8] {
        let contentKey = try draw(.contentKey)
        var header = try headerBegun(.anoncrypt, recipients)
        for (index, recipient) in recipients.enumerated() {
            let ephemeral = try BoxKeyPair(draw(.ephemeral(index)))
            let wrapped = try seal(contentKey, for: recipient, ephemeral)
            write(wrapped, for: recipient, sender: nil, to: &header)
        }
        return try sealed(message, header, contentKey, nonce: octets(draw(.contentNonce)))
    }

    private static func seal(
        _ contentKey: borrowing Secret, for recipient: EnvelopeRecipient, _ ephemeral: consuming BoxKeyPair
    ) throws(CryptographyError) -> [UInt8] {
        var key = octets(contentKey)
        defer { wipe(&key) }
        return try SealedBox.seal(key.span, for: recipient.box, ephemeral: ephemeral)
    }

    private static func octets(_ secret: borrowing Secret) -> [UInt8] { secret.withBytes { bytes in bytes.indices.map { bytes[$0] } } }

    // MARK: JSON

    private static func headerBegun(
        _ algorithm: EnvelopeHeader.Algorithm, _ recipients: [EnvelopeRecipient]
    ) throws(CryptographyError) -> JSONWriter {
        guard (1...EnvelopeLimits.recipients).contains(recipients.count) else { throw .wrongLength }
        var header = JSONWriter()
        header.beginObject()
        header.member("enc", EnvelopeHeader.encryption)
        header.member("typ", EnvelopeHeader.type)
        header.member("alg", algorithm.rawValue)
        header.name("recipients")
        header.beginArray()
        return header
    }

    private static func write(
        _ wrapped: [UInt8], for recipient: EnvelopeRecipient, sender: (sealed: [UInt8], nonce: [UInt8])?, to header: inout JSONWriter
    ) {
        header.object { entry in
            entry.member("encrypted_key", EnvelopeText.text(wrapped))
            entry.name("header")
            entry.object { header in
                header.member("kid", recipient.kid)
                guard let sender else { return }
                header.member("sender", EnvelopeText.text(sender.sealed))
                header.member("iv", EnvelopeText.text(sender.nonce))
            }
        }
    }

    /// The envelope around a message, its header complete but for the end.
    private static func sealed(
        _ message: Span<UInt8>, _ begun: JSONWriter, _ contentKey: borrowing Secret, nonce: [UInt8]
    ) throws(CryptographyError) -> [UInt8] {
        var header = begun
        header.endArray()
        header.endObject()
        let protected = Base64.encodeURL(header.bytes)
        var content = MessageOctets(copying: message)
        let tag = try content.seal(key: contentKey, nonce: nonce.span, additional: protected.span)
        var envelope = JSONWriter(reserving: protected.count + message.count / 3 * 4 + 128)
        envelope.object { envelope in
            envelope.member("protected", String(decoding: protected, as: UTF8.self))
            envelope.member("iv", EnvelopeText.text(nonce))
            envelope.member("ciphertext", content.withOctets { octets in EnvelopeText.text(octets.indices.map { octets[$0] }) })
            envelope.member("tag", EnvelopeText.text(tag.indices.map { tag[$0] }))
        }
        return envelope.bytes
    }
}
