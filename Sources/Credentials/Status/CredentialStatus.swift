/// What a status list says about one credential.
///
/// Only a list that was read without any fault says anything: every doubt is `unknown`, which is neither good nor revoked. What `unknown` means
/// for a verdict is policy.
public enum CredentialStatus: String, Hashable, Sendable, CaseIterable {
    case good, revoked, suspended, unknown
}

/// Why a status list cannot be read.
public enum StatusListError: Error, Hashable, Sendable, CaseIterable {
    /// A member is missing, has the wrong type, or is not the text form of anything.
    case malformed
    /// A number of bits for each entry that the format does not have.
    case sizeRefused
    /// Not the compression the format asks for, or broken inside.
    case corrupt
    /// The compressed data end before their own end.
    case truncated
    /// Bytes after the compressed data.
    case trailingBytes
    /// More than the cap once inflated.
    case tooLarge
    /// Fewer entries than a list must have to hide a holder among others.
    case tooShort
    /// No memory: a fault of the gate.
    case unavailable
}
