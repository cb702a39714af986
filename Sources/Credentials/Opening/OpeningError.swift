/// Why a message was not opened. Nothing of it survives any of these.
public enum OpeningError: Error, Hashable, Sendable, CaseIterable {
    /// Shorter than the 16-byte tag.
    case tooShort
    /// The wallet sent an empty payload: from iOS a tag and nothing before it (Tuvali section 5, step 7), from Android a
    /// gzip member of nothing.
    case empty
    /// Wrong key or nonce, or a message changed on its way.
    case authenticationFailed
    /// The plaintext does not begin like a gzip member (RFC 1952 section 2.3.1).
    case notGzip
    /// A header, a block, the CRC or the length inside the gzip member is wrong.
    case corrupt
    /// More than the cap once inflated.
    case tooLarge
    /// Bytes after the one member a message may have; a second member is such bytes too.
    case trailingBytes
    /// The member ends before its own end.
    case truncated
    /// A key or nonce of the wrong length, or no memory: a fault of the gate, not of the visitor.
    case unavailable
}
