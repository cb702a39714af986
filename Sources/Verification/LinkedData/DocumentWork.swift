/// What is counted and kept while one document is worked on, by as many calls as its proofs need. Made for the document, and gone with it.
public struct DocumentWork: Sendable {
    /// For what the document says and brings along.
    public var steps: StepBudget
    /// For pinned contexts, each counted once for each context that it is put on top of. Whether the processor knows the result already
    /// makes no difference: what is in its cache depends on who was there before.
    var pinned: StepBudget
    /// Contexts of this document.
    var contexts = ContextCache(capacity: 4_096)

    public init(limits: LinkedDataLimits, store: ContextStore) {
        steps = StepBudget(limits.steps)
        // As much as the largest context may take, however many issuers' contexts there are beside it: a stranger may name them all.
        pinned = StepBudget(limits.pinnedSteps + min(store.octets, limits.pinnedContextBytes) / LinkedDataLimits.pinnedOctetsPerStep)
    }

    /// Hands the work over, and keeps no second reference to its contexts: with two owners, the first one added would copy them all.
    public mutating func take() -> DocumentWork {
        let work = self
        contexts = ContextCache()
        return work
    }
}
