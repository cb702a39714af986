import Cryptography

/// How much an envelope may be. Whatever has one size is measured before it is decoded (aries.md section 2).
public enum EnvelopeLimits {
    /// Octets of a message in its envelope, as it comes off a link: 512 KiB (aries.md section 1). The largest presentation seen has 107 kB.
    public static let text = 512 << 10
    /// Characters of `protected`: 32 recipients take 16 kB.
    public static let header = 32 << 10
    /// Entries of `recipients`.
    public static let recipients = 32
    /// Octets of the content's nonce, `iv` of the envelope.
    public static let nonce = ChaChaPoly.nonceLength
    /// Octets of the content's `tag`.
    public static let tag = ChaChaPoly.tagLength
    /// Octets of the content's key.
    public static let contentKey = ChaChaPoly.keyLength
    /// Octets of `encrypted_key` in a sealed box, where nobody says who sends.
    public static let sealedKey = contentKey + SealedBox.overhead
    /// Octets of `encrypted_key` in the sender's box.
    public static let boxedKey = contentKey + BoxAgreement.overhead
    /// Octets of the nonce of that box, `iv` of the entry.
    public static let keyNonce = BoxAgreement.nonceLength
    /// Characters of 32 octets in base58: zeros take one each, and the largest number takes 44.
    public static let keyText = 32...44
    /// Octets of `sender`: such a text in a sealed box.
    public static let sender = keyText.lowerBound + SealedBox.overhead...keyText.upperBound + SealedBox.overhead
    /// Values and names of an envelope, and of its header: 32 recipients have some 400.
    static let nodes = 2_000
    /// Arrays and objects in each other, a header's own three and room for members nobody knows.
    static let depth = 8
}
