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
        case .emergency: DoorEventKind.emergency.rawValue
        case .emergencyEnded: "emergency-ended"
        case .supervisorArmed: DoorEventKind.supervisorArmed.rawValue
        case .supervisorUsed: "supervisor-used"
        case .supervisorExpired: "supervisor-expired"
        case .more: "more"
        }
    }

    /// What its records are counted with; nil for a visit, which has its own bounds, and for what goes with its beginning.
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
        case .emergency: .emergency
        case .supervisorArmed: .supervisorArmed
        case .opened(.visit), .emergencyEnded, .supervisorUsed, .supervisorExpired, .more: nil
        }
    }

    /// The kind of what ends by this: it has a record where its beginning has one.
    var beginning: DoorEventKind? {
        switch self {
        case .emergencyEnded: .emergency
        case .supervisorUsed, .supervisorExpired: .supervisorArmed
        default: nil
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
    /// With its end.
    case emergency
    /// With what became of it.
    case supervisorArmed = "supervisor-armed"

    /// Others may have to answer for it, and it has an end that goes with it.
    public var isGrave: Bool { self == .emergency || self == .supervisorArmed }

    /// Records at once. A day of drills, or of a camera that has failed, is to be in the log whole.
    var burst: UInt64 { isGrave ? 64 : 16 }
    /// Milliseconds after which there may be one more: twenty an hour, or ten.
    var pause: UInt64 { isGrave ? 180_000 : 360_000 }
}
