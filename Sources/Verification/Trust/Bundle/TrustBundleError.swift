import CBOR
import Envelopes

/// Why a trust bundle is not made, signed or believed. After any of these it is not used, in whole or in part.
public enum TrustBundleError: Error, Hashable, Sendable {
    // The file
    /// More octets than `TrustBundle.largest`.
    case tooLarge
    /// Not the one deterministic encoding (RFC 8949 section 4.2.1), or not the shape of this format.
    case malformed(CBORError)
    /// Not a COSE_Sign under its tag.
    case notSigned
    /// A COSE_Sign that RFC 9052 or this gate refuses.
    case envelope(COSEError)

    // Signatures
    /// Fewer of the root's signers than its threshold.
    case thresholdNotMet
    /// A signer's name that is empty or longer than `TrustRoot.longestID`.
    case keyIDRefused
    /// There is a signature of that name already.
    case alreadySigned

    // Content
    /// Another version of this format.
    case unsupportedVersion
    /// A section of a kind, or of a version of one, that this gate does not know.
    case sectionUnknown(kind: String, version: UInt64)
    /// The same kind of section twice.
    case sectionRepeated(kind: String)
    /// A sequence number outside 1 to `TrustBundle.largestSequence`.
    case sequenceRefused
    /// A time before 1970 or after the year 9999.
    case timeRefused
    /// The bundle ends before it begins, or was made after its end.
    case windowRefused
    /// A policy for an unsure clock that this gate does not know.
    case clockPolicyRefused
    /// More issuers, contexts or lists than a bundle may hold.
    case tooMany(Part)
    /// A name or a URL that is empty or too long.
    case nameRefused(Part)
    /// The same name or URL twice.
    case duplicate(Part, name: String)
    /// One issuer, context or list with more octets than `TrustStore.largestFile`.
    case partTooLarge(Part, name: String)
    /// An issuer's entry that is not in the form of RFC 8785.
    case entryNotCanonical(name: String)
    /// A fault in the source folder, or contents no trust store can be made of.
    case contents(TrustError)

    // Time
    case notYetValid
    case expired

    /// SHA-256 is not to be had.
    case noDigest

    /// What a bundle is made of.
    public enum Part: String, Hashable, Sendable, CaseIterable {
        case issuer, context, list
        case objects = "file of AnonCreds object"
        case addresses = "address list"
    }
}
