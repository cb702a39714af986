/// What went wrong with the controller.
public enum ControllerFault: Hashable, Sendable {
    /// Hardware Error event with its code.
    case hardwareError(UInt8)
    /// No answer to a command in time.
    case commandTimeout(Opcode)
    /// A bring-up step the host cannot do without failed.
    case bringUpRefused(BringUp.Step, HCIStatus)
    /// The answer to a bring-up step was too short.
    case bringUpMalformed(BringUp.Step)
    /// HCI version below 6 (Bluetooth 4.0).
    case versionTooOld(UInt8)
    /// No LE; or it knows no advertising command, neither legacy nor extended.
    case noPeripheral
    /// Advertising was refused again and again.
    case advertisingRefused(HCIStatus)
    /// Scanning was refused again and again.
    case scanningRefused(HCIStatus)
    /// The controller says that connecting is not allowed now: it does something that it was not asked for.
    case initiatingRefused(HCIStatus)
    /// The controller did not tell how an attempt to connect ended, or has a link that it did not tell of.
    case connectionLost
    /// The controller reported a disconnection it was asked for too late.
    case disconnectionLost
}

/// The next rung of the ladder that brings a controller back. `reset` is done by the host itself.
public enum RecoveryStep: UInt8, Hashable, Sendable {
    /// HCI Reset and a new bring-up.
    case reset
    /// Close the link to the controller and open it again.
    case reopenLink
    /// Power the controller off and on, bind its driver anew, or restart the board.
    case restartController
}

/// Climbs one rung a fault; back to the ground after a while of health.
struct RecoveryLadder: ~Copyable {
    private var faults = 0
    private var lastFault: Instant?

    static var healthyMilliseconds: UInt64 { 60_000 }

    init() {}

    mutating func climb(_ now: Instant) -> RecoveryStep {
        if let lastFault, now.milliseconds(since: lastFault) >= Self.healthyMilliseconds { faults = 0 }
        lastFault = now
        faults = min(faults + 1, 1000)
        switch faults {
        case 1: return .reset
        case 2: return .reopenLink
        // Where a restart is not in the shell's power, opening the link again stays worth a try.
        default: return faults % 2 == 1 ? .restartController : .reopenLink
        }
    }
}
