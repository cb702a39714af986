/// A set of statements, in the order they were made, and where in the document each was written.
public struct Dataset: Sendable {
    public private(set) var quads: [Quad] = []
    /// For each quad the place it was first written; `Journal.pointer` spells it out.
    public private(set) var origins: [Origin] = []
    private var known: Set<Quad> = []
    /// Of the statements as canonical N-Quads, not counting escapes and the names of blank nodes.
    private(set) var octets = 0

    public init(_ quads: some Sequence<Quad> = []) {
        // What a small credential has, so that it is not all hashed again as the set grows.
        known.reserveCapacity(96)
        self.quads.reserveCapacity(96)
        for quad in quads { insert(quad, from: .root) }
    }

    mutating func insert(_ quad: Quad, from origin: Origin) {
        guard known.insert(quad).inserted else { return }
        quads.append(quad)
        origins.append(origin)
        octets += NQuads.size(of: quad)
    }
}
