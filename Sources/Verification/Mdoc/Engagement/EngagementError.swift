/// Why a code is no engagement this gate can answer. The raw value is what records and tests say.
public enum EngagementError: String, Error, Hashable, Sendable, CaseIterable {
    /// Another scheme, no base64url, no CBOR, something behind it, or not the shape of a DeviceEngagement.
    case notAnEngagement = "not-an-engagement"
    /// A version whose major number is not 1.
    case unsupportedVersion = "unsupported-version"
    /// Another cipher suite than 1, which is the only one there is.
    case unsupportedCipherSuite = "unsupported-cipher-suite"
    /// The phone's key is not on P-256, P-384 or P-521.
    case unsupportedCurve = "unsupported-curve"
    /// The phone's key is malformed, has coordinates of another width than its curve's, or lies beside the curve.
    case badKey = "bad-key"
    /// Nothing this gate could reach the phone by: neither mode of Bluetooth LE with a UUID.
    case noUsableMethod = "no-usable-method"
}
