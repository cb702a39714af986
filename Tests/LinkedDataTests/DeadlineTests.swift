import Cryptography
import JSON
@testable import LinkedData
import Testing

/// A deadline that has passed is noticed in every phase, by that phase's own look at the clock.
@Suite struct DeadlineTests {
    private static let passed = Deadline(nanoseconds: 0)
    private static let limits = LinkedDataLimits(deadline: passed)

    private static func contexts(_ documents: [String: String] = [:], deadline: Deadline? = passed) -> ContextProcessor {
        ContextProcessor(
            store: ContextStore(documents.mapValues { Array($0.utf8) }), limits: LinkedDataLimits(deadline: deadline), kept: ContextCache())
    }

    private static func refusal(_ body: () throws -> Void) -> LinkedDataError? {
        do {
            try body()
            return nil
        } catch {
            return error as? LinkedDataError
        }
    }

    private static func expansion(_ deadline: Deadline?) -> Expansion {
        Expansion(contexts: contexts(deadline: deadline), documentURL: nil, ordered: false, omitted: nil)
    }

    private static let active = ActiveContext(ActiveContext.Body(base: nil), isPinned: true)

    @Test func passing() {
        #expect(Self.passed.hasPassed)
        #expect(Deadline(after: .zero).hasPassed)
        #expect(Deadline(after: .seconds(-1)).hasPassed)
        #expect(!Deadline(after: .seconds(3_600)).hasPassed)
        #expect(Deadline(after: .seconds(Int64.max)).nanoseconds == .max)
        #expect(Deadline(after: .milliseconds(500)).nanoseconds < Deadline(after: .milliseconds(600)).nanoseconds)
    }

    /// The clock is read at the first step and once in a hundred; what counts for several steps is several.
    @Test func interval() throws {
        var watch = DeadlineWatch(Self.passed)
        #expect(throws: LinkedDataError.tooComplex) { try watch.check() }
        var late = DeadlineWatch(Deadline(after: .seconds(3_600)))
        for _ in 0..<1_000 { try late.check(steps: 7) }
        var never = DeadlineWatch(nil)
        for _ in 0..<1_000 { try never.check() }
    }

    @Test func contextProcessing() throws {
        let local = try Document.parse(#"{"a": "ex:a"}"#)
        var late = Self.contexts()
        #expect(Self.refusal { _ = try late.process(local, on: Self.active, ContextProcessor.Scope(), isPinned: false) } == .tooComplex)
        var early = Self.contexts(deadline: nil)
        #expect(Self.refusal { _ = try early.process(local, on: Self.active, ContextProcessor.Scope(), isPinned: false) } == nil)
    }

    /// Each term is a step of its own: a context is not read to its end once time is up.
    @Test func termDefinition() throws {
        for deadline in [nil, Self.passed] {
            var contexts = Self.contexts(deadline: deadline)
            var draft = ContextDraft(
                local: LocalContext(try Document.parse(#"{"a": "ex:a"}"#)), body: Self.active.body, scope: ContextProcessor.Scope(), isProtected: false)
            #expect(Self.refusal { try contexts.createTerm(0, in: &draft) } == (deadline == nil ? nil : .tooComplex))
        }
    }

    @Test(arguments: [#"{}"#, #"[]"#, "1", "null"]) func expansionOfAnElement(_ text: String) throws {
        let value = try Document.parse(text)
        for deadline in [nil, Self.passed] {
            var expansion = Self.expansion(deadline)
            let refusal = Self.refusal { _ = try expansion.expand(value, .root, property: "ex:p", Self.active, depth: 0) }
            #expect(refusal == (deadline == nil ? nil : .tooComplex))
        }
    }

    @Test func expansionOfMembers() throws {
        let members = [Member(name: "undefined", value: try Document.parse("1"))]
        for deadline in [nil, Self.passed] {
            var expansion = Self.expansion(deadline)
            var result = ExpandedObject()
            let frame = Expansion.Frame(active: Self.active, typeScoped: Self.active, property: nil, inputType: nil, depth: 0)
            let refusal = Self.refusal { try expansion.expandMembers(members, .root, frame, into: &result) }
            #expect(refusal == (deadline == nil ? nil : .tooComplex))
        }
    }

    @Test(arguments: [#"{"ex:p": 1}"#, #"{"@type": "ex:T"}"#]) func conversion(_ text: String) throws {
        var processor = Document.processor()
        let (expanded, journal) = try processor.expand(try Document.parse(text))
        for deadline in [nil, Self.passed] {
            var conversion = Conversion(journal: journal, limits: LinkedDataLimits(deadline: deadline))
            #expect(Self.refusal { try conversion.convert(expanded) } == (deadline == nil ? nil : .tooComplex))
        }
    }

    /// Inside a node as well: the many types of one node are no single step.
    @Test func conversionOfTypes() throws {
        var processor = Document.processor()
        let (expanded, journal) = try processor.expand(try Document.parse(#"{"@type": ["ex:T", "ex:U"]}"#))
        let types = try #require(expanded.first?.object?[.atType])
        for deadline in [nil, Self.passed] {
            var conversion = Conversion(journal: journal, limits: LinkedDataLimits(deadline: deadline))
            let refusal = Self.refusal { try conversion.types(types, of: .iri("ex:s"), in: .standard) }
            #expect(refusal == (deadline == nil ? nil : .tooComplex))
        }
    }

    // MARK: Canonicalization

    private static let pair = [
        Quad(.blankNode("a"), .iri("ex:p"), .blankNode("b")), Quad(.blankNode("b"), .iri("ex:p"), .blankNode("a")),
    ]

    /// A run whose time is not up until the step that is tried.
    private static func step(_ body: (inout Canonicalization) throws -> Void) -> [LinkedDataError?] {
        [nil, passed].map { deadline in
            var run = Canonicalization(pair, .sha256, LinkedDataLimits(workFactor: 2))
            run.prepare()
            return refusal {
                for node in 0..<2 {
                    var lines = Lines()
                    run.firstDegree.append(try run.hashFirstDegree(node, &lines))
                }
                run.watch = DeadlineWatch(deadline)
                try body(&run)
            }
        }
    }

    @Test func firstDegree() {
        #expect(Self.step { run in
            var lines = Lines()
            _ = try run.hashFirstDegree(0, &lines)
        } == [nil, .tooComplex])
    }

    @Test func relatedNodes() {
        #expect(Self.step { _ = try $0.hashRelated(1, Self.pair[0], IdentifierIssuer(prefix: "b", nodes: 2), .object) } == [nil, .tooComplex])
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

    @Test func wholeDocuments() throws {
        #expect(try Document.refusal(#"{"ex:p": 1}"#, limits: Self.limits) == .tooComplex)
        #expect(try Document.refusal(#"{"ex:p": 1}"#, limits: LinkedDataLimits(deadline: Deadline(after: .seconds(3_600)))) == nil)
        #expect(Self.refusal { _ = try Canonicalization.canonicalize(Dataset(Self.pair), limits: Self.limits) } == .tooComplex)
    }
}
