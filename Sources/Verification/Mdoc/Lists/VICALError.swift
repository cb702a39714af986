import CBOR
import Envelopes

/// Why a list is refused as a whole (mdoc.md section 6.2). The raw values are for records and never change their meaning.
public enum VICALError: String, Error, Hashable, Sendable, CaseIterable {
    /// More octets, levels or items than `VICALLimits` has.
    case tooMuch = "too-much"
    /// Not the CBOR or not the COSE_Sign1 that a list is, or without its payload.
    case malformed

    // The signer
    case chainMissing = "x5chain-missing"
    case certificateMalformed = "certificate-malformed"
    /// No path from the signer to a pinned certificate.
    case signerNotTrusted = "signer-not-trusted"
    /// The signer, or somebody between it and the pinned certificate, is not valid now. The pinned one too.
    case signerValidity = "signer-validity"
    /// There is a path, and a rule of RFC 5280 that it breaks.
    case signerChain = "signer-chain"
    case signerExtendedKeyUsage = "signer-extended-key-usage"
    case signerKeyUsage = "signer-key-usage"
    case unsupportedCurve = "unsupported-curve"

    // The signature
    /// Not the algorithm of the signer's curve.
    case algorithm
    case signature

    // What was signed
    case version
    /// A member of the list itself is missing or of another type. What is wrong with an entry costs that entry alone.
    case contents
    case tooManyEntries = "too-many-entries"
    /// The number of a list before the one in force.
    case rolledBack = "rolled-back"
    /// The list in force has a number and this one has none: nobody could say which is older.
    case issueMissing = "issue-missing"

    /// libcrypto had no memory.
    case unavailable

    /// What a parser's fault is called, here.
    init(_ error: CBORError, otherwise: VICALError = .malformed) {
        self = [.tooLong, .tooDeep, .tooManyItems].contains(error.reason) ? .tooMuch : otherwise
    }
}

/// Why an entry of a list is passed over.
public enum VICALEntryFault: Error, Hashable, Sendable {
    /// No map, or a member that the standard requires is missing or of another type, or too long.
    case malformed
    /// None, or more than `VICALLimits.docTypes`.
    case docTypes
    /// The certificate cannot be a root.
    case root(RootFault)
    /// What the entry says is not what the certificate says.
    case serialNumber, keyIdentifier

    /// For records.
    public var name: String {
        switch self {
        case .malformed: "malformed"
        case .docTypes: "doc-types"
        case .root(let fault): "root-" + fault.rawValue
        case .serialNumber: "serial-number"
        case .keyIdentifier: "key-identifier"
        }
    }
}

/// What is to be known of a list and refuses nothing (mdoc.md section 6.2).
public enum VICALWarning: Hashable, Sendable {
    /// Seconds since its `nextUpdate`. Some providers write a new list every day: a gate without a network always has one that is past.
    case past(Seconds)
    /// Seconds since its `date`, where these are more than the settings allow.
    case old(Seconds)
    /// Seconds until its `date`: a clock is wrong.
    case early(Seconds)
    /// It has no number: an older list in its place would not be seen.
    case unnumbered

    /// - Parameters:
    ///   - date, nextUpdate: of the list, in seconds since 1970.
    ///   - issue: its number, where it has one.
    public static func of(
        date: Seconds, nextUpdate: Seconds?, issue: UInt64?, _ settings: VICAL.Settings, at now: Seconds
    ) -> [VICALWarning] {
        var warnings: [VICALWarning] = []
        if date > now { warnings.append(.early(date.since(now))) }
        if let nextUpdate, nextUpdate < now { warnings.append(.past(now.since(nextUpdate))) }
        if now.since(date) > settings.longestAge { warnings.append(.old(now.since(date))) }
        if issue == nil { warnings.append(.unnumbered) }
        return warnings
    }
}
