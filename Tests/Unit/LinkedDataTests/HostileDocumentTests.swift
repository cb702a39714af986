import HostileDocuments
import JSON
import Testing

@testable import LinkedData

/// Whatever a document is built to cost: it becomes a dataset, or it is refused as too complex, and after the same steps each time.
@Suite struct HostileDocumentTests {
    /// Why the document is refused, and what is left of its steps.
    private func run(
        _ document: HostileDocument, _ processor: inout LinkedDataProcessor
    ) throws -> (refusal: LinkedDataError?, work: DocumentWork) {
        let root = try JSONDocument(parsing: document.octets).root
        var work = DocumentWork(limits: processor.limits, store: processor.store)
        do throws(LinkedDataError) {
            let dataset = try processor.dataset(of: root, work: &work).dataset
            _ = try Canonicalization.canonicalize(dataset, limits: processor.limits, steps: &work.steps).hash(.sha256)
            return (nil, work)
        } catch {
            return (error, work)
        }
    }

    /// The second time, the contexts are known from the first: that must not be what decides.
    @Test(arguments: HostileDocument.all) func endsWellAndAlways(_ document: HostileDocument) throws {
        var processor = Document.processor(document.contexts)
        let first = try run(document, &processor), second = try run(document, &processor)
        #expect(first.refusal == nil || first.refusal == .tooComplex)
        #expect(second.refusal == first.refusal)
        #expect(second.work.steps == first.work.steps)
        #expect(second.work.pinned == first.work.pinned)
    }

    @Test(arguments: HostileDocument.all) func endsAtOnceWithoutSteps(_ document: HostileDocument) throws {
        var processor = Document.processor(document.contexts, limits: LinkedDataLimits(steps: 0))
        #expect(try run(document, &processor).refusal == .tooComplex)
    }
}
