/// What an outlet speaks: the word a relay is started with, the name of its settings file and of its state folder.
public enum OutletKind: String, Hashable, Sendable, CaseIterable {
    case mqtt
    case metrics
    case syslog
    case webhook
    /// Fetches trust bundles, and tells nobody anything.
    case trust
    /// Fetches site files likewise.
    case site

    /// Whether it reads the log, so that records may wait for it.
    public var readsLog: Bool { self != .trust && self != .site }
}
