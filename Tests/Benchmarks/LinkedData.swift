import CMallocCount
import HostileDocuments
import JSON
import LinkedData

/// Milliseconds.
private let goal = 50.0

/// The longest a document can make canonicalization last within the limits, and the most memory it can take. The time is the least of many, so that it
/// is the document's and not the machine's.
func benchPoison(isVerbose: Bool) {
    var slowest = (time: 0.0, name: ""), largest = (octets: UInt64(0), name: "")
    var refused = 0, mostSteps = 0
    for document in HostileDocument.all {
        let octets = document.octets
        var outcome = "", steps = 0
        func run() {
            var processor = LinkedDataProcessor(store: ContextStore(document.contexts.mapValues { Array($0.utf8) }))
            var work = DocumentWork(limits: processor.limits, store: processor.store)
            defer { steps = processor.limits.steps - work.steps.left }
            do {
                let result = try processor.dataset(of: try JSONDocument(parsing: octets).root, work: &work)
                keep(try Canonicalization.canonicalize(result.dataset, steps: &work.steps).hash(.sha256))
                keep(result.journal.dropped.count)
                outcome = "\(result.dataset.quads.count) statements"
            } catch {
                outcome = "\(error)"
            }
        }
        malloc_peak_begin()
        run()
        let peak = malloc_peak_end()
        let time = least(rounds: 5, run)
        mostSteps = max(mostSteps, steps)
        if outcome == "tooComplex" { refused += 1 }
        if time > slowest.time { slowest = (time, document.name) }
        if peak > largest.octets { largest = (peak, document.name) }
        if isVerbose { print("poison, \(document.name), \(octets.count) octets: \(text(time / 1e6, 1)) ms, \(peak / 1024) kB, \(steps) steps, \(outcome)") }
    }
    let count = HostileDocument.all.count
    print("poison: worst of \(count) inputs \(text(slowest.time / 1e6, 1)) ms (\(slowest.name)), \(refused) of them refused; goal \(text(goal, 0)) ms, which is 500 ms of a Cortex-A53 at a tenth of the speed")
    print("poison: most steps \(mostSteps) of \(LinkedDataLimits.standard.steps)")
    print("poison: most heap \(largest.octets / 1024) kB (\(largest.name))")
}
