/// What to do with a credential that can be revoked or suspended.
public struct StatusPolicy: Hashable, Sendable {
    /// What a status that nothing here can tell means.
    public enum Unknown: String, Hashable, Sendable, CaseIterable {
        case reject, accept
    }

    /// Do not even look: every credential of the issuer is accepted with a note.
    public var isIgnored: Bool
    public var unknown: Unknown
    /// Seconds since the list was fetched after which an accepted credential carries a note.
    public var softAge: Seconds
    /// Seconds since the list was fetched after which it says nothing any more.
    public var hardAge: Seconds

    /// Lists that call themselves otherwise than the credentials that name them do.
    public var lists: [ListName]

    /// What the list is called that credentials know under a URL; both compared octet for octet.
    public struct ListName: Hashable, Sendable {
        public var url: String
        public var name: String
    }

    /// What a list has to call itself to be the one that credentials know under `url`.
    func name(of url: String) -> String { lists.first { $0.url.isExactly(url) }?.name ?? url }

    /// A day, and a week.
    public init(
        isIgnored: Bool = false, unknown: Unknown = .reject, softAge: Seconds = 86_400, hardAge: Seconds = 604_800, lists: [ListName] = []
    ) {
        self.lists = lists
        self.isIgnored = isIgnored
        self.unknown = unknown
        self.softAge = softAge
        self.hardAge = hardAge
    }
}
