import Cryptography
import Envelopes
import JSON

/// A DIDComm v1 envelope (RFC 0019) that has the form of one. Nothing in it is authentic until it is open (aries.md section 2).
public struct Envelope: Sendable {
    /// `protected` as it was sent, which the content's tag covers.
    let protected: [UInt8]
    let header: EnvelopeHeader
    let nonce: [UInt8]
    let tag: [UInt8]
    let ciphertext: [UInt8]

    /// Steps 1 and 2: all that can be said without a key.
    ///
    /// - Parameter text: UTF-8 octets of the whole message as it came off a link.
    public init(parsing text: Span<UInt8>) throws(EnvelopeFault) {
        guard text.count <= EnvelopeLimits.text else { throw .tooLarge }
        let limits = JSONLimits(bytes: EnvelopeLimits.text, depth: EnvelopeLimits.depth, nodes: EnvelopeLimits.nodes)
        let root: JSONValue
        do throws(JSONError) {
            root = try JSONDocument(parsing: text, limits: limits).root
        } catch {
            throw .malformed
        }
        guard root.kind == .object else { throw .malformed }
        guard let protected = root["protected"] else { throw .missing }
        guard protected.kind == .string, let ciphertext = root["ciphertext"], ciphertext.kind == .string,
            let nonce = root["iv"], nonce.kind == .string, let tag = root["tag"], tag.kind == .string
        else { throw .member }
        self.nonce = try EnvelopeText.octets(nonce, count: EnvelopeLimits.nonce, orThrow: .nonce)
        self.tag = try EnvelopeText.octets(tag, count: EnvelopeLimits.tag, orThrow: .tag)
        guard let ascii = protected.stringBytes, ascii.count <= EnvelopeLimits.header, let decoded = Base64Reading.decode(ascii[...]) else {
            throw .header
        }
        self.protected = ascii
        header = try EnvelopeHeader(parsing: decoded)
        guard let content = ciphertext.stringBytes, let octets = Base64Reading.decode(content[...]) else { throw .ciphertext }
        self.ciphertext = octets
    }
}

/// What was in an envelope. Whoever named a sender has that key; who that is, nobody knows.
public struct OpenedEnvelope: ~Copyable {
    public let message: MessageOctets
    /// The sender's Ed25519 key; nil where the envelope names nobody.
    public let sender: EnvelopeRecipient?
}

extension Envelope {
    /// Steps 2 to 5: finds the entry for the key, and with what is in it the content.
    ///
    /// Nothing of a content that is not authentic is left, and the content's key is wiped on every way out.
    public func open(by key: borrowing EnvelopeKey) throws(EnvelopeFault) -> OpenedEnvelope {
        let entry = try header.entry(for: key.kid)
        guard let named = entry.sender else {
            let contentKey = try Self.contentKey(entry.wrappedKey, key)
            return OpenedEnvelope(message: try content(contentKey), sender: nil)
        }
        let sender = try Self.sender(named.sealed, key)
        let contentKey = try Self.contentKey(entry.wrappedKey, nonce: named.nonce, from: sender, key)
        return OpenedEnvelope(message: try content(contentKey), sender: sender)
    }

    /// Step 5: the content, in memory that is wiped.
    private func content(_ key: borrowing Secret) throws(EnvelopeFault) -> MessageOctets {
        var message = MessageOctets(copying: ciphertext.span)
        do throws(CryptographyError) {
            try message.open(tag: tag.span, key: key, nonce: nonce.span, additional: protected.span)
        } catch {
            throw error == .unavailable ? .unavailable : .content
        }
        return message
    }

    /// Step 4: who is named.
    private static func sender(_ sealed: [UInt8], _ key: borrowing EnvelopeKey) throws(EnvelopeFault) -> EnvelopeRecipient {
        let text: Secret
        do throws(CryptographyError) {
            text = try SealedBox.open(sealed.span, by: key.pair)
        } catch {
            throw error == .unavailable ? .unavailable : .sender
        }
        let octets = text.withBytes { bytes in bytes.indices.map { bytes[$0] } }
        guard let sender = EnvelopeRecipient(kid: octets) else { throw .senderKey }
        return sender
    }

    /// Step 4: the content's key in a box from nobody.
    private static func contentKey(_ wrapped: [UInt8], _ key: borrowing EnvelopeKey) throws(EnvelopeFault) -> Secret {
        do throws(CryptographyError) {
            return try SealedBox.open(wrapped.span, by: key.pair)
        } catch {
            throw error == .unavailable ? .unavailable : .contentKey
        }
    }

    /// Step 4: the content's key in the sender's box.
    private static func contentKey(
        _ wrapped: [UInt8], nonce: [UInt8], from sender: EnvelopeRecipient, _ key: borrowing EnvelopeKey
    ) throws(EnvelopeFault) -> Secret {
        do throws(CryptographyError) {
            let agreement = try BoxAgreement(key.pair, with: sender.box)
            return try agreement.open(wrapped.span, nonce: nonce.span)
        } catch {
            throw error == .unavailable ? .unavailable : .contentKey
        }
    }
}
