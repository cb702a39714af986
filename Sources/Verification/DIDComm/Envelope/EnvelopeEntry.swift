import JSON

/// One of an envelope's recipients: the content's key, wrapped for it.
struct EnvelopeEntry: Sendable {
    /// `encrypted_key`.
    let wrappedKey: [UInt8]
    /// What names the sender, where somebody is named.
    let sender: Sender?

    struct Sender: Sendable {
        /// `sender`: a key's text in a sealed box.
        let sealed: [UInt8]
        /// `iv`: the nonce of the box that the content's key is in.
        let nonce: [UInt8]
    }

    /// Each member is measured before it is decoded.
    init(_ value: JSONValue, _ algorithm: EnvelopeHeader.Algorithm) throws(EnvelopeFault) {
        let header = value["header"]
        let sender = Self.member("sender", of: header), nonce = Self.member("iv", of: header)
        switch algorithm {
        case .anoncrypt:
            guard sender == nil, nonce == nil else { throw .entry }
            wrappedKey = try EnvelopeText.octets(value["encrypted_key"], count: EnvelopeLimits.sealedKey, orThrow: .wrappedKey)
            self.sender = nil
        case .authcrypt:
            guard sender != nil, nonce != nil else { throw .entry }
            wrappedKey = try EnvelopeText.octets(value["encrypted_key"], count: EnvelopeLimits.boxedKey, orThrow: .wrappedKey)
            self.sender = Sender(
                sealed: try EnvelopeText.octets(sender, count: EnvelopeLimits.sender, orThrow: .sender),
                nonce: try EnvelopeText.octets(nonce, count: EnvelopeLimits.keyNonce, orThrow: .keyNonce))
        }
    }

    /// A member that is there. Some agents write null for what they leave out.
    private static func member(_ name: String, of header: JSONValue?) -> JSONValue? {
        guard let value = header?[name], !value.isNull else { return nil }
        return value
    }
}
