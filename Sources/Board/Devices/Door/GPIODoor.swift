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
    private var listening: GPIOInputs?

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
            let wired = order.compactMap { input in wiring.inputs[input].map { (name: input.name.description, line: $0) } }
            if !wired.isEmpty { listening = try GPIOInputs(wired, chip: wiring.chip) }
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
            throw DoorLinesError(request: code, errno: number, name, wired.line, chip)
        }
        return lines
    }

    // MARK: outputs

    /// One that fails does not keep the others from being switched: what has to close, closes.
    public func set(_ active: DoorOutputs) throws(DoorLinesError) {
        var failure: DoorLinesError?
        for (output, lines) in switches where Int(gpio_lines_set(lines, active.contains(output) ? 1 : 0)) != GPIO_LINES_OK {
            failure = DoorLinesError(call: gpio_lines_errno(lines))
        }
        if let failure { throw failure }
    }

    // MARK: inputs

    public var descriptor: Int32? { listening?.descriptor }

    public func levels() throws(DoorLinesError) -> DoorInputs {
        guard let levels = try listening?.levels() else { return [] }
        return order.enumerated().reduce(into: DoorInputs()) { active, entry in
            if levels & (1 << UInt32(entry.offset)) != 0 { active.insert(DoorInputs(entry.element)) }
        }
    }

    public func nextEdge() throws(DoorLinesError) -> DoorEdge? {
        guard let edge = try listening?.nextEdge(), edge.line < order.count else { return nil }
        return DoorEdge(input: order[edge.line], isActive: edge.isActive, at: edge.at)
    }

    public func close() {
        for (_, lines) in switches { gpio_lines_free(lines) }
        switches = []
        listening?.close()
        listening = nil
    }
}
