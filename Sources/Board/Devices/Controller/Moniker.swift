/// Why a moniker was not understood. The associated text is the part of the moniker that is at fault.
public enum MonikerError: Error, Hashable, Sendable {
    /// There is no colon, or nothing before it.
    case noScheme(String)
    /// What stands before the colon is no scheme at all.
    case badScheme(String)
    /// The scheme is unknown, or names no device of the kind asked for; with those that do.
    case unknownScheme(String, known: [String])
    /// A part that the scheme needs is absent: "path", "port", "accept", ...
    case missing(String)
    /// A number is not a number or is out of range.
    case badNumber(String)
    /// The speed is none that a serial line of Linux can have.
    case badSpeed(String)
    /// What stands where a lamp and its line should.
    case unknownLamp(String)
    /// A part is not understood.
    case unexpected(String)
    /// A part appears twice.
    case repeated(String)
}

/// The name of a device: a scheme, a colon, and what that scheme needs.
///
/// One grammar for every device, the same on the command line and in a board profile: `hci:0`, `serial:/dev/ttyAMA0,3000000`,
/// `gpio:gpiochip0/accept=17,reject=27`, `fb:/dev/fb0`, `log:`.
public struct Moniker: Hashable, Sendable, CustomStringConvertible {
    /// Lower-case letters and digits.
    public let scheme: String
    /// Everything after the first colon; may be empty.
    public let rest: String

    public var description: String { "\(scheme):\(rest)" }

    /// - Throws: `noScheme`, or `unexpected` for a control character, which no device name has and which would end up in log lines.
    public init(_ text: String) throws(MonikerError) {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")), colon > text.startIndex else {
            throw .noScheme(text)
        }
        let scheme = text[..<colon]
        guard scheme.utf8.allSatisfy({ (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) }) else {
            throw .badScheme(String(scheme))
        }
        guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { throw .unexpected(text) }
        self.scheme = String(scheme)
        rest = String(text[text.utf8.index(after: colon)...])
    }

    /// The rest, for a scheme that takes exactly one path.
    func path() throws(MonikerError) -> String {
        if rest.isEmpty { throw .missing("path") }
        return rest
    }

    /// For a scheme that takes nothing.
    func nothing() throws(MonikerError) {
        if !rest.isEmpty { throw .unexpected(rest) }
    }

    /// A decimal number without sign, from `text`, no larger than `limit`.
    static func number(_ text: some StringProtocol, upTo limit: UInt32) throws(MonikerError) -> UInt32 {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let value = UInt32(text), value <= limit else {
            throw .badNumber(String(text))
        }
        return value
    }
}

/// Where the Bluetooth controller is.
public enum HCIMoniker: Hashable, Sendable {
    /// `hci:0`: the kernel's user channel on controller hci0.
    case userChannel(index: UInt16)
    /// `serial:/dev/ttyAMA0,3000000`: H4 on a UART with RTS/CTS; 115200 baud when no speed is given.
    case serial(path: String, baud: UInt32)
    /// `unix:/run/air.sock`: H4 on a unix stream socket.
    case unix(path: String)
    /// `tcp:127.0.0.1:6402` or `tcp:[::1]:6402`: H4 on TCP. A numeric address, because a gate asks no name server.
    case tcp(host: String, port: UInt16)

    static let schemes = ["hci", "serial", "unix", "tcp"]

    public init(_ moniker: Moniker) throws(MonikerError) {
        switch moniker.scheme {
        case "hci":
            // 0xFFFF means "no controller" to the kernel.
            self = .userChannel(index: UInt16(try Moniker.number(moniker.rest, upTo: 0xFFFE)))
        case "serial":
            let parts = moniker.rest.split(separator: ",", maxSplits: 1, omittingEmptySubsequences: false)
            guard let path = parts.first, !path.isEmpty else { throw .missing("path") }
            let baud = parts.count > 1 ? try Moniker.number(parts[1], upTo: 4_000_000) : 115_200
            guard SerialPort.speed(baud) != nil else { throw .badSpeed(String(baud)) }
            self = .serial(path: String(path), baud: baud)
        case "unix":
            self = .unix(path: try moniker.path())
        case "tcp":
            guard let colon = moniker.rest.lastIndex(of: ":") else { throw .missing("port") }
            var host = moniker.rest[..<colon]
            if host.hasPrefix("[") && host.hasSuffix("]") { host = host.dropFirst().dropLast() }
            guard !host.isEmpty else { throw .missing("host") }
            let port = UInt16(try Moniker.number(moniker.rest[moniker.rest.index(after: colon)...], upTo: 0xFFFF))
            guard port != 0 else { throw .badNumber("0") }
            self = .tcp(host: String(host), port: port)
        default:
            throw .unknownScheme(moniker.scheme, known: Self.schemes)
        }
    }

    public init(_ text: String) throws(MonikerError) {
        try self.init(try Moniker(text))
    }

    /// The link this moniker names, closed.
    public func makeLink() -> any HCILink {
        switch self {
        case .userChannel(let index): UserChannel(index: index)
        case .serial, .unix, .tcp: StreamLink(self)
        }
    }
}
