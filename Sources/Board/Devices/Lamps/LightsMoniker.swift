/// Where the lamps are.
public enum LightsMoniker: Hashable, Sendable {
    /// `gpio:CHIP/accept=17,reject=27,...[,active-low]`: lines of one GPIO chip.
    case gpio(GPIOWiring)
    /// `log:`: one line on standard error per change.
    case log
    /// `terminal:`: one coloured line on standard error, rewritten in place.
    case terminal

    static let schemes = ["gpio", "log", "terminal"]

    public init(_ moniker: Moniker) throws(MonikerError) {
        switch moniker.scheme {
        case "gpio": self = .gpio(try GPIOWiring(moniker.rest))
        case "log":
            try moniker.nothing()
            self = .log
        case "terminal":
            try moniker.nothing()
            self = .terminal
        default: throw .unknownScheme(moniker.scheme, known: Self.schemes)
        }
    }

    public init(_ text: String) throws(MonikerError) {
        try self.init(try Moniker(text))
    }

    /// The lights this moniker names, opened and dark.
    ///
    /// - Throws: why the lines cannot be had; the other kinds always open.
    public func makeLights() throws(LightsError) -> any Lights {
        switch self {
        case .gpio(let wiring): try GPIOLights(wiring)
        case .log: LogLights()
        case .terminal: TerminalLights()
        }
    }
}

/// A line of a GPIO chip: its offset, or the name the device tree gives it.
public enum GPIOLine: Hashable, Sendable {
    case offset(UInt32)
    case name(String)

    /// As it is written in a moniker.
    public var text: String {
        switch self {
        case .offset(let offset): "\(offset)"
        case .name(let name): name
        }
    }
}

/// Which lamp hangs on which line.
public struct GPIOWiring: Hashable, Sendable {
    /// `gpiochip0`, a label such as `pinctrl-bcm2711`, or a path such as `/dev/gpiochip0`.
    public let chip: String
    public let lines: [Lamp: GPIOLine]
    /// A lamp is lit when its line is low.
    public let isActiveLow: Bool

    /// Reads `CHIP/LAMP=LINE,...[,active-low]`. The chip may be a path, so the last slash separates.
    public init(_ text: String) throws(MonikerError) {
        guard let slash = text.lastIndex(of: "/") else { throw .missing("lines") }
        guard slash > text.startIndex else { throw .missing("chip") }
        chip = String(text[..<slash])
        var lines: [Lamp: GPIOLine] = [:]
        var isActiveLow = false
        for part in text[text.index(after: slash)...].split(separator: ",", omittingEmptySubsequences: false) {
            if part == "active-low" {
                if isActiveLow { throw .repeated("active-low") }
                isActiveLow = true
                continue
            }
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2, let lamp = Lamp(named: pair[0]) else { throw .unknownLamp(String(part)) }
            guard !pair[1].isEmpty else { throw .missing(String(pair[0])) }
            guard lines[lamp] == nil else { throw .repeated(String(pair[0])) }
            let line: GPIOLine =
                if pair[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
                    .offset(try Moniker.number(pair[1], upTo: 0xFFFF))
                } else {
                    .name(String(pair[1]))
                }
            // Two lamps on one line would say accept and reject at once.
            guard !lines.values.contains(line) else { throw .repeated(String(pair[1])) }
            lines[lamp] = line
        }
        guard lines[.accept] != nil else { throw .missing("accept") }
        guard lines[.reject] != nil else { throw .missing("reject") }
        self.lines = lines
        self.isActiveLow = isActiveLow
    }
}
