import Linux

/// Why a door's lines cannot be had or switched.
public enum DoorLinesError: Error, Hashable, Sendable {
    /// There is no such GPIO chip.
    case noSuchChip(String)
    /// The chip has no such line; `line` is what hangs on it, as a moniker names it.
    case noSuchLine(String, GPIOLine, chip: String)
    /// Another program or a driver holds the line.
    case lineTaken(String, GPIOLine, chip: String)
    /// A line before this one is the same one: one is named by the offset, the other by the name.
    case lineRepeated(String, GPIOLine, chip: String)
    /// The process may not use the chip.
    case notPermitted(String)
    /// The chip was there and is gone.
    case chipGone
    /// Any other refusal of the system.
    case system(errno: Int32)

    /// Whether waiting may help, as for lamps: drivers, device files and rights come a moment after the gate has started.
    public var mayPass: Bool {
        switch self {
        case .noSuchChip, .notPermitted, .chipGone, .system: true
        case .noSuchLine, .lineTaken, .lineRepeated: false
        }
    }
}

/// A door's lock and inputs.
public protocol DoorLines: AnyObject {
    /// The inputs that exist.
    var inputs: DoorInputs { get }
    /// The outputs that exist; the lock always does.
    var outputs: DoorOutputs { get }
    /// Readable while an edge waits, or when the lines are gone; nil without inputs.
    var descriptor: Int32? { get }
    /// Whether the lines can be taken away. Then `set` with what is active already does no harm, and says whether they are there.
    var canVanish: Bool { get }
    /// Makes exactly these outputs active; those that do not exist are ignored.
    func set(_ active: DoorOutputs) throws(DoorLinesError)
    /// The inputs that are active now. The kernel keeps 16 edges for each line and drops the rest, so whoever has taken all that wait asks:
    /// what an edge says is only when something changed.
    func levels() throws(DoorLinesError) -> DoorInputs
    /// The next edge that waits; nil where none does. Never waits for one. With libgpiod 1.6, edges of two inputs come in no order: their
    /// times have it.
    func nextEdge() throws(DoorLinesError) -> DoorEdge?
    /// Outputs inactive, lines released. Closing twice is allowed.
    func close()
}

/// `log:`: one line on standard error for each change of the outputs, `door ms=<monotonic milliseconds> open=<output>[+<output>]`, or
/// `open=none`. For a desk without a door; it has no inputs.
public final class LogDoor: DoorLines {
    public var inputs: DoorInputs { [] }
    public var outputs: DoorOutputs { [.lock, .second] }
    public var descriptor: Int32? { nil }
    public var canVanish: Bool { false }

    private let words: Words
    private var active: DoorOutputs = []

    public init(_ words: Words = .errors) {
        self.words = words
    }

    public func set(_ active: DoorOutputs) throws(DoorLinesError) {
        guard active != self.active else { return }
        self.active = active
        let names = DoorOutput.allCases.filter { active.contains($0) }.map(\.name.description).joined(separator: "+")
        words.write("door ms=\(Clock.monotonic() / 1_000_000) open=\(names.isEmpty ? "none" : names)\n")
    }

    public func levels() throws(DoorLinesError) -> DoorInputs { [] }

    public func nextEdge() throws(DoorLinesError) -> DoorEdge? { nil }

    public func close() { try? set([]) }
}
