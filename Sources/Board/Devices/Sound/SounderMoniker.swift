/// What sounds.
public enum SounderMoniker: Hashable, Sendable {
    /// `gpio:CHIP/buzzer=13[:low]`: a buzzer on a line of a GPIO chip.
    case gpio(chip: String, WiredLine)
    /// `pwm:/sys/class/pwm/pwmchip0/pwm0`: a channel of the kernel's PWM.
    case pwm(channel: String)
    /// `log:`: one line on standard error for each change.
    case log

    static let schemes = ["gpio", "pwm", "log"]

    public init(_ moniker: Moniker) throws(MonikerError) {
        switch moniker.scheme {
        case "gpio": self = try Self.line(moniker.rest)
        case "pwm":
            let channel = try moniker.path()
            guard channel.hasPrefix("/"), !channel.hasSuffix("/") else { throw .unexpected(channel) }
            self = .pwm(channel: channel)
        case "log":
            try moniker.nothing()
            self = .log
        default: throw .unknownScheme(moniker.scheme, known: Self.schemes)
        }
    }

    public init(_ text: String) throws(MonikerError) {
        try self.init(try Moniker(text))
    }

    /// Reads `CHIP/buzzer=LINE[:low]`. The chip may be a path, so the last slash separates.
    private static func line(_ text: String) throws(MonikerError) -> SounderMoniker {
        guard let slash = text.lastIndex(of: "/") else { throw .missing("buzzer") }
        guard slash > text.startIndex else { throw .missing("chip") }
        let part = text[text.index(after: slash)...]
        guard part.hasPrefix("buzzer=") else { throw .missing("buzzer") }
        return .gpio(chip: String(text[..<slash]), try WiredLine(part.dropFirst(7), for: "buzzer", isInput: false))
    }

    /// What this moniker names, silent.
    public func makeSounder() throws(SounderError) -> any Sounder {
        switch self {
        case .gpio(let chip, let wired): try LineSounder(wired, chip: chip)
        case .pwm(let channel): try PWMSounder(channel)
        case .log: LogSounder()
        }
    }
}
