/// What shows the visitor the code to scan.
public enum ScreenMoniker: Hashable, Sendable {
    /// `fb:/dev/fb0[,rotate=90][,scale=120]`: a framebuffer.
    case framebuffer(path: String, ScreenView = ScreenView())
    /// `terminal:`: standard output.
    case terminal
    /// `none:`: no screen; somebody else shows the code.
    case none

    static let schemes = ["fb", "terminal", "none"]

    public init(_ moniker: Moniker) throws(MonikerError) {
        switch moniker.scheme {
        case "fb": self = try Self.framebuffer(try moniker.path())
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

    private static func framebuffer(_ rest: String) throws(MonikerError) -> ScreenMoniker {
        let parts = rest.split(separator: ",", omittingEmptySubsequences: false)
        guard let path = parts.first, !path.isEmpty else { throw .missing("path") }
        var view = ScreenView(), seen: Set<Substring> = []
        for part in parts.dropFirst() {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2 else { throw .unexpected(String(part)) }
            guard seen.insert(pair[0]).inserted else { throw .repeated(String(pair[0])) }
            let number = try Moniker.number(pair[1], upTo: 999)
            switch pair[0] {
            case "rotate":
                guard let rotation = ScreenView.Rotation(rawValue: number) else { throw .badNumber(String(pair[1])) }
                view.rotation = rotation
            case "scale":
                guard ScreenView.scales.contains(Int(number)) else { throw .badNumber(String(pair[1])) }
                view.scale = Int(number)
            default: throw .unexpected(String(part))
            }
        }
        return .framebuffer(path: String(path), view)
    }
}
