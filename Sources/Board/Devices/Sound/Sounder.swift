import CGPIO
import Glibc
import Linux

/// Why a sounder cannot be used.
public enum SounderError: Error, Hashable, Sendable {
    /// There is no such GPIO chip.
    case noSuchChip(String)
    /// The chip has no such line, or something else holds it.
    case noSuchLine(GPIOLine, chip: String)
    case lineTaken(GPIOLine, chip: String)
    /// The folder of a PWM channel is not there, or not one.
    case noSuchChannel(String)
    /// The user may not write the files of a PWM channel, or of the chip that has to make it.
    case channelNotPermitted(String)
    /// Nobody may: they lie where nothing is written, as all of `/sys` does for a service with `ProtectKernelTunables`.
    case channelReadOnly(String)
    case notPermitted(String)
    /// It was there and is gone.
    case gone
    case system(errno: Int32)

    /// Whether waiting may help.
    public var mayPass: Bool {
        switch self {
        case .noSuchChip, .noSuchChannel, .channelNotPermitted, .channelReadOnly, .notPermitted, .gone, .system: true
        case .noSuchLine, .lineTaken: false
        }
    }
}

/// Something that makes a tone.
public protocol Sounder: AnyObject {
    /// Sounds at this frequency in Hz, silent at 0. A buzzer with a tone of its own sounds at any other.
    func set(_ frequency: UInt32) throws(SounderError)
    /// Silent, and released. Closing twice is allowed.
    func close()
}

/// `log:`: one line on standard error for each change, `sound ms=<monotonic milliseconds> hz=<frequency>`.
public final class LogSounder: Sounder {
    private let words: Words
    private var frequency: UInt32 = 0

    public init(_ words: Words = .errors) {
        self.words = words
    }

    public func set(_ frequency: UInt32) throws(SounderError) {
        guard frequency != self.frequency else { return }
        self.frequency = frequency
        words.write("sound ms=\(Clock.monotonic() / 1_000_000) hz=\(frequency)\n")
    }

    public func close() { try? set(0) }
}

/// `gpio:`: a buzzer with a tone of its own, on a line of a GPIO chip.
public final class LineSounder: Sounder {
    private var lines: OpaquePointer?

    /// Takes the line as an output, silent.
    public init(_ wired: WiredLine, chip: String) throws(SounderError) {
        guard let wanted = gpio_lines_new(chip, wired.isActiveLow) else { throw .system(errno: ENOMEM) }
        let result =
            switch wired.line {
            case .offset(let offset): gpio_lines_add_offset(wanted, offset)
            case .name(let name): gpio_lines_add_name(wanted, name)
            }
        var culprit: UInt32 = 0
        let code = result == 0 ? Int(gpio_lines_request(wanted, "gatehouse", &culprit)) : GPIO_LINES_NO_LINE
        guard code == GPIO_LINES_OK else {
            let number = gpio_lines_errno(wanted)
            gpio_lines_free(wanted)
            switch code {
            case GPIO_LINES_NO_CHIP: throw .noSuchChip(chip)
            case GPIO_LINES_NO_LINE: throw .noSuchLine(wired.line, chip: chip)
            case GPIO_LINES_TAKEN, GPIO_LINES_REPEATED: throw .lineTaken(wired.line, chip: chip)
            case GPIO_LINES_NOT_PERMITTED: throw .notPermitted(chip)
            default: throw .system(errno: number)
            }
        }
        lines = wanted
    }

    deinit {
        close()
    }

    public func set(_ frequency: UInt32) throws(SounderError) {
        guard let lines, Int(gpio_lines_set(lines, frequency == 0 ? 0 : 1)) != GPIO_LINES_OK else { return }
        let number = gpio_lines_errno(lines)
        throw number == ENODEV ? .gone : .system(errno: number)
    }

    public func close() {
        if let lines { gpio_lines_free(lines) }
        lines = nil
    }
}
