import CGPIO
import Glibc

/// A button on a line of a GPIO chip, by libgpiod, looked at now and then. It holds the line until `close`.
public final class GPIOButton {
    private var lines: OpaquePointer?

    /// - Throws: what is wrong with the line; it is not held then.
    public init(_ moniker: ButtonMoniker) throws(DoorLinesError) {
        let wired = moniker.wired, chip = moniker.chip
        guard let lines = gpio_inputs_new(chip) else { throw .system(errno: ENOMEM) }
        let bias =
            switch wired.bias {
            case .asItIs: GPIO_BIAS_AS_IT_IS
            case .pullUp: GPIO_BIAS_PULL_UP
            case .pullDown: GPIO_BIAS_PULL_DOWN
            }
        let result =
            switch wired.line {
            case .offset(let offset): gpio_inputs_add(lines, nil, offset, wired.isActiveLow, Int32(bias))
            case .name(let name): gpio_inputs_add(lines, name, 0, wired.isActiveLow, Int32(bias))
            }
        var culprit: UInt32 = 0
        let code = result == 0 ? Int(gpio_inputs_request(lines, "gatehouse", &culprit)) : GPIO_LINES_NO_LINE
        guard code == GPIO_LINES_OK else {
            let number = gpio_inputs_errno(lines)
            gpio_inputs_free(lines)
            throw GPIODoor.error(code, errno: number, "button", wired.line, chip)
        }
        self.lines = lines
    }

    deinit {
        close()
    }

    public func isPressed() throws(DoorLinesError) -> Bool {
        guard let lines else { return false }
        var levels: UInt32 = 0
        guard Int(gpio_inputs_levels(lines, &levels)) == GPIO_LINES_OK else { throw GPIODoor.failure(gpio_inputs_errno(lines)) }
        return levels & 1 != 0
    }

    /// Gives the line back. Closing twice is allowed.
    public func close() {
        if let lines { gpio_inputs_free(lines) }
        lines = nil
    }
}
