import Credentials
import TestSupport

/// What became of the mutants of one sample, or of one mutator.
struct Tally {
    var mutants = 0
    /// Those that were not what they had been before.
    var changed = 0
    var accepted = 0
    var rejected: [String: Int] = [:]
    /// Seconds.
    var slowest = 0.0

    mutating func count(_ verdict: Verdict) {
        mutants += 1
        if let reason = verdict.reasons.first { rejected[reason.code, default: 0] += 1 } else { accepted += 1 }
    }

    mutating func add(_ other: Tally) {
        mutants += other.mutants
        changed += other.changed
        accepted += other.accepted
        rejected.merge(other.rejected, uniquingKeysWith: +)
        slowest = max(slowest, other.slowest)
    }
}

/// A mutant that is accepted and says something else, or a verdict that depends on what was verified before.
struct Violation: Error {
    let sample: String
    let how: [String]
    let differences: [String]
    let mutant: [UInt8]
}

/// Mutants of one sample, from a seed.
struct Campaign {
    /// What was done to the sample: which of its documents was taken, and each mutator with the seed of its choices.
    private struct Recipe {
        let document: Int
        var steps: [(mutator: Int, seed: UInt64)]
    }

    let sample: Sample
    let seed: UInt64
    private let mutators: [Mutator]
    private let lottery: [Int]
    private(set) var tally = Tally()
    private(set) var byMutator: [String: Tally] = [:]
    private let log: VerdictLog?

    init(_ sample: Sample, seed: UInt64, log: VerdictLog? = nil) {
        self.log = log
        self.sample = sample
        self.seed = seed
        mutators = Mutator.all(for: sample)
        lottery = mutators.indices.flatMap { Array(repeating: $0, count: Mutator.all(for: sample)[$0].weight) }
        for mutator in mutators { byMutator[mutator.name] = Tally() }
    }

    mutating func run(_ count: Int) throws {
        var random = SeededRandom(seed: seed)
        let clock = ContinuousClock()
        for number in 0..<count {
            let recipe = recipe(&random)
            let mutant = mutant(recipe, isCounted: true)
            var verdict = Verdict.reject([])
            let time = clock.measure { verdict = sample.verdict(mutant) }
            tally.slowest = max(tally.slowest, Double(time.components.attoseconds) / 1e18 + Double(time.components.seconds))
            tally.count(verdict)
            try log?.add(sample, number, names(recipe).joined(separator: "; "), mutant)
            for step in recipe.steps { byMutator[mutators[step.mutator].name]?.count(verdict) }
            let differences = sample.differences(verdict)
            guard differences.isEmpty else { throw smallest(recipe, mutant, differences) }
            // What came before must not have changed the verdict.
            if number % 50 == 0 {
                let fresh = sample.freshVerdict(mutant)
                guard fresh.reasons == verdict.reasons else {
                    throw Violation(
                        sample: sample.name, how: names(recipe),
                        differences: ["\(verdict.reasons) was \(fresh.reasons) to a verifier that had seen nothing else"], mutant: mutant)
                }
            }
        }
        guard sample.verdict(sample.message).isAccept else {
            throw Violation(
                sample: sample.name, how: ["nothing"], differences: ["not accepted any more after all the mutants"], mutant: sample.message)
        }
    }

    private func recipe(_ random: inout SeededRandom) -> Recipe {
        let dice = random.below(100)
        let count = dice < 55 ? 1 : dice < 80 ? 2 : dice < 93 ? 3 : 4 + random.below(4)
        var steps = (0..<count).map { _ in (mutator: random.one(of: lottery) ?? 0, seed: random.next()) }
        // Broken octets hide what was changed before: mostly they come alone.
        if random.chance(90) {
            let wholes = steps.filter { !mutators[$0.mutator].name.hasPrefix("octets") }
            steps = wholes.isEmpty ? Array(steps.prefix(1)) : wholes
        }
        let document = random.chance(50) ? 0 : random.below(sample.documents.count)
        return Recipe(document: document, steps: steps.sorted { $0.mutator < $1.mutator })
    }

    private func start(_ recipe: Recipe) -> Mutant {
        sample.documents.indices.contains(recipe.document) ? Mutant(sample.documents[recipe.document]) : Mutant(sample.message)
    }

    private mutating func mutant(_ recipe: Recipe, isCounted: Bool) -> [UInt8] {
        var mutant = start(recipe)
        var before = mutant.octets
        for step in recipe.steps {
            var random = SeededRandom(seed: step.seed)
            mutators[step.mutator].change(&mutant, &random, sample)
            let after = mutant.octets
            if isCounted, after != before { byMutator[mutators[step.mutator].name]?.changed += 1 }
            before = after
        }
        if isCounted, before != start(recipe).octets { tally.changed += 1 }
        return before
    }

    private func names(_ recipe: Recipe) -> [String] {
        (recipe.document > 0 ? ["in other words (\(recipe.document))"] : []) + recipe.steps.map { mutators[$0.mutator].name }
    }

    /// The same violation with as few steps as it takes.
    private mutating func smallest(_ recipe: Recipe, _ mutant: [UInt8], _ differences: [String]) -> Violation {
        for place in recipe.steps.indices {
            var fewer = recipe
            fewer.steps.remove(at: place)
            let smaller = self.mutant(fewer, isCounted: false)
            let found = sample.differences(sample.verdict(smaller))
            if !found.isEmpty { return smallest(fewer, smaller, found) }
        }
        return Violation(sample: sample.name, how: names(recipe), differences: differences, mutant: mutant)
    }
}
