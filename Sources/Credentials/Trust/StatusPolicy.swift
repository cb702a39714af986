/// What to do with a credential that can be revoked or suspended.
public struct StatusPolicy: Hashable, Sendable {
    /// What a status that nothing here can tell means.
    public enum Unknown: String, Hashable, Sendable {
        case reject, accept
    }

    /// Do not even look: every credential of the issuer is accepted with a note.
    public var isIgnored: Bool
    public var unknown: Unknown
    /// Seconds since the list was fetched after which an accepted credential carries a note.
    public var softAge: Seconds
    /// Seconds since the list was fetched after which it says nothing any more.
    public var hardAge: Seconds

    /// A day, and a week.
    public init(isIgnored: Bool = false, unknown: Unknown = .reject, softAge: Seconds = 86_400, hardAge: Seconds = 604_800) {
        self.isIgnored = isIgnored
        self.unknown = unknown
        self.softAge = softAge
        self.hardAge = hardAge
    }
}
