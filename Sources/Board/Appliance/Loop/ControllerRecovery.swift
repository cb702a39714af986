import Bluetooth
import Devices
import Linux
import Visit

/// How a gate comes to its controller, and back to it: the link is opened when that is due and nobody needs the door meanwhile; where
/// nothing else helps, somebody is asked to bind the driver anew; where that was in vain, the gate has to end.
final class ControllerRecovery {
    private let radio: Radio
    private let reset: ControllerReset?
    private let door: DoorDesk
    private let service: StatusDesk
    private let report: (String) -> Void

    /// - Parameter reset: asks for a controller to be started anew; nil where nobody can.
    init(_ radio: Radio, reset: ControllerReset?, door: DoorDesk, service: StatusDesk, report: @escaping (String) -> Void) {
        self.radio = radio
        self.reset = reset
        self.door = door
        self.service = service
        self.report = report
        radio.mayWait = { [weak radio, weak door] in radio?.mayBlock != true || door?.isBusy != true }
    }

    /// When the loop is to look at the radio without an event of its own.
    var deadline: UInt64? { isHeld ? nil : radio.deadline }

    /// No controller is opened now, and nothing is to be woken for on its account. A driver that loads firmware takes its time, and nothing
    /// can be done meanwhile: no lock closed, no emergency heard.
    private var isHeld: Bool { !radio.isOpen && radio.mayBlock && door.isBusy }

    /// Opens the link when it is time.
    ///
    /// - Returns: why the gate has to end, where there is nothing more it can do.
    func openIfDue(_ gate: inout Gatekeeper) -> String? {
        guard radio.isDue(Clock.monotonic()) else { return nil }
        // Of a gate that has just started, or has just drawn its screen, nobody has looked at the door since.
        door.passTime(Clock.monotonic())
        guard !isHeld else { return nil }
        var isOpened = false, failure: LinkError?
        service.patiently(radio.mayBlock) {
            do throws(LinkError) { isOpened = try radio.openIfDue(Clock.monotonic()) } catch { failure = error }
        }
        if isOpened {
            reset?.opened()
            gate.linkOpened(at: MainLoop.now())
        }
        guard let failure else { return nil }
        // Every attempt fails until somebody acts; the gate is told once.
        if !gate.isFaulty { gate.linkLost(at: MainLoop.now()) }
        radio.say(failure)
        return mayAsk ? note(reset?.openingFailed(failure)) : nil
    }

    /// The link broke.
    func failed(_ error: LinkError, _ gate: inout Gatekeeper) {
        radio.failed(error)
        gate.linkLost(at: MainLoop.now())
        radio.say(error)
    }

    /// The controller has failed, and this is the next that may help.
    ///
    /// - Returns: why the gate has to end, where there is nothing more it can do.
    func recover(_ fault: ControllerFault, _ step: RecoveryStep) -> String? {
        report("\(fault.sentence): \(step.sentence)")
        return step == .restartController && mayAsk ? note(reset?.ask()) : nil
    }

    /// What comes of asking may be a board that starts anew: not while somebody needs the door.
    private var mayAsk: Bool { !door.isBusy }

    private func note(_ answer: ControllerReset.Answer?) -> String? {
        switch answer {
        case nil: break
        case .asked: report("the controller's driver is to be bound anew")
        case .refused(let code): report("nobody can be asked to bind the controller's driver anew (\(systemCause(code)))")
        case .inVain: return "the controller does not come back: ending, so that the board can be started anew"
        }
        return nil
    }
}
