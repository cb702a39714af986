import JSON
import Linux

/// How far an outlet's cursor is behind by what it is set to, though nothing is wrong: no reason to call records late.
public struct OutletLag: Hashable, Sendable {
    /// Octets of the largest settings file (`OutletSettings`).
    private static let most = 65_536
    /// Records: of `syslog`, which has no answers, those that would be sent again.
    public let records: UInt64
    /// Seconds: of `counts`, the stretch that is not over.
    public let seconds: UInt64

    /// None.
    public init() { (records, seconds) = (0, 0) }

    /// - Parameter path: of the outlet's settings. Where they cannot be read, the lag is that of their defaults.
    public init(_ kind: OutletKind, settings path: String) {
        let root = (try? File.read(path, most: Self.most)).flatMap { try? JSONDocument(parsing: $0) }?.root
        func number(_ name: String, else value: UInt64) -> UInt64 { root?[name]?.int64.map { UInt64(max(0, $0)) } ?? value }
        // With those that are written before the receiver is asked again, and the few between two times that the cursor moves.
        let rewind = min(number("rewind", else: 2000), 100_000)
        records = kind == .syslog ? rewind + max(64, rewind / 2) + 64 : 0
        seconds = root?["detail"]?.string == "counts" ? min(number("period", else: 300), 86_400) : 0
    }
}
