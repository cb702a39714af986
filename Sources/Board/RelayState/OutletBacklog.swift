import Audit
import JSON

/// What of the log an outlet has not delivered.
public struct OutletBacklog: Hashable, Sendable {
    /// The number and the time (seconds since 1970, by the gate's clock) of the first record that is not delivered, and might be; nil for
    /// none.
    public private(set) var oldest: UInt64?
    public private(set) var at: UInt64?
    /// So many records went before they were delivered.
    public private(set) var missing: UInt64 = 0
    /// The log is another one than that of which the cursor is.
    public private(set) var isExchanged = false

    /// - Parameters:
    ///   - path: the log's current segment.
    ///   - lag: so many records behind the cursor are passed over.
    public init(of path: String, behind cursor: OutletCursor, lag: UInt64 = 0) throws(AuditError) {
        let queue = AuditQueue(path, after: cursor.place)
        var left = lag
        // A log may be damaged for long; who looks at it does not wait for that.
        for _ in 0..<1000 + Int(clamping: min(lag, 1 << 20)) {
            guard let item = try queue.next() else { return }
            switch item {
            case .missing(let range): missing += UInt64(range.count)
            case .exchanged: isExchanged = true
            case .record where left > 0: left -= 1
            case .record(let place, let octets):
                oldest = place.sequence
                at = (try? JSONDocument(parsing: octets))?.root["at"]?.int64.map { UInt64(max(0, $0)) }
                return
            case .damaged, .outOfOrder, .broken, .rewritten: continue
            }
        }
    }
}
