import Cryptography
import JSON
import Testing

@testable import LinkedData

/// A document without steps left is noticed in every phase, by that phase's own count.
@Suite struct StepBudgetTests {
    private static let none = LinkedDataLimits(steps: 0)
    /// Enough, and too few for anything.
    private static let budgets = [LinkedDataLimits.standard.steps, 0]

    private static func contexts(steps: Int = 0) -> ContextProcessor {
        let store = ContextStore([:]), limits = LinkedDataLimits(steps: steps)
        return ContextProcessor(store: store, limits: limits, kept: ContextCache(), work: DocumentWork(limits: limits, store: store))
    }

    private static func refusal(_ body: () throws -> Void) -> LinkedDataError? {
        do {
            try body()
            return nil
        } catch {
            return error as? LinkedDataError
        }
    }

    private static func expansion(_ steps: Int) -> Expansion {
        Expansion(contexts: contexts(steps: steps), documentURL: nil, ordered: false, omitted: nil)
    }

    private static let active = ActiveContext(ActiveContext.Body(base: nil), isPinned: true)

    /// Nothing is free, and what was too much stays so.
    @Test func spending() throws {
        var budget = StepBudget(10)
        try budget.spend(4)
        try budget.spend(0)
        #expect(budget.left == 5)
        try budget.spend(5)
        #expect(throws: LinkedDataError.tooComplex) { try budget.spend() }
        var short = StepBudget(3)
        #expect(throws: LinkedDataError.tooComplex) { try short.spend(4) }
        #expect(throws: LinkedDataError.tooComplex) { try short.spend(1) }
        var most = StepBudget(.max)
        try most.spend(.max)
        #expect(most.left == 0 && StepBudget(-1).left == 0)
    }

    /// A term's context that is a pinned file, beside that file itself: whatever is kept from the documents before, the steps are the same.
    @Test func stepsDoNotDependOnWhatIsKept() throws {
        let inner = (0..<50).map { #""x\#($0)":"urn:x\#($0)""# }.joined(separator: ",")
        let contexts = [
            "https://c.example/outer":
                #"{"@context":{"@version":1.1,"p":{"@id":"urn:p","@context":"https://c.example/inner"},"q":"urn:q"}}"#,
            "https://c.example/inner": "{\"@context\":{\(inner)}}",
        ]
        let term = #""p":{"x1":"1"}"#, file = #""q":{"@context":"https://c.example/inner","x1":"2"}"#
        let documents = try [term, file, "\(term),\(file)", "\(file),\(term)"].map {
            try Document.parse(#"{"@context":"https://c.example/outer",\#($0)}"#)
        }
        func steps(_ document: JSONValue, _ processor: inout LinkedDataProcessor) throws -> [Int] {
            var work = DocumentWork(limits: processor.limits, store: processor.store)
            _ = try processor.dataset(of: document, work: &work)
            return [work.steps.left, work.pinned.left]
        }
        for document in documents {
            var fresh = Document.processor(contexts)
            let alone = try steps(document, &fresh)
            for other in documents {
                var warm = Document.processor(contexts)
                _ = try steps(other, &warm)
                #expect(try steps(document, &warm) == alone)
            }
        }
    }

    @Test func contextProcessing() throws {
        let local = try Document.parse(#"{"a": "ex:a"}"#)
        var late = Self.contexts()
        #expect(Self.refusal { _ = try late.process(local, on: Self.active, ContextProcessor.Scope(), isPinned: false) } == .tooComplex)
        var early = Self.contexts(steps: 1_000)
        #expect(Self.refusal { _ = try early.process(local, on: Self.active, ContextProcessor.Scope(), isPinned: false) } == nil)
    }

    /// Each term is a step of its own: a context is not read to its end once there are no steps left.
    @Test func termDefinition() throws {
        for steps in Self.budgets {
            var contexts = Self.contexts(steps: steps)
            var draft = ContextDraft(
                local: LocalContext(try Document.parse(#"{"a": "ex:a"}"#)), body: Self.active.body, scope: ContextProcessor.Scope(),
                isProtected: false)
            #expect(Self.refusal { try contexts.createTerm(0, in: &draft) } == (steps > 0 ? nil : .tooComplex))
        }
    }

    @Test(arguments: [#"{}"#, #"[]"#, "1", "null"]) func expansionOfAnElement(_ text: String) throws {
        let value = try Document.parse(text)
        for steps in Self.budgets {
            var expansion = Self.expansion(steps)
            let refusal = Self.refusal { _ = try expansion.expand(value, .root, property: "ex:p", Self.active, depth: 0) }
            #expect(refusal == (steps > 0 ? nil : .tooComplex))
        }
    }

    @Test func expansionOfMembers() throws {
        let members = [Member(name: "undefined", value: try Document.parse("1"))]
        for steps in Self.budgets {
            var expansion = Self.expansion(steps)
            var result = ExpandedObject()
            let frame = Expansion.Frame(active: Self.active, typeScoped: Self.active, property: nil, inputType: nil, depth: 0)
            let refusal = Self.refusal { try expansion.expandMembers(members, .root, frame, into: &result) }
            #expect(refusal == (steps > 0 ? nil : .tooComplex))
        }
    }

    @Test(arguments: [#"{"ex:p": 1}"#, #"{"@type": "ex:T"}"#]) func conversion(_ text: String) throws {
        var processor = Document.processor()
        let (expanded, journal) = try processor.expand(try Document.parse(text))
        for steps in Self.budgets {
            var conversion = Conversion(journal: journal, limits: .standard, steps: StepBudget(steps))
            #expect(Self.refusal { try conversion.convert(expanded) } == (steps > 0 ? nil : .tooComplex))
        }
    }

    /// Inside a node as well: the many types of one node are no single step.
    @Test func conversionOfTypes() throws {
        var processor = Document.processor()
        let (expanded, journal) = try processor.expand(try Document.parse(#"{"@type": ["ex:T", "ex:U"]}"#))
        let types = try #require(expanded.first?.object?[.atType])
        for steps in Self.budgets {
            var conversion = Conversion(journal: journal, limits: .standard, steps: StepBudget(steps))
            let refusal = Self.refusal { try conversion.types(types, of: .iri("ex:s"), in: .standard) }
            #expect(refusal == (steps > 0 ? nil : .tooComplex))
        }
    }

    // MARK: Canonicalization

    private static let pair = [
        Quad(.blankNode("a"), .iri("ex:p"), .blankNode("b")), Quad(.blankNode("b"), .iri("ex:p"), .blankNode("a")),
    ]

    /// A run that has steps left until the step that is tried.
    private static func step(_ body: (inout Canonicalization) throws -> Void) -> [LinkedDataError?] {
        budgets.map { steps in
            var run = Canonicalization(pair, .sha256, LinkedDataLimits(workFactor: 2), StepBudget(1_000))
            run.prepare()
            return refusal {
                for node in 0..<2 {
                    var lines = Lines()
                    run.firstDegree.append(try run.hashFirstDegree(node, &lines))
                }
                run.steps = StepBudget(steps)
                try body(&run)
            }
        }
    }

    @Test func firstDegree() {
        #expect(
            Self.step { run in
                var lines = Lines()
                _ = try run.hashFirstDegree(0, &lines)
            } == [nil, .tooComplex])
    }

    @Test func relatedNodes() {
        #expect(
            Self.step { _ = try $0.hashRelated(1, Self.pair[0], IdentifierIssuer(prefix: "b", nodes: 2), .object) } == [nil, .tooComplex])
    }

    /// Where every node has a name already, all that is left is to try the orders.
    @Test func permutations() {
        var issuer = IdentifierIssuer(prefix: "b", nodes: 2)
        for node in 0..<2 { issuer.issue(node) }
        #expect(Self.step { _ = try $0.shortestPath([0, 1], issuer) } == [nil, .tooComplex])
    }

    @Test func nDegree() {
        #expect(Self.step { _ = try $0.hashNDegree(0, IdentifierIssuer(prefix: "b", nodes: 2)) } == [nil, .tooComplex])
    }

    @Test func lines() {
        #expect(Self.step { _ = try $0.finished() } == [nil, .tooComplex])
    }

    @Test func canonicalJSON() throws {
        let value = try Document.parse(#"{"a": [1, "b"]}"#)
        for steps in Self.budgets {
            var budget = StepBudget(steps)
            #expect(Self.refusal { _ = try CanonicalJSON.bytes(of: value, steps: &budget) } == (steps > 0 ? nil : .tooComplex))
        }
    }

    @Test func wholeDocuments() throws {
        #expect(try Document.refusal(#"{"ex:p": 1}"#, limits: Self.none) == .tooComplex)
        #expect(try Document.refusal(#"{"ex:p": 1}"#, limits: LinkedDataLimits(steps: 100)) == nil)
        #expect(Self.refusal { _ = try Canonicalization.canonicalize(Dataset(Self.pair), limits: Self.none) } == .tooComplex)
    }
}
