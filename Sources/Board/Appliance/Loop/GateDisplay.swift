import Bluetooth
import Devices
import Faces
import Visit

/// What people at the gate are shown: the lamps, and on the screen the code and a sign. Only what differs from what
/// stands there is written. The lamps come at once, the screen when all else of a turn is done: drawing takes its time.
package final class GateDisplay {
    /// What the gate's lights say.
    package var light = LightState.off
    /// Whether a visitor is being served, as far as the light says so.
    var isServing: Bool { light == .busy || light == .look }
    /// What it tells the visitor.
    package private(set) var sign = VisitorSign.none

    private let lights: LightsPanel
    private let screen: ScreenPanel
    /// The number of the code that stands on the screen; 0 for none, nil where nobody knows.
    private var code: UInt64? = 0
    private var told: Sign?
    private var recent = RecentVerdicts()
    /// Until when the last verdicts are shown, where nothing is in their way.
    private var listUntil: UInt64?
    private var isListShown = false
    /// Of a board that nobody has set up; nil of every other.
    private var notice: SetUpNotice?
    /// The notice's code stands on the screen, or is to be drawn there, in the gate's place.
    private var isNoticeShown = false
    private var isNoticeDrawn = false

    /// Nanoseconds for which the last verdicts are shown.
    static let listTime: UInt64 = 10_000_000_000

    /// - Parameter notice: of a board that nobody has set up.
    package init(lights: LightsPanel, screen: ScreenPanel, notice: SetUpNotice? = nil) {
        self.lights = lights
        self.screen = screen
        self.notice = notice
        // A screen that stays dark could as well be off.
        told = Sign(.starting)
        screen.tell(Sign(.starting))
    }

    /// nil where there is no screen to show it on.
    var isScreenUp: Bool? { screen.isUp }
    var areLampsUp: Bool { lights.isUp }
    var nextLook: UInt64? {
        // Asked in every turn, of a transfer too: nothing is allocated for it.
        let next = min(lights.nextChange ?? .max, screen.nextLook ?? .max, min(listUntil ?? .max, notice?.nextLook ?? .max))
        return next == .max ? nil : next
    }

    /// - Parameter closed: why nobody can enter: who waits before the gate is told that it is in vain.
    package func showLight(closed: ClosedCauses, now: UInt64) {
        lights.show(light == .ready && !closed.isEmpty ? .closed : light, now: now)
    }

    /// What the visitor is told from now on; shown by `draw`.
    package func tell(_ sign: VisitorSign, now: UInt64) {
        self.sign = sign
        if recent.note(sign, now: now) { listUntil = nil }
    }

    /// Shows the last verdicts in the sign's place, for ten seconds or until the next one; a verdict that stands comes first. Asked for
    /// again while they are shown, they are not drawn again: whoever hammers at the button must not keep the gate drawing.
    package func showRecent(now: UInt64) {
        if let listUntil, now < listUntil, isListShown { return }
        listUntil = now &+ Self.listTime
        isListShown = false
    }

    /// Blinks, and looks for lamps that are gone.
    func passTime(_ now: UInt64) { lights.passTime(now) }

    /// Draws on the screen what has changed: called last of all in a turn.
    ///
    /// - Parameters:
    ///   - hint: what the camera asks of who stands before it.
    ///   - codes: what a visitor with a code is asked for.
    func draw(code gate: inout Gatekeeper, hint: FaceHint?, codes: CodeInvitation = .none, closed: ClosedCauses, now: UInt64) {
        // A screen that has just been opened is empty: the code belongs on it, or none.
        if screen.passTime(now) {
            code = nil
            isNoticeDrawn = false
            gate.screenChanged()
        }
        lookAtNotice(closed, now)
        if isNoticeShown { showNotice() } else { showCode(of: &gate, now) }
        showSign(hint: hint, codes: codes, closed: closed, now: now)
    }

    private func lookAtNotice(_ closed: ClosedCauses, _ now: UInt64) {
        guard notice != nil else { return }
        notice?.passTime(now)
        let isWanted = notice?.isShown(sign, closed: closed, now: now) ?? false
        guard isWanted != isNoticeShown else { return }
        // Whichever comes now, what stands there is the other's.
        (isNoticeShown, isNoticeDrawn, code) = (isWanted, false, nil)
    }

    private func showNotice() {
        guard !isNoticeDrawn, let notice else { return }
        isNoticeDrawn = true
        var text = notice.id
        text.withUTF8 { _ = screen.show(UnsafeRawBufferPointer($0)) }
    }

    private func showCode(of gate: inout Gatekeeper, _ now: UInt64) {
        // Of several codes those without room are passed over, until one has it or stands alone.
        while gate.code != code {
            code = gate.code
            let isOneOfSeveral = gate.codesInTurn > 1
            let hasRoom = gate.withURI { uri in uri.withUnsafeBytes { screen.show($0, isOneOfSeveral: isOneOfSeveral) } }
            switch hasRoom {
            case nil: screen.show(nil)
            case false?: if !gate.passOverCode(at: Instant(nanoseconds: now)) { return }
            case true?: return
            }
        }
    }

    package func showSign(hint: FaceHint?, codes: CodeInvitation = .none, closed: ClosedCauses, now: UInt64) {
        if let until = listUntil, now >= until { listUntil = nil }
        let isVerdict = if case .accepted = sign { true } else if case .rejected = sign { true } else { false }
        if listUntil != nil, !isVerdict {
            if !isListShown { screen.list(recent.lines(now: now)) }
            isListShown = true
            return
        }
        let wanted =
            isNoticeShown
            ? notice.map { Sign(.unset, code: $0.id) } : SignChoice.sign(sign, hint: hint, codes: codes, closed: closed, after: told)
        guard let wanted = wanted ?? (isListShown ? told : nil), wanted != told || isListShown else { return }
        (told, isListShown) = (wanted, false)
        screen.tell(wanted, now: now)
    }

    func close() {
        lights.close()
        screen.close()
    }
}
