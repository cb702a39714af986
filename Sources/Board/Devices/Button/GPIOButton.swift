/// A button on a line of a GPIO chip, looked at now and then. It holds the line until `close`.
public final class GPIOButton {
    private let inputs: GPIOInputs

    /// - Throws: what is wrong with the line; it is not held then.
    public init(_ moniker: ButtonMoniker) throws(DoorLinesError) {
        inputs = try GPIOInputs([("button", moniker.wired)], chip: moniker.chip)
    }

    public func isPressed() throws(DoorLinesError) -> Bool {
        try inputs.levels() & 1 != 0
    }

    /// Gives the line back. Closing twice is allowed.
    public func close() {
        inputs.close()
    }
}
