/// Which records are looked at: by their numbers, or by the time that the gate's clock had. Both ends belong to it.
public struct AuditWindow: Hashable, Sendable {
    public enum End: Hashable, Sendable {
        /// Number of a record.
        case number(UInt64)
        /// Seconds since 1970.
        case time(Int64)
    }

    public let since: End?
    public let until: End?

    /// The whole log, but for what is left out by one end or the other.
    public init(since: End? = nil, until: End? = nil) {
        self.since = since
        self.until = until
    }

    /// - Parameter at: nil for a record without a time, which is in no window that a time bounds.
    func contains(_ sequence: UInt64, at: Int64?) -> Bool {
        switch since {
        case nil: break
        case .number(let first): guard sequence >= first else { return false }
        case .time(let first): guard let at, at >= first else { return false }
        }
        switch until {
        case nil: return true
        case .number(let last): return sequence <= last
        case .time(let last): return at.map { $0 <= last } ?? false
        }
    }
}
