import CBOR
import Cryptography
import Envelopes

/// The roots of a list, each with the documents of all its entries, and the entries that gave none (mdoc.md section 6.2).
struct VICALRoots {
    private(set) var roots: [IssuerRoot] = []
    private(set) var skipped: [VICAL.Skipped] = []
    /// Where the root of a certificate is, by its DER.
    private var places: [[UInt8]: Int] = [:]

    init(_ entries: [CBORItem]) {
        for (index, item) in entries.enumerated() {
            do throws(VICALEntryFault) {
                try add(VICALEntry(item))
            } catch {
                let fingerprint = VICALEntry.certificate(of: item).flatMap { der in try? Digest.hash(der.span, .sha256) }
                skipped.append(VICAL.Skipped(entry: index, fault: error, fingerprint: fingerprint))
            }
        }
    }

    private mutating func add(_ entry: VICALEntry) throws(VICALEntryFault) {
        let root = try entry.root()
        guard let place = places[entry.certificate] else {
            places[entry.certificate] = roots.count
            roots.append(root)
            return
        }
        // Listed again, for other documents: the provider vouches for both.
        let known = roots[place].docTypes ?? []
        let more = entry.docTypes.filter { docType in !known.contains { $0.isExactly(docType) } }
        guard known.count + more.count <= VICALLimits.docTypes else { throw .docTypes }
        if !more.isEmpty { roots[place] = try VICALEntry.root(entry.certificate, known + more) }
    }
}
