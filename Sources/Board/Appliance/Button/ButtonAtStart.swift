import Devices
import Glibc
import Linux

/// A button that counts only where somebody at the board holds it while it starts.
public enum ButtonAtStart: String, Sendable {
    /// The board as it was delivered.
    case reset
    /// Ten minutes in which the panel on the line may set the key of `gatehouse-osdp`.
    case panel

    private var purpose: String { self == .reset ? "a factory reset" : "the panel's install mode" }
    private var nothing: String { self == .reset ? "nothing is reset" : "no install mode begins" }

    /// Microseconds between two looks.
    private static let pause: UInt32 = 50_000

    /// Waits for as long as the button is held, at most some twenty seconds.
    ///
    /// - Parameter report: takes what somebody at the board should know.
    /// - Returns: whether it was held long enough, and let go. One that cannot be looked at was not.
    public func isHeld(_ moniker: ButtonMoniker, report: (String) -> Void) -> Bool {
        var held = HeldButton(), said = 0
        do throws(DoorLinesError) {
            let button = try GPIOButton(moniker)
            defer { button.close() }
            while true {
                switch held.next(isPressed: try button.isPressed(), now: Clock.monotonic()) {
                case .held: return true
                case .notHeld: return false
                case .letGoEarly:
                    report("the \(rawValue) button was let go too early: \(nothing)")
                    return false
                case .stuck:
                    report("the \(rawValue) button does not come back: \(nothing); look at its wiring")
                    return false
                case .waiting:
                    if said == 0 { report("the \(rawValue) button is held: for \(purpose) keep it for 10 seconds, then let go") }
                    if said == 1, held.isLongEnough { report("the \(rawValue) button was held long enough: let it go now") }
                    said = held.isLongEnough ? 2 : 1
                    usleep(Self.pause)
                }
            }
        } catch {
            // A button is no reason not to start.
            report("the \(rawValue) button: \(error)")
            return false
        }
    }
}
