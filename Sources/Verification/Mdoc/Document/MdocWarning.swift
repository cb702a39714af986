import Envelopes

/// What is not as the standard wants it and harms nobody but the holder, or says that the gate's trust grows old. For the record: a warning
/// changes no verdict (mdoc.md section 6).
public enum MdocWarning: Hashable, Sendable {
    /// Salts below 16 octets: the element's digest may be guessed.
    case shortRandom(elements: Int)
    /// The device's signature or MAC carries the payload it is over; it was compared and not used.
    case devicePayloadEmbedded
    /// The document signer's certificate departs from the profile.
    case signer(SignerWarning)
    /// The trust has no revocation list of the root.
    case revocationListMissing
    /// The root's revocation list is past its `nextUpdate`, by so many seconds.
    case revocationListStale(Seconds)
    /// The status token is older than it says a copy should become, by so many seconds.
    case statusStale(Seconds)
}

/// Soft rules for a document signer's certificate (mdoc.md section 6.1).
public enum SignerWarning: String, Hashable, Sendable, CaseIterable {
    /// The authority key identifier is not the root's key identifier. It orders candidates and proves nothing.
    case authorityKeyIdentifier = "authority-key-identifier"
    case subjectKeyIdentifier = "subject-key-identifier"
    case extendedKeyUsageNotCritical = "extended-key-usage-not-critical"
    case keyUsageNotCritical = "key-usage-not-critical"
    case issuerAlternativeName = "issuer-alternative-name"
    case distributionPoints = "distribution-points"
    case lifetime
    case serialNumber = "serial-number"
}

/// Soft rules for an IACA root (mdoc.md section 6.1).
public enum RootWarning: String, Hashable, Sendable, CaseIterable {
    case pathLength = "path-length"
    case keyUsageNotCritical = "key-usage-not-critical"
    case constraintsNotCritical = "constraints-not-critical"
    case subjectKeyIdentifier = "subject-key-identifier"
    case issuerAlternativeName = "issuer-alternative-name"
    case distributionPoints = "distribution-points"
    case countryNotUpperCase = "country-not-upper-case"
    case lifetime
}
