/// Which encodings a parser accepts and how much it is willing to look at. Exceeding a limit is an error, never a truncation.
public struct CBOROptions: Hashable, Sendable {
    /// How near to the deterministic encoding the bytes have to be.
    public enum Form: Int, Hashable, Sendable, Comparable {
        /// Arguments may take more bytes than they need.
        case wellFormed
        /// Every argument in its shortest form: the preferred serialization (RFC 8949 section 4.1) except for floats, which keep the width
        /// they have.
        case shortest
        /// The core deterministic encoding (RFC 8949 section 4.2.1): shortest floats, sorted keys and no indefinite lengths too.
        case deterministic

        public static func < (left: Form, right: Form) -> Bool { left.rawValue < right.rawValue }
    }

    public var form: Form
    /// Whether lengths may be indefinite (RFC 8949 section 3.2); never in the deterministic form.
    public var allowsIndefinite: Bool
    /// Bytes of the whole encoding. Offsets are kept in 32 bits, so values above 2 GiB have no further effect.
    public var bytes: Int
    /// Open arrays, maps, tags and chunked strings at one time; a bare integer has depth 0.
    public var depth: Int
    /// Items of every type together, keys and tags included.
    public var items: Int

    /// The limits are those of a credential, as in `JSONLimits`.
    public init(
        form: Form = .shortest, allowsIndefinite: Bool = false, bytes: Int = 16 << 20, depth: Int = 32, items: Int = 20_000
    ) {
        self.form = form
        self.allowsIndefinite = allowsIndefinite
        self.bytes = min(max(bytes, 0), Int(Int32.max))
        self.depth = max(depth, 0)
        self.items = max(items, 0)
    }

    /// Definite lengths and shortest arguments: what issuers write.
    public static let standard = CBOROptions()
    /// Only the one encoding a value has: what this product writes itself.
    public static let deterministic = CBOROptions(form: .deterministic)
    /// Everything well-formed, for documents of other vendors' software.
    public static let tolerant = CBOROptions(form: .wellFormed, allowsIndefinite: true)
}
