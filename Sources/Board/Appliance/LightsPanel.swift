import Gate

/// The lights as the loop sees them: a state in, lamps out, switched only when they change.
final class LightsPanel {
    private let lights: any Lights
    private var sequencer: LightSequencer
    /// What is lit; nil after a failure, when nobody knows.
    private var lit: LampSet? = []
    private var lastSaid: LightsError?
    private let report: (String) -> Void

    /// Nanoseconds until a switching that failed is tried again: a lamp must not go on saying what is over.
    private static let retry: UInt64 = 250_000_000

    init(_ lights: any Lights, report: @escaping (String) -> Void) {
        self.lights = lights
        self.report = report
        sequencer = LightSequencer(fitted: lights.fitted)
    }

    /// When the lamps change next by themselves.
    private(set) var nextChange: UInt64?

    func show(_ state: LightState, now: @autoclosure () -> UInt64) {
        guard state != sequencer.state else { return }
        let now = now()
        sequencer.show(state, now: now)
        passTime(now)
    }

    func passTime(_ now: UInt64) {
        let wanted = sequencer.lamps(at: now)
        nextChange = sequencer.nextChange(after: now)
        guard wanted != lit else { return }
        do throws(LightsError) {
            try lights.set(wanted)
            lit = wanted
            lastSaid = nil
        } catch {
            lit = nil
            nextChange = min(nextChange ?? .max, now + Self.retry)
            // Once, not at every turn of the loop.
            guard error != lastSaid else { return }
            lastSaid = error
            report("the lights cannot be switched: \(error)")
        }
    }

    func close() { lights.close() }
}
