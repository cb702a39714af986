/// How much work a stranger's document may cause. Exceeding any of these is `LinkedDataError.tooComplex`, never a truncation.
public struct LinkedDataLimits: Hashable, Sendable {
    /// Octets of the document. Whoever receives one may refuse it earlier; here no caller can forget to.
    public var documentBytes: Int
    /// Open arrays and objects of the document, and nested scoped contexts.
    public var depth: Int
    /// Values of the document that expansion visits.
    public var nodes: Int
    /// Documents that name one another as context.
    public var contextChain: Int
    /// Octets of one context of the document's own.
    public var contextBytes: Int
    /// Octets of one pinned context: those of a file in a trust bundle.
    public var pinnedContextBytes: Int
    /// Statements of the dataset.
    public var quads: Int
    /// Blank nodes of the dataset.
    public var blankNodes: Int
    /// Calls of Hash N-Degree Quads for one node are at most the number of indistinguishable blank nodes to this power (RDFC-1.0 section
    /// 7.1).
    public var workFactor: Int
    /// Orders of related blank nodes tried by Hash N-Degree Quads, over the whole dataset.
    public var permutations: Int
    /// Related blank nodes hashed by Hash N-Degree Quads, over the whole dataset.
    public var neighbours: Int
    /// Octets of what is made out of a document, for each kind of it: IRIs put together from terms, lines of the dataset, pointers to where
    /// things were written. A long name in a document of many short members would be repeated in each.
    public var octets: Int
    /// All of the work on one document, in steps of `StepBudget`. Counted inside every loop.
    public var steps: Int
    /// The same for pinned contexts, beside what the octets of all of them allow.
    public var pinnedSteps: Int

    /// Pinned octets that allow for one step more: who pins a large context pays for it.
    static let pinnedOctetsPerStep = 3

    public init(
        documentBytes: Int = 1_500_000, depth: Int = 32, nodes: Int = 20_000, contextChain: Int = 16, contextBytes: Int = 64 << 10,
        pinnedContextBytes: Int = 1 << 20, quads: Int = 4_000, blankNodes: Int = 256, workFactor: Int = 1, permutations: Int = 10_000,
        neighbours: Int = 50_000, octets: Int = 4 << 20, steps: Int = 70_000, pinnedSteps: Int = 10_000
    ) {
        self.documentBytes = documentBytes
        self.depth = depth
        self.nodes = nodes
        self.contextChain = contextChain
        self.contextBytes = contextBytes
        self.pinnedContextBytes = pinnedContextBytes
        self.quads = quads
        self.blankNodes = blankNodes
        self.workFactor = workFactor
        self.permutations = permutations
        self.neighbours = neighbours
        self.octets = octets
        self.steps = steps
        self.pinnedSteps = pinnedSteps
    }

    /// What a credential needs, with room to spare.
    public static let standard = LinkedDataLimits()
}
