import CMallocCount
import HostileDocuments
import JSON
import LinkedData

/// Milliseconds.
private let goal = 50.0

/// What one document costs without anything known before.
private struct PoisonFigures {
    /// Nanoseconds, the least of some runs: what a busy machine adds is not the document's.
    var time = 0.0
    /// Octets of heap at one time.
    var peak: UInt64 = 0
    var steps = 0
    var outcome = ""

    init(_ document: HostileDocument) {
        malloc_peak_begin()
        run(document)
        peak = malloc_peak_end()
        time = least(rounds: 5) { run(document) }
    }

    private mutating func run(_ document: HostileDocument) {
        var processor = LinkedDataProcessor(store: ContextStore(document.contexts.mapValues { Array($0.utf8) }))
        var work = DocumentWork(limits: processor.limits, store: processor.store)
        defer { steps = processor.limits.steps - work.steps.left }
        do {
            let result = try processor.dataset(of: try JSONDocument(parsing: document.octets).root, work: &work)
            keep(try Canonicalization.canonicalize(result.dataset, steps: &work.steps).hash(.sha256))
            keep(result.journal.dropped.count)
            outcome = "\(result.dataset.quads.count) statements"
        } catch {
            outcome = "\(error)"
        }
    }

    func line(_ document: HostileDocument) -> String {
        "poison, \(document.name), \(document.octets.count) octets: \(text(time / 1e6, 1)) ms, \(peak / 1024) kB, \(steps) steps, \(outcome)"
    }
}

/// The longest a document can make canonicalization last within the limits, and the most memory it can take.
func benchPoison(isVerbose: Bool) {
    let all = HostileDocument.all.map { (document: $0, figures: PoisonFigures($0)) }
    if isVerbose { for one in all { print(one.figures.line(one.document)) } }
    let refused = all.count { $0.figures.outcome == "tooComplex" }
    if let slowest = all.max(by: { $0.figures.time < $1.figures.time }), let largest = all.max(by: { $0.figures.peak < $1.figures.peak }) {
        print(
            "poison: worst of \(all.count) inputs \(text(slowest.figures.time / 1e6, 1)) ms (\(slowest.document.name)), \(refused) of them refused; "
                + "goal \(text(goal, 0)) ms, which is 500 ms of a Cortex-A53 at a tenth of the speed")
        print("poison: most heap \(largest.figures.peak / 1024) kB (\(largest.document.name))")
    }
    // No part of the goal: who pins such a context has chosen it.
    for document in HostileDocument.large { print(PoisonFigures(document).line(document)) }
}
