/// Where a button is that only counts while the gate starts: `gpio:CHIP/button=14[:low][:pull-up|:pull-down]`.
public struct ButtonMoniker: Hashable, Sendable {
    /// `gpiochip0`, a label such as `pinctrl-bcm2711`, or a path such as `/dev/gpiochip0`.
    public let chip: String
    public let wired: WiredLine

    public init(_ text: String) throws(MonikerError) {
        let moniker = try Moniker(text)
        guard moniker.scheme == "gpio" else { throw .unknownScheme(moniker.scheme, known: ["gpio"]) }
        guard let slash = moniker.rest.lastIndex(of: "/") else { throw .missing("button") }
        guard slash > moniker.rest.startIndex else { throw .missing("chip") }
        let part = moniker.rest[moniker.rest.index(after: slash)...]
        guard part.hasPrefix("button=") else { throw .missing("button") }
        // A second line would be one that nobody looks at.
        guard !part.contains(",") else { throw .unexpected(String(part)) }
        chip = String(moniker.rest[..<slash])
        wired = try WiredLine(part.dropFirst(7), for: "button", isInput: true)
    }

    /// As far as the words say it: a chip has several names, and the kernel lends a line only once.
    func isTheSameLine(as other: ButtonMoniker?) -> Bool {
        chip == other?.chip && wired.line == other?.wired.line
    }
}
