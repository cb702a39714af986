/// How much of a text the parser is willing to look at. Exceeding a limit is an error, never a truncation.
public struct JSONLimits: Hashable, Sendable {
    /// Octets of the whole text. Offsets are kept in 32 bits, so values above 2 GiB have no further effect.
    public var bytes: Int
    /// Open arrays and objects at one time; a bare scalar has depth 0.
    public var depth: Int
    /// Values and member names together.
    public var nodes: Int
    /// Octets of one number.
    public var numberBytes: Int

    /// The defaults are those of a credential: depth 32 and 20,000 nodes; 16 MiB is the inflated-message buffer.
    public init(bytes: Int = 16 << 20, depth: Int = 32, nodes: Int = 20_000, numberBytes: Int = 256) {
        self.bytes = min(max(bytes, 0), Int(Int32.max))
        self.depth = max(depth, 0)
        self.nodes = max(nodes, 0)
        self.numberBytes = max(numberBytes, 0)
    }

    public static let standard = JSONLimits()
}
