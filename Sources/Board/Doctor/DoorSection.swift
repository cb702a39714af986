import Devices
import Linux

/// The door: on which lines its lock and inputs hang, whether the lines can be had, and what the inputs say.
public enum DoorSection {
    /// Takes the lines for a moment, locked. Nothing is opened.
    ///
    /// - Parameter moniker: nil where the gate opens nothing.
    public static func examine(_ moniker: DoorMoniker?, folders: SystemFolders = SystemFolders()) -> DoctorReport.Section {
        var section = DoctorReport.Section("door")
        guard let moniker else {
            section.summary = "none"
            return section
        }
        // Before the lines are taken: afterwards the consumer is this program.
        var rows: [(name: String, text: String)] = []
        if case .gpio(let wiring) = moniker { rows = list(wiring, GPIOChip(wiring.chip, in: folders.dev)) }
        var levels: DoorInputs?
        do throws(DoorLinesError) {
            let door = try moniker.makeDoor()
            defer { door.close() }
            let fitted = DoorOutput.allCases.filter { door.outputs.contains($0) }.map(\.name.description)
            section.summary = (fitted + DoorInput.allCases.filter { door.inputs.contains($0) }.map(\.name.description))
                .joined(separator: " ")
            levels = try door.levels()
        } catch {
            section.trouble("door", code(error), error.description, remedy(error, moniker))
        }
        for row in rows {
            var text = row.text
            if let levels, let input = DoorInput.allCases.first(where: { $0.name.description == row.name }) {
                text += levels.contains(input) ? ", active now" : ", not active now"
            }
            section.add(row.name, text)
        }
        return section
    }

    private static func list(_ wiring: DoorWiring, _ chip: GPIOChip?) -> [(name: String, text: String)] {
        let outputs = DoorOutput.allCases.compactMap { output in wiring.outputs[output].map { (output.name.description, $0) } }
        let inputs = DoorInput.allCases.compactMap { input in wiring.inputs[input].map { (input.name.description, $0) } }
        return (outputs + inputs).map { name, wired in
            var text = "\(wiring.chip) line \(wired.line.text)" + (wired.isActiveLow ? ", active low" : "")
            if wired.bias != .asItIs { text += ", \(wired.bias.rawValue)" }
            if let line = chip?.line(wired.line) {
                if case .offset = wired.line, !line.name.isEmpty { text += " (\(line.name))" }
                if case .name = wired.line { text += " (\(line.offset))" }
                text += line.consumer.map { ", held by \($0)" } ?? ", free"
            }
            return (name, text)
        }
    }

    private static func code(_ error: DoorLinesError) -> String {
        switch error {
        case .noSuchChip: "door-no-chip"
        case .noSuchLine: "door-no-line"
        case .lineTaken: "door-line-taken"
        case .lineRepeated: "door-line-repeated"
        case .notPermitted: "door-not-permitted"
        case .chipGone: "door-chip-gone"
        case .system: "door-system"
        }
    }

    private static func remedy(_ error: DoorLinesError, _ moniker: DoorMoniker) -> DoctorReport.Remedy {
        let chip = if case .gpio(let wiring) = moniker { wiring.chip } else { "gpiochip0" }
        return switch error {
        case .noSuchChip, .chipGone, .system: .init("Look which there are", "gpiodetect")
        case .noSuchLine, .lineTaken, .lineRepeated: .init("Look at the lines", "gpioinfo \(DoctorReport.Remedy.word(chip))")
        case .notPermitted: .init("Put the user in the group", "usermod -aG gpio gatehouse")
        }
    }
}

/// What sounds, and whether it can be had.
public enum SoundSection {
    /// Takes it for a moment, silent.
    ///
    /// - Parameter moniker: nil where nothing sounds.
    public static func examine(_ moniker: SounderMoniker?) -> DoctorReport.Section {
        var section = DoctorReport.Section("sound")
        guard let moniker else {
            section.summary = "none"
            return section
        }
        do throws(SounderError) {
            try moniker.makeSounder().close()
            section.summary =
                switch moniker {
                case .gpio(let chip, let wired): "buzzer on \(chip) line \(wired.line.text)" + (wired.isActiveLow ? ", active low" : "")
                case .pwm(let channel): channel
                case .log: "standard error"
                }
        } catch {
            section.trouble("sound", code(error), error.description, remedy(error, moniker))
        }
        return section
    }

    private static func code(_ error: SounderError) -> String {
        switch error {
        case .noSuchChip: "sound-no-chip"
        case .noSuchLine: "sound-no-line"
        case .lineTaken: "sound-line-taken"
        case .noSuchChannel: "sound-no-channel"
        case .channelNotPermitted: "sound-channel-not-permitted"
        case .channelReadOnly: "sound-channel-read-only"
        case .notPermitted: "sound-not-permitted"
        case .gone: "sound-gone"
        case .system: "sound-system"
        }
    }

    private static func remedy(_ error: SounderError, _ moniker: SounderMoniker) -> DoctorReport.Remedy {
        let chip = if case .gpio(let chip, _) = moniker { chip } else { "gpiochip0" }
        return switch error {
        case .noSuchChannel: .init("Look which there are", "ls /sys/class/pwm")
        case .channelNotPermitted, .channelReadOnly:
            .init("Install the drop-in for PWM, gatehouse-pwm.conf, and look what the unit has of it", "systemctl cat gatehouse")
        case .noSuchChip, .gone, .system: .init("Look which there are", "gpiodetect")
        case .noSuchLine, .lineTaken: .init("Look at the lines", "gpioinfo \(DoctorReport.Remedy.word(chip))")
        case .notPermitted: .init("Put the user in the group", "usermod -aG gpio gatehouse")
        }
    }
}
