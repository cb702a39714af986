import Devices
import Glibc
import Linux
import Visit

/// The lights as the loop sees them: a state in, lamps out, switched only when they change. Lamps that are missing or go away are waited
/// for.
public final class LightsPanel {
    private let open: () throws(LightsError) -> any Lights
    private var lights: (any Lights)?
    private var sequencer = LightSequencer(fitted: [])
    /// What is lit; nil after a failure, when nobody knows.
    private var lit: LampSet?
    private var lastSaid: LightsError?
    private let report: (String) -> Void
    /// When to look whether the lamps are still there, in nanoseconds of the monotonic clock.
    private var lookAt: UInt64

    /// Nanoseconds until a switching that failed is tried again: a lamp must not go on saying what is over.
    private static let retry: UInt64 = 250_000_000
    /// Nanoseconds from one look at the lamps, or for them, to the next.
    static let pause: UInt64 = 1_000_000_000

    /// Takes the lamps at once, all dark. Lamps that are not there, or not permitted yet, are reported and tried again.
    ///
    /// - Parameters:
    ///   - report: takes one line for the person at the terminal.
    ///   - open: takes the lamps, all dark. Called again after they went away.
    /// - Throws: what no waiting cures: lines the chip does not have, that are named twice, or that something else holds.
    public init(
        now: UInt64 = Clock.monotonic(), report: @escaping (String) -> Void, open: @escaping () throws(LightsError) -> any Lights
    ) throws(LightsError) {
        self.open = open
        self.report = report
        lookAt = now &+ Self.pause
        do throws(LightsError) {
            take(try open(), now)
        } catch {
            guard error.mayPass else { throw error }
            failed(error)
        }
    }

    /// Lamps that somebody else took, and that are not taken again.
    public init(_ lights: any Lights, report: @escaping (String) -> Void) {
        open = { () throws(LightsError) in lights }
        self.report = report
        lookAt = 0
        take(lights, 0)
    }

    /// When the lamps change next by themselves, or are looked at.
    private(set) var nextChange: UInt64?

    /// Whether the lamps can be switched.
    public var isUp: Bool { lights != nil && lastSaid == nil }

    func show(_ state: LightState, now: @autoclosure () -> UInt64) {
        guard state != sequencer.state else { return }
        let now = now()
        sequencer.show(state, now: now)
        lights?.announce(sequencer.manner.lamps, period: sequencer.manner.period)
        passTime(now)
    }

    func passTime(_ now: UInt64) {
        if now >= lookAt { look(now) }
        let wanted = sequencer.lamps(at: now)
        nextChange = sequencer.nextChange(after: now)
        if let lights, wanted != lit { set(wanted, on: lights, now) }
        // Lamps that cannot go away are not looked at.
        if lights?.canVanish != false { nextChange = min(nextChange ?? .max, lookAt) }
    }

    public func close() { lights?.close() }

    /// Shows `state` without a gate, until `end` in nanoseconds of the monotonic clock or until a signal; everything is dark afterwards.
    public func hold(_ state: LightState, until end: UInt64, signals: Signals) {
        defer { close() }
        show(state, now: Clock.monotonic())
        while true {
            let now = Clock.monotonic()
            guard now < end else { return }
            passTime(now)
            let pause = (min(nextChange ?? .max, end) &- now) / 1_000_000 + 1
            var entry = pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0)
            if poll(&entry, 1, Int32(clamping: pause)) > 0 { return }
        }
    }

    // MARK: lamps that come and go

    private func look(_ now: UInt64) {
        lookAt = now &+ Self.pause
        do throws(LightsError) {
            if let lights {
                // Says whether they are there, and puts right what somebody else has switched.
                if lights.canVanish, let lit { try lights.set(lit) }
            } else {
                take(try open(), now)
                report("the lamps are there")
            }
        } catch {
            failed(error)
        }
    }

    private func take(_ lights: any Lights, _ now: UInt64) {
        let state = sequencer.state
        self.lights = lights
        lastSaid = nil
        lit = []
        sequencer = LightSequencer(fitted: lights.fitted)
        sequencer.show(state, now: now)
        lights.announce(sequencer.manner.lamps, period: sequencer.manner.period)
    }

    private func set(_ wanted: LampSet, on lights: any Lights, _ now: UInt64) {
        do throws(LightsError) {
            try lights.set(wanted)
            lit = wanted
            lastSaid = nil
        } catch {
            failed(error)
            nextChange = min(nextChange ?? .max, now &+ Self.retry)
        }
    }

    private func failed(_ error: LightsError) {
        lit = nil
        // A chip that comes back has new lines.
        if error == .chipGone {
            lights?.close()
            lights = nil
        }
        // Once, not at every turn of the loop.
        guard error != lastSaid else { return }
        lastSaid = error
        report("the lights cannot be switched: \(error); they are tried again every second")
    }
}

extension LightsError {
    /// Whether waiting may help: the chip's driver, its device file or the rights on it are there a moment after the gate has started, or
    /// somebody plugs it in.
    var mayPass: Bool {
        switch self {
        case .noSuchChip, .notPermitted, .chipGone, .system: true
        case .noSuchLine, .lineTaken, .lineRepeated: false
        }
    }
}
