import Devices
import Linux

/// The lamps: on which lines they hang, and whether the lines can be had.
public enum LightsSection {
    /// Takes the lines for a moment.
    public static func examine(_ moniker: LightsMoniker, folders: SystemFolders = SystemFolders()) -> DoctorReport.Section {
        var section = DoctorReport.Section("lights")
        // Before the lines are taken: afterwards the consumer is this program.
        if case .gpio(let wiring) = moniker { list(wiring, GPIOChip(wiring.chip, in: folders.dev), in: &section) }
        do throws(LightsError) {
            let lights = try moniker.makeLights()
            let fitted = Lamp.allCases.filter { lights.fitted.contains($0) }
            section.summary = fitted.map(\.name.description).joined(separator: " ")
            lights.close()
        } catch {
            section.trouble("lights", code(error), error.description, remedy(error, moniker))
        }
        return section
    }

    static func list(_ wiring: GPIOWiring, _ chip: GPIOChip?, in section: inout DoctorReport.Section) {
        for lamp in Lamp.allCases {
            guard let wanted = wiring.lines[lamp] else {
                section.add("\(lamp.name)", "not fitted")
                continue
            }
            let name =
                switch wanted {
                case .offset(let offset): "line \(offset)"
                case .name(let name): "line \(name)"
                }
            var text = "\(wiring.chip) \(name)" + (wiring.isActiveLow ? ", active low" : "")
            if let line = chip?.line(wanted) {
                if case .offset = wanted, !line.name.isEmpty { text += " (\(line.name))" }
                if case .name = wanted { text += " (\(line.offset))" }
                text += line.consumer.map { ", held by \($0)" } ?? ", free"
            }
            section.add("\(lamp.name)", text)
        }
    }

    private static func code(_ error: LightsError) -> String {
        switch error {
        case .noSuchChip: "lights-no-chip"
        case .noSuchLine: "lights-no-line"
        case .lineTaken: "lights-line-taken"
        case .lineRepeated: "lights-line-repeated"
        case .notPermitted: "lights-not-permitted"
        case .chipGone: "lights-chip-gone"
        case .system: "lights-system"
        }
    }

    private static func remedy(_ error: LightsError, _ moniker: LightsMoniker) -> DoctorReport.Remedy {
        let chip = if case .gpio(let wiring) = moniker { wiring.chip } else { "gpiochip0" }
        return switch error {
        case .noSuchChip, .chipGone, .system: .init("Look which there are", "gpiodetect")
        case .noSuchLine, .lineTaken, .lineRepeated: .init("Look at the lines", "gpioinfo \(DoctorReport.Remedy.word(chip))")
        case .notPermitted: .init("Put the user in the group", "usermod -aG gpio gatehouse")
        }
    }
}
