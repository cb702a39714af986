import Audit
import Door
import Visit

extension AuditRecord {
    /// The audit record of what happened at the door.
    public init(_ event: DoorEvent) {
        self.init(event: "door")
        add("what", .code(event.code))
        switch event {
        case .opened(let cause): add("by", .code(cause.rawValue))
        case .more(let count, let kind):
            add("kind", .code(kind.rawValue))
            add("count", .number(Int64(count)))
        default: break
        }
    }
}

extension DoorEvent {
    /// What became of a supervisor's key.
    init(_ news: SupervisorNews) {
        self =
            switch news {
            case .armed: .supervisorArmed
            case .used: .supervisorUsed
            case .expired: .supervisorExpired
            }
    }

    /// Whether its record is owed for as long as the log cannot be written: what others may have to answer for.
    var isOwed: Bool {
        switch self {
        case .emergency, .emergencyEnded, .supervisorArmed, .supervisorUsed, .supervisorExpired: true
        case .more(_, let kind): kind.isGrave
        default: false
        }
    }

    /// One line for the person at the terminal.
    public var line: String {
        switch self {
        case .opened(let cause): "door opened by \(cause.rawValue)"
        case .more(let count, let kind): "door: \(count) more of \(kind.rawValue)"
        default: "door \(code)"
        }
    }
}
