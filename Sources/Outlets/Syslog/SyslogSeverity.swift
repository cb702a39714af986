import JSON

/// How urgent a record is to whoever keeps logs (RFC 5424 section 6.2.1).
public enum SyslogSeverity: UInt8, Hashable, Sendable {
    /// Something an operator should look at: the log was damaged or lost records, the door was forced, a controller failed.
    case error = 3
    /// Somebody was not let in.
    case notice = 5
    case informational = 6

    /// `log audit`.
    static let facility: UInt8 = 13

    /// What stands between the angle brackets: 110, 109 or 107.
    public var priority: UInt8 { Self.facility * 8 + rawValue }

    /// - Parameter record: of the audit log.
    public init(_ record: JSONValue) {
        switch record["event"]?.string {
        case "visit":
            switch record["outcome"]?.string {
            case "rejected": self = .notice
            case "controller-fault": self = .error
            default: self = .informational
            }
        case "repaired", "resumed", "void": self = .error
        case "segment": self = record["damaged"] != nil || record["lost"] != nil ? .error : .informational
        case "dropped": self = record["exported"]?.bool == true ? .informational : .error
        case "door": self = Self.troubles.contains(record["what"]?.string ?? "") ? .error : .informational
        default: self = .informational
        }
    }

    /// Of a door.
    private static let troubles: Set<String> = ["forced", "tamper", "lines-lost", "emergency"]
}
