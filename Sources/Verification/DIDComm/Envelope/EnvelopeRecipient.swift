import Cryptography
import Envelopes

/// Somebody an envelope is for: an Ed25519 key that was checked to be a point.
public struct EnvelopeRecipient: Sendable {
    /// Octets of the key.
    public static let length = 32
    private static let didKeyPrefix = "did:key:z"
    /// Multicodec's number of an Ed25519 public key.
    private static let multicodec: [UInt8] = [0xED, 0x01]
    /// Characters of the longest reference: a did:key with its own text again as the fragment.
    private static let longestReference = 128

    /// The 32 octets in base58: `kid` of an envelope's entry.
    public let kid: String
    /// `did:key:z` and base58 of the multicodec's prefix and the 32 octets.
    public let didKey: String
    /// The X25519 key that boxes are made for.
    package let box: BoxPublicKey

    /// Throws `wrongLength`, `unavailable`, and `malformedKey` for what is no point of the prime-order group.
    public init(ed25519 key: Span<UInt8>) throws(CryptographyError) {
        box = try BoxPublicKey(ed25519: key)
        let octets = key.indices.map { key[$0] }
        kid = Base58.encode(octets)
        didKey = Self.didKeyPrefix + Base58.encode(Self.multicodec + octets)
    }

    /// A key as messages name it: base58 of the 32 octets, or a did:key with or without its fragment. Nil for anything else.
    public init?(reference: String) {
        let text = Array(reference.utf8)
        guard text.count <= Self.longestReference else { return nil }
        var key: [UInt8]?
        if reference.utf8.starts(with: Self.didKeyPrefix.utf8) {
            let octets = Base58.decode(text.dropFirst(Self.didKeyPrefix.utf8.count).prefix { $0 != UInt8(ascii: "#") })
            if let octets, octets.starts(with: Self.multicodec) { key = Array(octets.dropFirst(Self.multicodec.count)) }
        } else {
            key = Base58.decode(text[...])
        }
        guard let key, let recipient = try? EnvelopeRecipient(ed25519: key.span) else { return nil }
        self = recipient
    }

    /// The key that was sealed as `sender`: base58 and nothing else. Nil for anything else.
    init?(kid text: [UInt8]) {
        guard EnvelopeLimits.keyText.contains(text.count), let key = Base58.decode(text[...]),
            let recipient = try? EnvelopeRecipient(ed25519: key.span)
        else { return nil }
        self = recipient
    }
}
