import CMallocCount
import HostileDocuments
import JSON
import LinkedData

/// The most any hostile document takes at one time, its contexts included, against what is stated.
func weighVerifications() -> Bool {
    var largest = (octets: UInt64(0), name: "")
    for document in HostileDocument.all {
        let octets = document.octets
        malloc_peak_begin()
        var processor = LinkedDataProcessor(store: ContextStore(document.contexts.mapValues { Array($0.utf8) }))
        do {
            let result = try processor.dataset(of: try JSONDocument(parsing: octets).root)
            _ = try Canonicalization.canonicalize(result.dataset).hash(.sha256)
            _ = result.journal.dropped
        } catch {
            // Refused is as good: what it took until then counts.
        }
        let peak = malloc_peak_end()
        if peak > largest.octets { largest = (peak, document.name) }
    }
    let stated = VerificationBounds.total
    print("allocation: a JSON-LD document takes at most \(largest.octets / 1024) kB (\(largest.name)); stated \(stated / 1024) kB")
    return largest.octets <= UInt64(stated)
}
