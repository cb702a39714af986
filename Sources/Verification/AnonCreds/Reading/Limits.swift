import JSON

/// How much of a stranger's presentation is looked at (anoncreds.md section 12).
enum Limits {
    /// Octets of a presentation, which is what the transport takes.
    static let message = 512 << 10
    /// Octets of one string: a portrait has some 30 thousand.
    static let text = 256 << 10
    /// `c_list` of the largest presentation has some 30 thousand numbers.
    static let json = JSONLimits(bytes: message, depth: 16, nodes: 65_536)
    static let messagePack = 256 << 10
    static let messagePackDepth = 8
    static let messagePackValues = 65_536

    static let digits = 1200
    /// Of an integer as an array of octets.
    static let integerOctets = 400
    static let subProofs = 8
    /// In all sub-proofs together.
    static let predicates = 16
    static let attributes = 125
    /// Referents of each kind.
    static let referents = 16
    static let commitments = subProofs * (7 + 1) + predicates * 5
    static let commitmentOctets = 512
    /// Bits of all exponents: seven seconds on the slowest board.
    static let exponentBits = 450_000
}
