import CBOR
import Cryptography
import Envelopes

/// A verified issuer certificate authority list (ISO/IEC 18013-5 Annex C, mdoc.md section 6.2): roots that a provider has looked at, each
/// with the documents it may vouch for. It exists only where a pinned certificate vouches for its signer and the signature holds.
///
/// For whoever imports roots. The gate itself trusts what was imported and no list.
public struct VICAL: Sendable {
    public struct Settings: Hashable, Sendable {
        /// Seconds after which a list's age is a warning.
        public var longestAge: Seconds

        /// Ninety days: roots change a few times a year, and a gate without a network is seen by somebody that often.
        public static let longestAge: Seconds = 90 * 86_400

        public init(longestAge: Seconds = Self.longestAge) { self.longestAge = max(0, longestAge) }
    }

    /// An entry that gives no root.
    public struct Skipped: Hashable, Sendable {
        /// Its place in the list, from 0.
        public let entry: Int
        public let fault: VICALEntryFault
        /// SHA-256 of its certificate as it was received, where it has one.
        public let fingerprint: [UInt8]?
    }

    /// "1.0", or what follows it.
    public let version: String
    public let provider: String
    /// When the list was made, in seconds since 1970.
    public let date: Seconds
    /// When the provider means to have another one, in seconds since 1970.
    public let nextUpdate: Seconds?
    /// `vicalIssueID`: grows with every list of a provider.
    public let issue: UInt64?
    /// SHA-256 of the signer's certificate.
    public let signer: [UInt8]
    /// What `MdocTrust` wants, in the order of the list, no certificate twice: every root vouches for the documents that the list names and
    /// for no others.
    public let roots: [IssuerRoot]
    public let skipped: [Skipped]
    public let warnings: [VICALWarning]

    /// - Parameters:
    ///   - octets: the COSE_Sign1, with its tag or without.
    ///   - pinned: whom the importer believes: the provider's root, or its signer.
    ///   - inForce: the number of this provider's list that was taken last; nil where there was none. The same number may come again.
    ///   - now: seconds since 1970.
    ///
    /// Throws the first reason for which nothing of the list can be taken. Its contents are not looked at before its signature was.
    public init(
        _ octets: Span<UInt8>, pinned: [Certificate], inForce: UInt64?, settings: Settings = Settings(), at now: Seconds
    ) throws(VICALError) {
        guard octets.count <= VICALLimits.octets else { throw .tooMuch }
        let signed = try Self.envelope(octets)
        guard let payload = signed.payload else { throw .malformed }
        let signer = try VICALSigner(signed.certificates, pinned: pinned, at: now)
        guard signed.algorithm == signer.key.curve.signatureAlgorithm else { throw .algorithm }
        guard signed.isSigned(by: signer.key, over: payload) else { throw .signature }
        guard let fingerprint = try? signer.certificate.fingerprint() else { throw .unavailable }
        let contents = try VICALContents(payload)
        try contents.checkIssue(against: inForce)
        let found = VICALRoots(contents.entries)
        version = contents.version
        provider = contents.provider
        date = contents.date
        nextUpdate = contents.nextUpdate
        issue = contents.issue
        self.signer = fingerprint
        roots = found.roots
        skipped = found.skipped
        warnings = contents.warnings(settings, at: now)
    }

    private static func envelope(_ octets: Span<UInt8>) throws(VICALError) -> MdocCOSE {
        do throws(CBORError) {
            let root = try CBORDocument(parsing: octets, options: VICALLimits.options).root
            return try MdocCOSE(root, .sign1, options: VICALLimits.options)
        } catch {
            throw VICALError(error)
        }
    }
}
