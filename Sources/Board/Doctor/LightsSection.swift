import Devices
import Glibc
import Linux

/// The lamps: on which lines they hang, and whether the lines can be had.
public enum LightsSection {
    /// Takes the lines for a moment.
    ///
    /// - Parameter takenFromDoor: which line of the door's they would take; then none is taken.
    public static func examine(
        _ moniker: LightsMoniker, takenFromDoor: String? = nil, folders: SystemFolders = SystemFolders()
    ) -> DoctorReport.Section {
        var section = DoctorReport.Section("lights")
        if let takenFromDoor {
            section.trouble("lights", "lights-line-taken", takenFromDoor, .init("Name another line", "gatehouse site show"))
            return section
        }
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

/// A GPIO chip as the kernel describes it (`linux/gpio.h`, version 2). Only looks: no line is taken.
struct GPIOChip: Hashable {
    /// What is known of one line.
    struct Line: Hashable {
        let offset: UInt32
        /// The name in the device tree; empty where it has none.
        let name: String
        /// Who has it; nil where it is free.
        let consumer: String?

        /// - Parameter information: `gpio_v2_line_info`, 256 octets; nil where they are fewer.
        init?(_ information: [UInt8]) {
            guard information.count == 256 else { return nil }
            offset = GPIOChip.number(information, at: 64)
            name = GPIOChip.text(information[0..<32])
            // GPIO_V2_LINE_FLAG_USED
            let consumer = GPIOChip.text(information[32..<64])
            self.consumer = information[72] & 1 != 0 ? (consumer.isEmpty ? "the kernel" : consumer) : nil
        }
    }

    let name: String
    let label: String
    let lines: [Line]

    /// Finds a chip by path, name or label, as `GPIOLights` does; nil where there is none or it may not be read.
    init?(_ wanted: String, in folder: String) {
        let names = SystemFolders.names(folder).filter { $0.hasPrefix("gpiochip") }
        let path = wanted.hasPrefix("/") ? wanted : names.contains(wanted) ? "\(folder)/\(wanted)" : nil
        let paths = path.map { [$0] } ?? names.map { "\(folder)/\($0)" }
        for candidate in paths {
            guard let chip = GPIOChip(path: candidate) else { continue }
            guard path != nil || chip.label == wanted else { continue }
            self = chip
            return
        }
        return nil
    }

    private init?(path: String) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        // struct gpiochip_info: name, label, lines.
        var information = [UInt8](repeating: 0, count: 68)
        guard ioctl(descriptor, Self.getChip, &information) == 0 else { return nil }
        name = Self.text(information[0..<32])
        label = Self.text(information[32..<64])
        var lines: [Line] = []
        for offset in 0..<min(Self.number(information, at: 64), 1024) {
            var line = [UInt8](repeating: 0, count: 256)
            for index in 0..<4 { line[64 + index] = UInt8(truncatingIfNeeded: offset >> UInt32(8 * index)) }
            guard ioctl(descriptor, Self.getLine, &line) == 0, let found = Line(line) else { continue }
            lines.append(found)
        }
        self.lines = lines
    }

    func line(_ wanted: GPIOLine) -> Line? {
        switch wanted {
        case .offset(let offset): lines.first { $0.offset == offset }
        case .name(let name): lines.first { $0.name == name }
        }
    }

    private static func text(_ octets: ArraySlice<UInt8>) -> String { String(decoding: octets.prefix { $0 != 0 }, as: UTF8.self) }

    /// In the processor's octet order, which is little-endian on every board this runs on.
    private static func number(_ octets: [UInt8], at offset: Int) -> UInt32 {
        (0..<4).reduce(0) { $0 | UInt32(octets[offset + $1]) << UInt32(8 * $1) }
    }

    /// `GPIO_GET_CHIPINFO_IOCTL`, `_IOR(0xB4, 1, 68 octets)`.
    private static let getChip: UInt = 0x8044_B401
    /// `GPIO_V2_GET_LINEINFO_IOCTL`, `_IOWR(0xB4, 5, 256 octets)`.
    private static let getLine: UInt = 0xC100_B405
}
