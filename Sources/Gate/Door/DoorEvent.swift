/// What happened at a door, for its record.
public enum DoorEvent: Hashable, Sendable {
    /// For whom a lock opened.
    public enum Cause: String, CaseIterable, Hashable, Sendable {
        case visit, exit
    }

    case opened(Cause)
    /// The lock is open for everybody, until that ends.
    case emergency
    case emergencyEnded
    /// The door stands open, and its time is over.
    case held
    case heldEnded
    /// The door was opened while nobody was let through.
    case forced
    case tamper
    case tamperEnded
    /// The next visit may be accepted without a face.
    case supervisorArmed
    case supervisorUsed
    /// The key was turned, and nobody came.
    case supervisorExpired
    case linesLost
    case linesBack
    /// So many records of a kind were not made, because there were too many.
    case more(Int, of: DoorEventKind)

    /// A stable word for programs.
    public var code: String {
        switch self {
        case .opened: DoorEventKind.opened.rawValue
        case .held: DoorEventKind.held.rawValue
        case .heldEnded: DoorEventKind.heldEnded.rawValue
        case .forced: DoorEventKind.forced.rawValue
        case .tamper: DoorEventKind.tamper.rawValue
        case .tamperEnded: DoorEventKind.tamperEnded.rawValue
        case .linesLost: DoorEventKind.linesLost.rawValue
        case .linesBack: DoorEventKind.linesBack.rawValue
        case .emergency: "emergency"
        case .emergencyEnded: "emergency-ended"
        case .supervisorArmed: "supervisor-armed"
        case .supervisorUsed: "supervisor-used"
        case .supervisorExpired: "supervisor-expired"
        case .more: "more"
        }
    }

    /// What its records are counted with; nil for what is recorded however often it happens.
    var kind: DoorEventKind? {
        switch self {
        case .opened(.exit): .opened
        case .held: .held
        case .heldEnded: .heldEnded
        case .forced: .forced
        case .tamper: .tamper
        case .tamperEnded: .tamperEnded
        case .linesLost: .linesLost
        case .linesBack: .linesBack
        // A visit has its own bounds; the rest is what a record is for.
        case .opened(.visit), .emergency, .emergencyEnded, .supervisorArmed, .supervisorUsed, .supervisorExpired, .more: nil
        }
    }
}

/// What anybody can bring about as often as they like, by a button, a door or a cable.
public enum DoorEventKind: String, CaseIterable, Hashable, Sendable {
    case opened, held, forced, tamper
    case heldEnded = "held-ended"
    case tamperEnded = "tamper-ended"
    case linesLost = "lines-lost"
    case linesBack = "lines-back"
}
