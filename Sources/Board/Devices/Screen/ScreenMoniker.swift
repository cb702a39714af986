/// What shows the visitor the code to scan.
public enum ScreenMoniker: Hashable, Sendable {
    /// `fb:/dev/fb0`: a framebuffer.
    case framebuffer(path: String)
    /// `terminal:`: standard output.
    case terminal
    /// `none:`: no screen; somebody else shows the code.
    case none

    static let schemes = ["fb", "terminal", "none"]

    public init(_ moniker: Moniker) throws(MonikerError) {
        switch moniker.scheme {
        case "fb": self = .framebuffer(path: try moniker.path())
        case "terminal":
            try moniker.nothing()
            self = .terminal
        case "none":
            try moniker.nothing()
            self = .none
        default: throw .unknownScheme(moniker.scheme, known: Self.schemes)
        }
    }

    public init(_ text: String) throws(MonikerError) {
        try self.init(try Moniker(text))
    }
}
