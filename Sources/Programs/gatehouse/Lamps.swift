import Appliance
import ArgumentParser
import Devices
import Glibc
import Linux

struct Lamps: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Switch this gate's lamps without a gate: off, or fault.",
        discussion: """
            For the service manager, when the gate has ended: `off` takes the lines, makes them dark and gives them back; `fault` shows the fault \
            light until SIGTERM, or for so many seconds, and then makes everything dark. What a line does when nobody holds it is the chip's \
            affair: some keep their level, some turn the line into an input; a lamp that has to be dark then wants a resistor that pulls it there.
            First of all, both take the door's lines and make its outputs inactive: a gate that was killed may have left the lock open. Then \
            they silence what sounds.

            Lines that a gate still holds are waited for, for two seconds: a process that was killed gives them back when it is gone. Exit code: 0 \
            done, 1 the lamps, the door or the sounder cannot be had, 2 unusable options.
            """)

    enum State: String, ExpressibleByArgument, CaseIterable { case off, fault }

    @Argument(help: "off or fault.")
    var state: State

    @OptionGroup var boardOptions: BoardOptions
    @OptionGroup var trustOptions: TrustOptions

    @Option(help: ArgumentHelp("How long the fault light is shown, 1 to 3600.  (default: until SIGTERM)", valueName: "seconds"))
    var seconds: Int?

    /// Nanoseconds a line of a gate that is ending is waited for.
    private static let patience: UInt64 = 2_000_000_000

    func run() throws {
        if let seconds, !(1...3600).contains(seconds) { throw ValidationError("--seconds \(seconds): use 1 to 3600") }
        if state == .off, seconds != nil { throw ValidationError("--seconds: only with fault") }
        let devices = try boardOptions.links(trustOptions.source.site())
        let signals = try opened("signals") { () throws(EventLoopError) in try Signals() }
        // Before the lamps, and held beside them: a site file that names a line of the door for a lamp, by whatever name, gets none.
        let door = lock(devices.door)
        defer { door.lines?.close() }
        if let taken = devices.refusedForDoor ?? door.refusal {
            say("gatehouse: no lamp is switched: \(taken)")
            throw ExitCode(1)
        }
        let isSilent = silence(devices.sound)
        let lights: LightsPanel
        do throws(LightsError) {
            lights = try taken(devices.lights)
        } catch {
            say("gatehouse: the lamps cannot be had: \(error)")
            throw ExitCode(1)
        }
        switch state {
        case .off: lights.close()
        case .fault:
            let end = seconds.map { Clock.monotonic() + UInt64($0) * 1_000_000_000 }
            lights.hold(.fault, until: end ?? .max, signals: signals)
        }
        if !isSilent || (devices.door != nil && door.lines == nil) { throw ExitCode(1) }
    }

    /// Ends a tone that a gate was killed in: a PWM channel sounds on by itself, and so may a line.
    private func silence(_ moniker: SounderMoniker?) -> Bool {
        guard let moniker else { return true }
        let end = Clock.monotonic() + Self.patience
        while true {
            do throws(SounderError) {
                // Taken silent.
                try moniker.makeSounder().close()
                return true
            } catch {
                guard case .lineTaken = error, Clock.monotonic() < end else {
                    say("gatehouse: the sounder cannot be had: \(error)")
                    return false
                }
                _ = poll(nil, 0, 50)
            }
        }
    }

    /// Takes the door's lines, which makes its outputs inactive. Where its chip is not there, no lamp can be on it either; any other
    /// refusal says that no lamp may be taken.
    private func lock(_ moniker: DoorMoniker?) -> (lines: (any DoorLines)?, refusal: String?) {
        guard let moniker else { return (nil, nil) }
        let end = Clock.monotonic() + Self.patience
        while true {
            do throws(DoorLinesError) {
                return (try moniker.makeDoor(), nil)
            } catch {
                if case .lineTaken = error, Clock.monotonic() < end {
                    _ = poll(nil, 0, 50)
                    continue
                }
                say("gatehouse: the door cannot be had: \(error)")
                if case .noSuchChip = error { return (nil, nil) }
                return (nil, "the door's lines are not held")
            }
        }
    }

    private func taken(_ moniker: LightsMoniker) throws(LightsError) -> LightsPanel {
        let end = Clock.monotonic() + Self.patience
        while true {
            do throws(LightsError) {
                let lights = try moniker.makeLights()
                return LightsPanel(lights) { say("gatehouse: " + $0) }
            } catch {
                guard case .lineTaken = error, Clock.monotonic() < end else { throw error }
                _ = poll(nil, 0, 50)
            }
        }
    }
}
