/// Where a door's lock and inputs are.
public enum DoorMoniker: Hashable, Sendable {
    /// `gpio:CHIP/lock=5,contact=7:low:pull-up,...`: lines of one GPIO chip.
    case gpio(DoorWiring)
    /// `log:`: one line on standard error for each change of the lock.
    case log

    static let schemes = ["gpio", "log"]

    public init(_ moniker: Moniker) throws(MonikerError) {
        switch moniker.scheme {
        case "gpio": self = .gpio(try DoorWiring(moniker.rest))
        case "log":
            try moniker.nothing()
            self = .log
        default: throw .unknownScheme(moniker.scheme, known: Self.schemes)
        }
    }

    public init(_ text: String) throws(MonikerError) {
        try self.init(try Moniker(text))
    }

    /// The lines this moniker names: locked, inputs listened to.
    public func makeDoor() throws(DoorLinesError) -> any DoorLines {
        switch self {
        case .gpio(let wiring): try GPIODoor(wiring)
        case .log: LogDoor()
        }
    }
}

/// A line of a GPIO chip and how it is wired.
public struct WiredLine: Hashable, Sendable {
    /// What holds the line where nothing drives it.
    public enum Bias: String, Hashable, Sendable {
        case asItIs = "", pullUp = "pull-up", pullDown = "pull-down"
    }

    public var line: GPIOLine
    /// Active when the line is low.
    public var isActiveLow = false
    public var bias = Bias.asItIs

    /// Reads `LINE[:low][:pull-up|:pull-down]`; a bias is for inputs.
    init(_ text: some StringProtocol, for name: String, isInput: Bool) throws(MonikerError) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard let first = parts.first, !first.isEmpty else { throw .missing(name) }
        line =
            if first.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
                .offset(try Moniker.number(first, upTo: 0xFFFF))
            } else {
                .name(String(first))
            }
        var rest = parts.dropFirst()
        if rest.first == "low" {
            isActiveLow = true
            rest = rest.dropFirst()
        }
        if isInput, let word = rest.first, let bias = Bias(rawValue: String(word)), bias != .asItIs {
            self.bias = bias
            rest = rest.dropFirst()
        }
        if let word = rest.first { throw .unexpected("\(name)=\(text): \(word)") }
    }
}

/// Which part of a door hangs on which line.
public struct DoorWiring: Hashable, Sendable {
    /// `gpiochip0`, a label such as `pinctrl-bcm2711`, or a path such as `/dev/gpiochip0`.
    public let chip: String
    public let outputs: [DoorOutput: WiredLine]
    public let inputs: [DoorInput: WiredLine]

    /// Reads `CHIP/PART=LINE[:low][:BIAS],...`. The chip may be a path, so the last slash separates.
    public init(_ text: String) throws(MonikerError) {
        guard let slash = text.lastIndex(of: "/") else { throw .missing("lines") }
        guard slash > text.startIndex else { throw .missing("chip") }
        chip = String(text[..<slash])
        var outputs: [DoorOutput: WiredLine] = [:]
        var inputs: [DoorInput: WiredLine] = [:]
        for part in text[text.index(after: slash)...].split(separator: ",", omittingEmptySubsequences: false) {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2 else { throw .unexpected(String(part)) }
            let name = String(pair[0])
            let wired: WiredLine
            if let output = DoorOutput(named: name) {
                wired = try WiredLine(pair[1], for: name, isInput: false)
                guard outputs.updateValue(wired, forKey: output) == nil else { throw .repeated(name) }
            } else if let input = DoorInput(named: name) {
                wired = try WiredLine(pair[1], for: name, isInput: true)
                guard inputs.updateValue(wired, forKey: input) == nil else { throw .repeated(name) }
            } else {
                throw .unexpected(String(part))
            }
            let all = outputs.values.map(\.line) + inputs.values.map(\.line)
            guard all.filter({ $0 == wired.line }).count == 1 else { throw .repeated(wired.line.text) }
        }
        guard outputs[.lock] != nil else { throw .missing("lock") }
        self.outputs = outputs
        self.inputs = inputs
    }

    /// What of the door hangs on this line, as a moniker names it; nil where nothing does. A chip has a name, a label and paths, and a line
    /// an offset and a name: where the chips are there, what they mean is compared.
    public func part(on line: GPIOLine, of chip: String) -> String? {
        let parts = outputs.map { ($0.key.name, $0.value.line) } + inputs.map { ($0.key.name, $0.value.line) }
        if Self.plain(chip) == Self.plain(self.chip), let same = parts.first(where: { $0.1 == line }) { return same.0.description }
        guard let place = GPIOPlace(line, of: chip) else { return nil }
        return parts.first { GPIOPlace($0.1, of: self.chip) == place }?.0.description
    }

    /// Whether this line may be one of the door's without anybody being able to tell: the door's chip is not there, and what is named on
    /// the other one could be the same line by another name.
    public func isUncertain(_ line: GPIOLine, of chip: String) -> Bool {
        guard Self.plain(chip) != Self.plain(self.chip) else { return false }
        let lines = outputs.values.map(\.line) + inputs.values.map(\.line)
        guard lines.allSatisfy({ GPIOPlace($0, of: self.chip) == nil }) else { return false }
        return lines.contains { $0 == line || $0.isOffset != line.isOffset }
    }

    private static func plain(_ chip: String) -> Substring { chip.hasPrefix("/dev/") ? chip.dropFirst(5) : chip[...] }
}
