import Devices
import Faces
import Visit

/// What people at the gate are shown: the lamps, and on the screen the code and a sign. Only what differs from what
/// stands there is written.
final class GateDisplay {
    /// What the gate's lights say.
    var light = LightState.off
    /// What it tells the visitor.
    var sign = VisitorSign.none

    private let lights: LightsPanel
    private let screen: ScreenPanel
    /// The number of the code that stands on the screen; 0 for none.
    private var code: UInt64 = 0
    private var told: Sign?

    init(lights: LightsPanel, screen: ScreenPanel) {
        self.lights = lights
        self.screen = screen
    }

    /// nil where there is no screen to show it on.
    var isScreenUp: Bool? { screen.isUp }
    var areLampsUp: Bool { lights.isUp }
    var nextLook: UInt64? {
        guard let lamps = lights.nextChange, let screen = screen.nextLook else { return lights.nextChange ?? screen.nextLook }
        return min(lamps, screen)
    }

    /// - Parameter closed: why nobody can enter: who waits before the gate is told that it is in vain.
    func showLight(closed: ClosedCauses, now: UInt64) {
        lights.show(light == .ready && !closed.isEmpty ? .closed : light, now: now)
    }

    func showCode(of gate: inout Gatekeeper) {
        guard gate.code != code else { return }
        code = gate.code
        let isShown: Void? = gate.withURI { uri in uri.withUnsafeBytes { screen.show($0) } }
        if isShown == nil { screen.show(nil) }
    }

    /// - Parameter hint: what the camera asks of who stands before it.
    func showSign(hint: FaceHint?, closed: ClosedCauses) {
        guard let wanted = SignChoice.sign(sign, hint: hint, closed: closed), wanted != told else { return }
        told = wanted
        screen.tell(wanted)
    }

    func passTime(_ now: UInt64) {
        lights.passTime(now)
        // A screen that has just been opened is empty: the code belongs on it.
        if screen.passTime(now) { code = 0 }
    }

    func close() {
        lights.close()
        screen.close()
    }
}
