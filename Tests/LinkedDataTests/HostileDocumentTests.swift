import HostileDocuments
import JSON
import LinkedData
import Testing

/// Whatever a document is built to cost: it becomes a dataset, or it is refused as too complex. With the deadline of a gate, so that a build
/// without optimization gets through them too.
@Suite struct HostileDocumentTests {
    private func refusal(_ document: HostileDocument, _ limits: LinkedDataLimits) throws -> LinkedDataError? {
        var processor = Document.processor(document.contexts, limits: limits)
        let root = try JSONDocument(parsing: document.octets).root
        do throws(LinkedDataError) {
            _ = try Canonicalization.canonicalize(try processor.dataset(of: root).dataset, limits: limits).hash(.sha256)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: HostileDocument.all) func endsWell(_ document: HostileDocument) throws {
        let refusal = try refusal(document, LinkedDataLimits(deadline: Deadline(after: .milliseconds(500))))
        #expect(refusal == nil || refusal == .tooComplex)
    }

    @Test(arguments: HostileDocument.all) func endsAtOnceWhenTimeIsUp(_ document: HostileDocument) throws {
        #expect(try refusal(document, LinkedDataLimits(deadline: Deadline(nanoseconds: 0))) == .tooComplex)
    }
}
