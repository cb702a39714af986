import Devices
import Glibc
import Linux
import Trust

extension TrustSource {
    /// Does the reset that was taken before this start. What keeps it from being done is said, and the gate is closed all the same.
    ///
    /// - Parameter path: of the audit log's current segment.
    func finishReset(audit path: String) -> ResetMark? {
        guard let file = try? rootFile(), let root = try? Self.signers(file) else { return nil }
        do throws(FactoryResetError) {
            guard let mark = try FactoryReset(folder, patience: Self.patience).finish(root: root, audit: path) else { return nil }
            switch mark.cause {
            case .order(let number): say("factory reset \(number): trust bundle, site file and audit log are erased")
            case .button: say("factory reset by the button: trust bundle and site file are erased, the audit log is kept")
            }
            return mark
        } catch {
            say("the factory reset is not done, which is tried again at the next start: \(error)")
            return nil
        }
    }

    /// Whether a reset was taken that this gate, which was started before it, has not done.
    var isResetTaken: Bool { ((try? FactoryReset(folder).mark()) ?? nil)?.isErasing == true }
}

/// Somebody who holds the button while the gate starts wants the board as it was delivered.
enum ResetByHand {
    /// Microseconds between two looks.
    private static let pause: UInt32 = 50_000

    /// Waits for as long as the button is held, and takes a reset where it was held long enough and let go.
    ///
    /// - Returns: whether one was taken.
    static func take(_ moniker: ButtonMoniker, folder: String) -> Bool {
        let button: GPIOButton
        var held = HeldButton()
        do throws(DoorLinesError) {
            button = try GPIOButton(moniker)
            defer { button.close() }
            var isSaid = false
            while true {
                switch held.next(isPressed: try button.isPressed(), now: Clock.monotonic()) {
                case .notHeld: return false
                case .letGoEarly:
                    say("the reset button was let go too early: nothing is reset")
                    return false
                case .stuck:
                    say("the reset button does not come back: nothing is reset; look at its wiring")
                    return false
                case .held: break
                case .waiting:
                    if !isSaid { say("the reset button is held: for a factory reset keep it for 10 seconds, then let go") }
                    isSaid = true
                    usleep(pause)
                    continue
                }
                break
            }
        } catch {
            // A button is no reason not to start.
            say("the reset button: \(error)")
            return false
        }
        do throws(TrustInstallationError) {
            try FactoryReset(folder, patience: TrustSource.patience).takeByHand()
            return true
        } catch {
            say("the factory reset is not taken: \(error)")
            return false
        }
    }
}
