import CGPIO
import Glibc

/// `gpio:`: lamps on lines of a GPIO chip, by libgpiod. The kernel lists the lines under the consumer name "gatehouse".
///
/// `close` makes the lines inactive and then gives them back. What a line does after that is the chip's affair: lamps that are lit by a low
/// level want a pull-up.
public final class GPIOLights: Lights {
    public let fitted: LampSet
    public var canVanish: Bool { true }

    /// The lamps in the order of the lines.
    private let order: [Lamp]
    private var lines: OpaquePointer?

    /// Takes the lines as outputs, all dark.
    ///
    /// - Throws: what is wrong with which line; no line is held then.
    public init(_ wiring: GPIOWiring) throws(LightsError) {
        order = Lamp.allCases.filter { wiring.lines[$0] != nil }
        fitted = order.reduce(into: LampSet()) { $0.insert(LampSet($1)) }
        guard let wanted = gpio_lines_new(wiring.chip, wiring.isActiveLow) else { throw .system(errno: ENOMEM) }
        for lamp in order {
            let result =
                switch wiring.lines[lamp] {
                case .offset(let offset)?: gpio_lines_add_offset(wanted, offset)
                case .name(let name)?: gpio_lines_add_name(wanted, name)
                case nil: Int32(-1)
                }
            guard result == 0 else {
                gpio_lines_free(wanted)
                throw Self.error(GPIO_LINES_NO_LINE, errno: 0, lamp, wiring)
            }
        }
        var culprit: UInt32 = 0
        let code = Int(gpio_lines_request(wanted, "gatehouse", &culprit))
        guard code == GPIO_LINES_OK else {
            let number = gpio_lines_errno(wanted)
            gpio_lines_free(wanted)
            throw Self.error(code, errno: number, Int(culprit) < order.count ? order[Int(culprit)] : .accept, wiring)
        }
        lines = wanted
    }

    private static func error(_ code: Int, errno number: Int32, _ lamp: Lamp, _ wiring: GPIOWiring) -> LightsError {
        let line = wiring.lines[lamp] ?? .offset(0)
        return switch code {
        case GPIO_LINES_NO_CHIP: .noSuchChip(wiring.chip)
        case GPIO_LINES_NO_LINE: .noSuchLine(lamp, line, chip: wiring.chip)
        case GPIO_LINES_TAKEN: .lineTaken(lamp, line, chip: wiring.chip)
        case GPIO_LINES_REPEATED: .lineRepeated(lamp, line, chip: wiring.chip)
        case GPIO_LINES_NOT_PERMITTED: .notPermitted(wiring.chip)
        default: .system(errno: number)
        }
    }

    deinit {
        close()
    }

    public func set(_ lit: LampSet) throws(LightsError) {
        guard let lines else { return }
        // Bit n is line n, so that one call switches all of them and no two verdicts are lit between two calls.
        var levels: UInt32 = 0
        for (index, lamp) in order.enumerated() where lit.contains(lamp) {
            levels |= 1 << UInt32(index)
        }
        guard Int(gpio_lines_set(lines, levels)) == GPIO_LINES_OK else {
            let number = gpio_lines_errno(lines)
            throw number == ENODEV ? .chipGone : .system(errno: number)
        }
    }

    public func close() {
        guard let lines else { return }
        self.lines = nil
        gpio_lines_free(lines)
    }
}

extension GPIOLights {
    /// The interface of libgpiod this was compiled for: `1.6`, or `2.x`.
    public static var interfaceVersion: String { gpio_lines_api().map { String(cString: $0) } ?? "unknown" }
}
