import Envelopes

/// An answer that was verified: who holds the key, and what was asked of it. Only `TrustedKeyVerifier` makes one.
///
/// The wallet says that the key is in the phone's hardware; nothing attests it (trustedkey.md section 6).
public struct VerifiedTrustedKey: Sendable {
    /// A requested object.
    public struct Claim: Hashable, Sendable {
        public let object: TrustedKeyObject
        public let value: String
        /// The claim that has it; nil for the key, which the token itself says.
        public let source: Source?
    }

    /// What a claim says of itself.
    public struct Source: Hashable, Sendable {
        /// The place in the trust of the root it was issued under.
        public let root: Int
        /// Object .1, .6 and .16, where the claim has them.
        public let type: String?
        public let claimClass: String?
        public let levelOfAssurance: String?
        /// In seconds since 1970, both ends inclusive.
        public let validity: ClosedRange<Seconds>
    }

    /// The requested objects, in the order of the request. Nothing else that came is here.
    public let claims: [Claim]
    /// The key's name: `0x` and 40 hexadecimal digits. The same person has another one with another phone.
    public let address: RevokedAddress
    /// What names the pair of holder and gate. It may be of an older key.
    public let subject: String
    /// `iss` of the token: informational.
    public let issuer: String?
    /// When the first of all claims that were sent ends, in seconds since 1970; nil where none was.
    public let validUntil: Seconds?
}
