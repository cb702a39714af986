import Linux

/// Why lamps cannot be switched.
public enum LightsError: Error, Hashable, Sendable {
    /// There is no such GPIO chip.
    case noSuchChip(String)
    /// The chip has no such line.
    case noSuchLine(Lamp, GPIOLine, chip: String)
    /// Another program or a driver holds the line.
    case lineTaken(Lamp, GPIOLine, chip: String)
    /// A lamp before this one hangs on the line: one is named by the offset, the other by the name.
    case lineRepeated(Lamp, GPIOLine, chip: String)
    /// The process may not use the chip.
    case notPermitted(String)
    /// The chip was there and is gone.
    case chipGone
    /// Any other refusal of the system.
    case system(errno: Int32)
}

/// Lamps that can be switched.
public protocol Lights: AnyObject {
    /// The lamps that exist.
    var fitted: LampSet { get }
    /// Whether they can be taken away. Then `set` with what is lit already does no harm, and says whether they are there.
    var canVanish: Bool { get }
    /// Lights exactly these lamps; lamps that are not fitted are ignored. Called only when something changed.
    func set(_ lit: LampSet) throws(LightsError)
    /// From here on these lamps blink with this period in milliseconds, or are steady where it is 0: for lights that say so instead of
    /// doing it.
    func announce(_ lamps: LampSet, period: Int)
    /// Everything dark, lines released. Closing twice is allowed.
    func close()
}

extension Lights {
    public var canVanish: Bool { false }
    public func announce(_ lamps: LampSet, period: Int) {}
}

/// `log:`: one line on standard error per change: `lights ms=<monotonic milliseconds> lit=<lamp>[+<lamp>...]`, or `lit=none`.
///
/// Lamps that blink are said once, `lit=fault blinking=1000` with the period in milliseconds: a gate that waits for its controller would
/// fill a disk otherwise.
public final class LogLights: Lights {
    public var fitted: LampSet { .all }

    private let words: Words
    private var said: LampSet?
    private var isBlinking = false

    public init(_ words: Words = .errors) {
        self.words = words
    }

    public func announce(_ lamps: LampSet, period: Int) {
        isBlinking = period > 0
        guard isBlinking else { return }
        said = lamps
        say(lamps, " blinking=\(period)")
    }

    public func set(_ lit: LampSet) throws(LightsError) {
        guard !isBlinking, lit != said else { return }
        said = lit
        say(lit, "")
    }

    private func say(_ lit: LampSet, _ manner: String) {
        let names = Lamp.allCases.filter { lit.contains($0) }.map { $0.name.description }.joined(separator: "+")
        words.write("lights ms=\(Clock.monotonic() / 1_000_000) lit=\(names.isEmpty ? "none" : names)\(manner)\n")
    }

    public func close() {
        isBlinking = false
        if said?.isEmpty == false { try? set([]) }
    }
}

/// `terminal:`: one line of lamps on standard error, rewritten in place, for a desk without a gate.
public final class TerminalLights: Lights {
    public var fitted: LampSet { .all }

    private let words: Words

    public init(_ words: Words = .errors) {
        self.words = words
    }

    public func set(_ lit: LampSet) throws(LightsError) {
        var line = "\r\u{1B}[K"
        for lamp in Lamp.allCases {
            let style = lit.contains(lamp) ? "1;97;\(Self.background(of: lamp))" : "2"
            line += "\u{1B}[\(style)m \(lamp.name) \u{1B}[0m"
        }
        words.write(line)
    }

    public func close() {
        try? set([])
        words.write("\n")
    }

    private static func background(of lamp: Lamp) -> Int {
        switch lamp {
        case .ready: 44
        case .busy: 46
        case .accept: 42
        case .reject: 41
        case .fault: 45
        case .look: 43
        }
    }
}
