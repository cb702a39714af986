import Devices
import Linux

/// The sounder as the loop sees it: a pattern in, tones out. A visit never waits for it: one that is missing or goes away is said once and
/// looked for, and the patterns meanwhile are not made up for.
public final class SoundPanel {
    private let open: () throws(SounderError) -> any Sounder
    private let clock: () -> UInt64
    private let report: (String) -> Void
    private var sounder: (any Sounder)?
    private var sequencer = SoundSequencer()
    private var sounding: UInt32 = 0
    private var lastSaid: SounderError?
    /// When to look for a sounder that is missing, in nanoseconds of the monotonic clock.
    private var lookAt: UInt64

    /// Nanoseconds from one look for a missing sounder to the next.
    static let pause: UInt64 = 1_000_000_000

    /// - Parameters:
    ///   - clock: by which a tone is timed.
    ///   - report: takes one line for the person at the terminal.
    ///   - open: takes the sounder, silent. Called again after it went away.
    /// - Throws: what no waiting cures.
    public init(
        now: UInt64 = Clock.monotonic(), clock: @escaping () -> UInt64 = Clock.monotonic, report: @escaping (String) -> Void,
        open: @escaping () throws(SounderError) -> any Sounder
    ) throws(SounderError) {
        self.open = open
        self.clock = clock
        self.report = report
        lookAt = now &+ Self.pause
        do throws(SounderError) {
            sounder = try open()
        } catch {
            guard error.mayPass else { throw error }
            failed(error)
        }
    }

    /// When `passTime` wants to be called.
    public private(set) var nextChange: UInt64?

    public func play(_ pattern: SoundPattern, now: UInt64) {
        guard sounder != nil else { return }
        sequencer.play(pattern, now: now)
        passTime(now)
    }

    public func passTime(_ now: UInt64) {
        if sounder == nil, now >= lookAt { look(now) }
        sequencer.passTime(now)
        let wanted = sequencer.frequency
        if wanted != sounding, let sounder {
            do throws(SounderError) {
                try sounder.set(wanted)
                sounding = wanted
                // Never shorter than the pattern has it.
                sequencer.began(clock())
                lastSaid = nil
            } catch {
                sounder.close()
                self.sounder = nil
                sounding = 0
                sequencer = SoundSequencer()
                lookAt = now &+ Self.pause
                failed(error)
            }
        }
        nextChange = sounder == nil ? lookAt : sequencer.nextChange
    }

    public func close() {
        sounder?.close()
        sounder = nil
        nextChange = nil
    }

    private func look(_ now: UInt64) {
        lookAt = now &+ Self.pause
        do throws(SounderError) {
            sounder = try open()
            lastSaid = nil
            report("the sounder is there")
        } catch {
            failed(error)
        }
    }

    private func failed(_ error: SounderError) {
        nextChange = lookAt
        // Once, not at every look.
        guard error != lastSaid else { return }
        lastSaid = error
        report("the sounder cannot be used: \(error); it is looked for every second")
    }
}
