import Cryptography
import Envelopes
import Mdoc

/// Everything a gate is to believe about documents in phones, as octets (trust-format.md section 5): what `mdoc.json` with its files and a
/// bundle's section both come down to. `MdocBelief` looks at it.
public struct MdocContents: Hashable, Sendable {
    /// A root of an issuing authority, and what it vouches for.
    public struct Root: Hashable, Sendable {
        /// DER.
        public var certificate: [UInt8]
        /// The certificate's own, said once more by whoever pinned it.
        public var country: String
        /// The documents it vouches for; at least one. A root of driving licences vouches for no other document.
        public var docTypes: [String]
        /// The extended key usage of its document signers, where it is not that of ISO/IEC 18013-5.
        public var signerUsage: String?
        /// The provider of the list it was taken from; nil where it was pinned by hand.
        public var provider: String?

        public init(certificate: [UInt8], country: String, docTypes: [String], signerUsage: String? = nil, provider: String? = nil) {
            self.certificate = certificate
            self.country = country
            self.docTypes = docTypes
            self.signerUsage = signerUsage
            self.provider = provider
        }
    }

    /// A list of roots (VICAL) that roots were taken from: which one it was. The list itself is not here, because no gate trusts it.
    public struct Vical: Hashable, Sendable {
        public var provider: String
        /// Its number, where the provider gives one.
        public var issue: UInt64?
        /// When the provider made it, in seconds since 1970.
        public var date: Seconds
        /// When the provider means to have another one, in seconds since 1970.
        public var nextUpdate: Seconds?
        /// SHA-256 of the list.
        public var digest: [UInt8]
        /// SHA-256 of its signer's certificate.
        public var signer: [UInt8]

        public init(provider: String, issue: UInt64?, date: Seconds, nextUpdate: Seconds?, digest: [UInt8], signer: [UInt8]) {
            self.provider = provider
            self.issue = issue
            self.date = date
            self.nextUpdate = nextUpdate
            self.digest = digest
            self.signer = signer
        }
    }

    /// A revocation list of a root, for its document signers.
    public struct Revocations: Hashable, Sendable {
        /// DER.
        public var bytes: [UInt8]
        /// When the operator fetched it, by the operator's clock.
        public var fetched: Seconds

        public init(bytes: [UInt8], fetched: Seconds) {
            self.bytes = bytes
            self.fetched = fetched
        }
    }

    /// A status list token of documents, as its issuer publishes it.
    public struct Token: Hashable, Sendable {
        /// What documents call it, compared octet for octet.
        public var uri: String
        public var fetched: Seconds
        /// The CWT.
        public var bytes: [UInt8]

        public init(uri: String, fetched: Seconds, bytes: [UInt8]) {
            self.uri = uri
            self.fetched = fetched
            self.bytes = bytes
        }
    }

    /// Two large lists have some hundred roots each, and a list at most `VICALLimits.entries`.
    public static let mostRoots = 2 * VICALLimits.entries
    public static let mostVicals = 16
    public static let mostRevocations = 256
    public static let mostTokens = 256
    /// Readers' chains: a gate takes the one of its key.
    public static let mostReaders = 256
    /// UTF-8 octets of a docType and of a provider's name.
    public static let longestText = VICALLimits.text

    public var roots: [Root]
    public var vicals: [Vical]
    public var revocations: [Revocations]
    public var tokens: [Token]
    /// Certificates of readers in DER, the reader's own first and those above it.
    public var readers: [[[UInt8]]]

    public init(
        roots: [Root] = [], vicals: [Vical] = [], revocations: [Revocations] = [], tokens: [Token] = [], readers: [[[UInt8]]] = []
    ) {
        self.roots = roots
        self.vicals = vicals
        self.revocations = revocations
        self.tokens = tokens
        self.readers = readers
    }

    public var isEmpty: Bool { roots.isEmpty && vicals.isEmpty && revocations.isEmpty && tokens.isEmpty && readers.isEmpty }

    /// Whether the text is an object identifier in its one dotted form.
    package static func isIdentifier(_ text: String) -> Bool { IssuerCertificates.isIdentifier(text) }

    /// When what is here was made or fetched.
    var times: [Seconds] {
        revocations.map(\.fetched) + tokens.map(\.fetched) + vicals.flatMap { [$0.date] + ($0.nextUpdate.map { [$0] } ?? []) }
    }
}

extension MdocContents.Vical {
    /// What is to be known of the list at a time; nothing of it is an error, because a gate without a network always has an old one.
    ///
    /// - Parameter now: seconds since 1970.
    public func warnings(at now: Seconds, longestAge: Seconds = VICAL.Settings.longestAge) -> [VICALWarning] {
        VICALWarning.of(date: date, nextUpdate: nextUpdate, issue: issue, VICAL.Settings(longestAge: longestAge), at: now)
    }
}
