import CGPIO
import Glibc

/// Input lines of one GPIO chip, by libgpiod, in one request that tells both edges. The kernel lists them under the consumer name
/// "gatehouse"; they are held until `close`.
final class GPIOInputs {
    private var lines: OpaquePointer?

    /// Takes the lines.
    ///
    /// - Parameter wired: each with what sentences call it.
    /// - Throws: what is wrong with which line; no line is held then.
    init(_ wired: [(name: String, line: WiredLine)], chip: String) throws(DoorLinesError) {
        guard let lines = gpio_inputs_new(chip) else { throw .system(errno: ENOMEM) }
        var culprit: UInt32 = 0
        var code = GPIO_LINES_OK
        for (index, line) in wired.enumerated() where Self.add(line.line, to: lines) != 0 {
            (code, culprit) = (GPIO_LINES_NO_LINE, UInt32(index))
            break
        }
        if code == GPIO_LINES_OK { code = Int(gpio_inputs_request(lines, "gatehouse", &culprit)) }
        guard code == GPIO_LINES_OK else {
            let number = gpio_inputs_errno(lines)
            gpio_inputs_free(lines)
            guard Int(culprit) < wired.count else { throw .system(errno: number) }
            let line = wired[Int(culprit)]
            throw DoorLinesError(request: code, errno: number, line.name, line.line.line, chip)
        }
        self.lines = lines
    }

    deinit {
        close()
    }

    private static func add(_ wired: WiredLine, to lines: OpaquePointer) -> Int32 {
        let bias =
            switch wired.bias {
            case .asItIs: GPIO_BIAS_AS_IT_IS
            case .pullUp: GPIO_BIAS_PULL_UP
            case .pullDown: GPIO_BIAS_PULL_DOWN
            }
        return switch wired.line {
        case .offset(let offset): gpio_inputs_add(lines, nil, offset, wired.isActiveLow, Int32(bias))
        case .name(let name): gpio_inputs_add(lines, name, 0, wired.isActiveLow, Int32(bias))
        }
    }

    /// Readable while an edge waits; also when the chip is gone. nil once they are closed.
    var descriptor: Int32? { lines.map { gpio_inputs_descriptor($0) } }

    /// Bit n is line n's, 1 where it is active; none is once they are closed.
    func levels() throws(DoorLinesError) -> UInt32 {
        guard let lines else { return 0 }
        var levels: UInt32 = 0
        guard Int(gpio_inputs_levels(lines, &levels)) == GPIO_LINES_OK else { throw DoorLinesError(call: gpio_inputs_errno(lines)) }
        return levels
    }

    /// The next edge that waits, and the place of its line; nil where none does.
    func nextEdge() throws(DoorLinesError) -> (line: Int, isActive: Bool, at: UInt64)? {
        guard let lines else { return nil }
        var edge = gpio_edge()
        let count = gpio_inputs_next(lines, &edge)
        guard count >= 0 else { throw DoorLinesError(call: gpio_inputs_errno(lines)) }
        return count > 0 ? (Int(edge.line), edge.active, edge.nanoseconds) : nil
    }

    /// Gives the lines back. Closing twice is allowed.
    func close() {
        if let lines { gpio_inputs_free(lines) }
        lines = nil
    }
}

extension DoorLinesError {
    /// Why a request for lines was refused.
    ///
    /// - Parameters:
    ///   - code: one of `GPIO_LINES_`.
    ///   - name: of the line at fault, as a moniker has it.
    init(request code: Int, errno number: Int32, _ name: String, _ line: GPIOLine, _ chip: String) {
        self =
            switch code {
            case GPIO_LINES_NO_CHIP: .noSuchChip(chip)
            case GPIO_LINES_NO_LINE: .noSuchLine(name, line, chip: chip)
            case GPIO_LINES_TAKEN: .lineTaken(name, line, chip: chip)
            case GPIO_LINES_REPEATED: .lineRepeated(name, line, chip: chip)
            case GPIO_LINES_NOT_PERMITTED: .notPermitted(chip)
            default: .system(errno: number)
            }
    }

    /// Why a line that is held cannot be read or switched.
    init(call number: Int32) {
        self = number == ENODEV ? .chipGone : .system(errno: number)
    }
}
