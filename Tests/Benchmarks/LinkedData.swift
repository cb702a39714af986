import CMallocCount
import HostileDocuments
import JSON
import LinkedData

/// The longest a document can make canonicalization last within the limits, and the most memory it can take, with no deadline to stop it.
func benchPoison(isVerbose: Bool) {
    var slowest = (time: 0.0, name: ""), largest = (octets: UInt64(0), name: "")
    var refused = 0
    for document in HostileDocument.all {
        let octets = document.octets
        var outcome = ""
        func run() {
            var processor = LinkedDataProcessor(store: ContextStore(document.contexts.mapValues { Array($0.utf8) }))
            do {
                let result = try processor.dataset(of: try JSONDocument(parsing: octets).root)
                keep(try Canonicalization.canonicalize(result.dataset).hash(.sha256))
                keep(result.journal.dropped.count)
                outcome = "\(result.dataset.quads.count) statements"
            } catch {
                outcome = "\(error)"
            }
        }
        malloc_peak_begin()
        run()
        let peak = malloc_peak_end()
        let time = median(rounds: 3, run)
        if outcome == "tooComplex" { refused += 1 }
        if time > slowest.time { slowest = (time, document.name) }
        if peak > largest.octets { largest = (peak, document.name) }
        if isVerbose { print("poison, \(document.name), \(octets.count) octets: \(text(time / 1e6, 1)) ms, \(peak / 1024) kB, \(outcome)") }
    }
    let count = HostileDocument.all.count
    print("poison: worst of \(count) inputs \(text(slowest.time / 1e6, 1)) ms (\(slowest.name)), \(refused) of them refused; goal 500 ms")
    print("poison: most heap \(largest.octets / 1024) kB (\(largest.name))")
}
