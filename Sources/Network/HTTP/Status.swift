/// The statuses that are sent (RFC 9110 section 15, RFC 6585): these and no others.
public enum Status: UInt16, Hashable, Sendable, CaseIterable {
    case ok = 200
    case accepted = 202
    case badRequest = 400
    case notFound = 404
    case methodNotAllowed = 405
    case requestTimeout = 408
    case gone = 410
    case lengthRequired = 411
    case contentTooLarge = 413
    case targetTooLong = 414
    case unsupportedMediaType = 415
    case fieldsTooLarge = 431
    case unavailable = 503

    /// The words behind the number.
    public var reason: String {
        switch self {
        case .ok: "OK"
        case .accepted: "Accepted"
        case .badRequest: "Bad Request"
        case .notFound: "Not Found"
        case .methodNotAllowed: "Method Not Allowed"
        case .requestTimeout: "Request Timeout"
        case .gone: "Gone"
        case .lengthRequired: "Length Required"
        case .contentTooLarge: "Content Too Large"
        case .targetTooLong: "URI Too Long"
        case .unsupportedMediaType: "Unsupported Media Type"
        case .fieldsTooLarge: "Request Header Fields Too Large"
        case .unavailable: "Service Unavailable"
        }
    }
}
