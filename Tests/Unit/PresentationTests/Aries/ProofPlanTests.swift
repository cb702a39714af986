import Envelopes
import Testing

@testable import Presentation
@testable import Trust

/// What can be asked, of what a site wishes and a bundle has.
@Suite("What is asked for a proof") struct ProofPlanTests {
    private func plan(
        _ wishes: ProofWishes, _ definitions: [BelievedDefinition], needsPortrait: Bool = false, at now: Seconds = ProofSamples.now
    ) throws -> ProofPlan {
        try ProofPlan(wishes, try ProofSamples.belief(definitions), needsPortrait: needsPortrait, at: now)
    }

    private func obstacle(_ wishes: ProofWishes, _ definitions: [BelievedDefinition], needsPortrait: Bool = false) -> ProofObstacle? {
        do { _ = try plan(wishes, definitions, needsPortrait: needsPortrait) } catch { return error as? ProofObstacle }
        return nil
    }

    @Test("an age is a predicate on the date of birth, an expiry one on its date, both by the site's day")
    func predicates() throws {
        let plan = try plan(ProofDesk.adult, [ProofSamples.definition(expiry: "Years")])
        let all = plan.predicates(ProofDesk.adult, on: 20_260_301)
        #expect(plan.names.isEmpty && all.map(\.referent) == ["age", "expiry"])
        // Who was born on 29 February 2008 is 18 on 1 March 2026, and not the day before.
        #expect(all.map(\.predicate) == [.init("birth_date", .atMost, 20_080_301), .init("Years", .atLeast, 20_260_301)])
    }

    @Test("a portrait is asked for only where faces are compared, and once")
    func portrait() throws {
        var wishes = ProofWishes()
        wishes.attributes = ["fullname", "PORTRAIT"]
        #expect(try plan(wishes, [ProofSamples.definition()]).names == ["Full Name", "portrait"])
        #expect(try plan(wishes, [ProofSamples.definition()], needsPortrait: true).names == ["Full Name", "portrait"])
        #expect(try plan(ProofDesk.adult, [ProofSamples.definition()], needsPortrait: true).names == ["portrait"])
        #expect(try plan(ProofDesk.adult, [ProofSamples.definition()]).names == [])
    }

    @Test("definitions that name it alike are asked for together, the others not; sixteen at the most")
    func together() throws {
        let other = ProofSamples.definition("other", attributes: ["born"], roles: [.birthDate: "born"])
        let alike = ProofSamples.definition("alike", roles: [.birthDate: "BIRTH_DATE", .portrait: "portrait"])
        #expect(
            try plan(ProofDesk.adult, [ProofSamples.definition(), other, alike]).definitions.map(\.id) == [ProofSamples.resident, "alike"])
        let many = (0..<20).map { ProofSamples.definition("d\($0)") }
        #expect(try plan(ProofDesk.adult, many).definitions.count == 16)
        var wishes = ProofDesk.adult
        wishes.definitions = ["d3", "d19", "nobody"]
        #expect(try plan(wishes, many).definitions.map(\.id) == ["d3", "d19"])
    }

    @Test("what cannot be asked has its reason")
    func obstacles() {
        #expect(obstacle(ProofDesk.adult, []) == .nobodyBelieved)
        #expect(obstacle(ProofDesk.adult, [ProofSamples.definition(notAfter: ProofSamples.now - 1)]) == .nobodyBelieved)
        #expect(obstacle(ProofDesk.adult, [ProofSamples.definition(notAfter: ProofSamples.now)]) == nil)
        #expect(obstacle(ProofDesk.adult, [ProofSamples.definition(roles: [:])]) == .birthDateMissing)
        #expect(obstacle(ProofWishes(), [ProofSamples.definition()]) == .nothingAsked)
        #expect(obstacle(ProofWishes(), [ProofSamples.definition()], needsPortrait: true) == nil)
        var wishes = ProofWishes()
        wishes.attributes = ["shoe size"]
        #expect(obstacle(wishes, [ProofSamples.definition()]) == .attributeMissing("shoe size"))
        wishes.attributes = []
        wishes.predicates = [.init("floor", .more, 3)]
        #expect(obstacle(wishes, [ProofSamples.definition()]) == nil)
    }

    @Test("non-revocation is asked for by the lists that the gate takes")
    func interval() throws {
        let lists = [100, 200, 300].map { BelievedDefinition.List(timestamp: Seconds($0), fetched: Seconds($0)) }
        let registry = BelievedDefinition.Registry(id: "r", lists: lists)
        func interval(_ status: StatusPolicy, at now: Seconds) throws -> ClosedRange<Seconds>? {
            try plan(ProofDesk.adult, [ProofSamples.definition(registries: [registry], status: status)]).interval(at: now)
        }
        #expect(try interval(StatusPolicy(), at: 1000) == 300...300)
        #expect(try interval(StatusPolicy(grace: 701), at: 1000) == 200...300)
        #expect(try interval(StatusPolicy(grace: 700), at: 1000) == 300...300)
        #expect(try interval(StatusPolicy(isIgnored: true), at: 1000) == nil)
        #expect(try plan(ProofDesk.adult, [ProofSamples.definition()]).interval(at: 1000) == nil)
        let none = BelievedDefinition.Registry(id: "r", lists: [])
        #expect(obstacle(ProofDesk.adult, [ProofSamples.definition(registries: [none])]) == .statusListMissing)
        #expect(obstacle(ProofDesk.adult, [ProofSamples.definition(registries: [none], status: StatusPolicy(unknown: .accept))]) == nil)
    }
}
