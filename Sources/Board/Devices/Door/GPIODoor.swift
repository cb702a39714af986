import CGPIO
import Glibc

/// `gpio:`: a lock and inputs on lines of a GPIO chip, by libgpiod. The kernel lists the lines under the consumer name "gatehouse".
///
/// Each output is a request of its own, because each may have a polarity of its own and libgpiod 1.6 has one for a request; none shares a
/// request with a lamp. `close` makes the outputs inactive and then gives them back. What a line does after that, and after the gate was
/// killed, is the chip's affair: a lock that opens on high wants a resistor to ground.
public final class GPIODoor: DoorLines {
    public let inputs: DoorInputs
    public let outputs: DoorOutputs
    public var canVanish: Bool { true }

    private var switches: [(output: DoorOutput, lines: OpaquePointer)] = []
    /// The inputs in the order of their lines.
    private let order: [DoorInput]
    private var listening: OpaquePointer?

    /// Takes the outputs, inactive, and the inputs.
    ///
    /// - Throws: what is wrong with which line; no line is held then.
    public init(_ wiring: DoorWiring) throws(DoorLinesError) {
        order = DoorInput.allCases.filter { wiring.inputs[$0] != nil }
        inputs = order.reduce(into: DoorInputs()) { $0.insert(DoorInputs($1)) }
        outputs = wiring.outputs.keys.reduce(into: DoorOutputs()) { $0.insert(DoorOutputs($1)) }
        do throws(DoorLinesError) {
            for output in DoorOutput.allCases {
                guard let wired = wiring.outputs[output] else { continue }
                switches.append((output, try Self.takeOutput(wired, output.name.description, wiring.chip)))
            }
            if !order.isEmpty { listening = try Self.takeInputs(wiring, order) }
        } catch {
            close()
            throw error
        }
    }

    deinit {
        close()
    }

    private static func takeOutput(_ wired: WiredLine, _ name: String, _ chip: String) throws(DoorLinesError) -> OpaquePointer {
        guard let lines = gpio_lines_new(chip, wired.isActiveLow) else { throw .system(errno: ENOMEM) }
        let result =
            switch wired.line {
            case .offset(let offset): gpio_lines_add_offset(lines, offset)
            case .name(let name): gpio_lines_add_name(lines, name)
            }
        var culprit: UInt32 = 0
        let code = result == 0 ? Int(gpio_lines_request(lines, "gatehouse", &culprit)) : GPIO_LINES_NO_LINE
        guard code == GPIO_LINES_OK else {
            let number = gpio_lines_errno(lines)
            gpio_lines_free(lines)
            throw error(code, errno: number, name, wired.line, chip)
        }
        return lines
    }

    private static func takeInputs(_ wiring: DoorWiring, _ order: [DoorInput]) throws(DoorLinesError) -> OpaquePointer {
        guard let lines = gpio_inputs_new(wiring.chip) else { throw .system(errno: ENOMEM) }
        var culprit: UInt32 = 0
        var code = GPIO_LINES_OK
        for (index, input) in order.enumerated() {
            guard let wired = wiring.inputs[input] else { continue }
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
            if result != 0, code == GPIO_LINES_OK { (code, culprit) = (GPIO_LINES_NO_LINE, UInt32(index)) }
        }
        if code == GPIO_LINES_OK { code = Int(gpio_inputs_request(lines, "gatehouse", &culprit)) }
        guard code == GPIO_LINES_OK else {
            let number = gpio_inputs_errno(lines)
            gpio_inputs_free(lines)
            let input = Int(culprit) < order.count ? order[Int(culprit)] : .contact
            throw error(code, errno: number, input.name.description, wiring.inputs[input]?.line ?? .offset(0), wiring.chip)
        }
        return lines
    }

    static func error(_ code: Int, errno number: Int32, _ name: String, _ line: GPIOLine, _ chip: String) -> DoorLinesError {
        switch code {
        case GPIO_LINES_NO_CHIP: .noSuchChip(chip)
        case GPIO_LINES_NO_LINE: .noSuchLine(name, line, chip: chip)
        case GPIO_LINES_TAKEN: .lineTaken(name, line, chip: chip)
        case GPIO_LINES_REPEATED: .lineRepeated(name, line, chip: chip)
        case GPIO_LINES_NOT_PERMITTED: .notPermitted(chip)
        default: .system(errno: number)
        }
    }

    static func failure(_ number: Int32) -> DoorLinesError { number == ENODEV ? .chipGone : .system(errno: number) }

    // MARK: outputs

    /// One that fails does not keep the others from being switched: what has to close, closes.
    public func set(_ active: DoorOutputs) throws(DoorLinesError) {
        var failure: DoorLinesError?
        for (output, lines) in switches where Int(gpio_lines_set(lines, active.contains(output) ? 1 : 0)) != GPIO_LINES_OK {
            failure = Self.failure(gpio_lines_errno(lines))
        }
        if let failure { throw failure }
    }

    // MARK: inputs

    public var descriptor: Int32? { listening.map { gpio_inputs_descriptor($0) } }

    public func levels() throws(DoorLinesError) -> DoorInputs {
        guard let listening else { return [] }
        var levels: UInt32 = 0
        guard Int(gpio_inputs_levels(listening, &levels)) == GPIO_LINES_OK else { throw Self.failure(gpio_inputs_errno(listening)) }
        return order.enumerated().reduce(into: DoorInputs()) { active, entry in
            if levels & (1 << UInt32(entry.offset)) != 0 { active.insert(DoorInputs(entry.element)) }
        }
    }

    public func nextEdge() throws(DoorLinesError) -> DoorEdge? {
        guard let listening else { return nil }
        var edge = gpio_edge()
        let count = gpio_inputs_next(listening, &edge)
        guard count >= 0 else { throw Self.failure(gpio_inputs_errno(listening)) }
        guard count > 0, Int(edge.line) < order.count else { return nil }
        return DoorEdge(input: order[Int(edge.line)], isActive: edge.active, at: edge.nanoseconds)
    }

    public func close() {
        for (_, lines) in switches { gpio_lines_free(lines) }
        switches = []
        if let listening { gpio_inputs_free(listening) }
        listening = nil
    }
}
