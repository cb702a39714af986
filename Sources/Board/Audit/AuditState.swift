/// Whether the next record can be written. Nobody can enter while it is anything but `writable`.
public enum AuditState: Hashable, Sendable {
    case writable
    /// There is no room: on the disk (`diskFull`), or below the bound of the log (`logFull`).
    case full(AuditError)
    case failing(AuditError)

    init(_ error: AuditError) {
        self =
            switch error {
            case .diskFull, .logFull: .full(error)
            default: .failing(error)
            }
    }
}

/// What happened to the log that an operator should know.
public enum AuditNews: Hashable, Sendable {
    /// Octets of a torn last line were cut off.
    case repaired(octets: Int)
    /// A damaged segment was set aside under this name.
    case setAside(String)
    /// The current segment was gone, or empty, when the log was opened.
    case lost(UInt32)
    /// Segments went to make room: the first and the last of them, and whether somebody has a copy.
    case dropped(UInt32, UInt32, isExported: Bool)
    /// Percent of the room that records take which nobody has a copy of. Said at 75, at 90, and at 100.
    case filling(Int)
    /// The request to seal cannot be removed, so it is met once and then left alone.
    case stuckRequest(AuditError)
    /// The kernel lets no file be made, so the segment goes on beyond its size until the gate is started anew.
    case cannotSeal
}
