import TestSupport

/// Mutants of AnonCreds presentations and of Trusted Key answers, as many of the one kind as of the other.
enum ProofCheck {
    /// Says so where the samples are not there. Throws a violation, and `CheckFailed` where a sample is not accepted as it is.
    static func run(_ total: Int, seed: UInt64) throws {
        guard let samples = try ProofSample.all() else {
            print("mutation of proofs: skipped: the samples are not here: set GATEHOUSE_SUITES")
            return
        }
        Report.heading("proof")
        var sum = ProofTally(), swept = 0
        for samples in [samples.filter { $0.tree != nil }, samples.filter { $0.tree == nil }] {
            let (tally, one) = try run(samples, total / 2, seed: seed)
            sum.add(tally)
            swept += one
        }
        Report.line("all", sum)
        print(
            "mutation of proofs: \(sum.mutants) mutants of \(samples.count) samples, of which \(swept) are one change of one place, "
                + "seed \(seed): none accepted with anything changed")
    }

    /// Half of the mutants are one change of one place, as many places as that reaches or all of them; the rest is drawn.
    private static func run(_ samples: [ProofSample], _ total: Int, seed: UInt64) throws -> (tally: ProofTally, swept: Int) {
        var campaigns = samples.enumerated().map { index, sample in
            ProofCampaign(sample, others: samples, seed: seed &+ UInt64(index))
        }
        var places = 0
        for index in campaigns.indices { places += campaigns[index].places() }
        let step = max(1, (2 * places + total - 1) / max(total, 1))
        for index in campaigns.indices { try campaigns[index].sweep(everyNth: step) }
        let swept = campaigns.reduce(0) { $0 + $1.tally.mutants }
        // Most of the rest are small ones, which take least time.
        let weights = campaigns.map { 1 + 60_000 / max($0.sample.message.count, 1) }, weight = max(weights.reduce(0, +), 1)
        for index in campaigns.indices { try campaigns[index].run(max(0, total - swept) * weights[index] / weight + 1) }
        var sum = ProofTally()
        for campaign in campaigns {
            Report.line(campaign.sample.name, campaign.tally)
            sum.add(campaign.tally)
        }
        return (sum, swept)
    }
}
