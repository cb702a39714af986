/// Why a request is none that is answered here. Each has one status, and is counted under it.
public enum RequestFault: UInt8, Error, Hashable, Sendable, CaseIterable {
    /// Not `METHOD SP TARGET SP HTTP/1.x`, or octets that no request line has: a TLS greeting among others.
    case lineMalformed
    case versionUnknown
    /// A line that ends with LF alone: two readers may disagree about where it ends (RFC 9112 section 2.2).
    case bareLineFeed
    /// A CR with anything but LF behind it.
    case bareReturn
    /// No name, a blank before the colon, or a control character in the value.
    case fieldMalformed
    /// A line that goes on with the one before (RFC 9112 section 5.2).
    case fieldFolded
    /// HTTP/1.1 without a host, or with two.
    case hostMissing
    /// Two lengths, or a length beside a transfer coding: two readers may disagree about where the request ends.
    case twoLengths
    /// A length that is no number.
    case lengthMalformed
    /// A body where none belongs.
    case bodyUnexpected
    /// A body of no octets.
    case bodyEmpty
    /// Something other than `100-continue` is expected.
    case expectationUnknown
    case notFound
    /// The path is served, but not in this way.
    case methodNotAllowed
    case headTimedOut
    case bodyTimedOut
    /// No length, or a transfer coding in its place.
    case lengthRequired
    case bodyTooLarge
    case lineTooLong
    /// No content type, or one that is not taken here.
    case typeUnsupported
    /// A body that is compressed.
    case encodingUnsupported
    case fieldsTooLarge
    case tooManyFields
    /// All places are taken, or the sender has its share of them.
    case crowded
    /// The gate did not take it in time.
    case notTaken

    /// What it is answered with.
    public var status: Status {
        switch self {
        case .lineMalformed, .versionUnknown, .bareLineFeed, .bareReturn, .fieldMalformed, .fieldFolded, .hostMissing, .twoLengths,
            .lengthMalformed, .bodyUnexpected, .bodyEmpty, .expectationUnknown:
            .badRequest
        case .notFound: .notFound
        case .methodNotAllowed: .methodNotAllowed
        case .headTimedOut, .bodyTimedOut: .requestTimeout
        case .lengthRequired: .lengthRequired
        case .bodyTooLarge: .contentTooLarge
        case .lineTooLong: .targetTooLong
        case .typeUnsupported, .encodingUnsupported: .unsupportedMediaType
        case .fieldsTooLarge, .tooManyFields: .fieldsTooLarge
        case .crowded, .notTaken: .unavailable
        }
    }
}
