import CBOR

/// The status of a SessionData message (mdoc.md sections 2.5 and 3). Every status ends the session, also one that nobody knows.
public struct SessionStatus: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt64

    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// "Session encryption error": what came does not open.
    public static let encryptionError = SessionStatus(rawValue: 10)
    /// "CBOR decoding error": what came is no SessionData.
    public static let decodingError = SessionStatus(rawValue: 11)
    /// "Session termination": the normal end.
    public static let termination = SessionStatus(rawValue: 20)
}
