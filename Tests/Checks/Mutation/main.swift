/// Mutants of every sample that is accepted: none may be accepted with another claim, issuer, type, validity or status. The same in the
/// codes that can be held before a camera, a third as many.
///
///     mutation-check [mutants] [seed] [--record FILE] [--samples FOLDER] [--codes]
///     mutation-check --proofs [mutants] [seed]
///
/// `--codes`: only codes, and all mutants of them. `--proofs`: only AnonCreds presentations and answers of Trusted Key wallets, 100,000
/// where no number is given.
///
/// For `make corpus`: `--record` writes all that is said of each mutant into a file; `--samples` writes the samples and their trust
/// folders, and ends.
import Foundation

private let seed: UInt64 = 0x6761_7465_686F_7573

/// How many of `total` mutants each sample gets: most of them the small ones, which take least time.
private func shares(_ samples: [Sample], of total: Int) -> [Int] {
    let weights = samples.map { sample in
        switch (sample.message.count, sample.form) {
        case (100_000..., _): 20
        case (20_000..., _): 15
        case (_, .sdJWT): 30
        case (_, .cwt): 90
        case (_, .ldpVC), (_, .jwtVC), (_, .mdoc), (_, .anoncreds), (_, .trustedKey), (_, .unknown): 60
        }
    }
    let sum = weights.reduce(0, +)
    var shares = weights.map { total * $0 / sum }
    if !shares.isEmpty { shares[shares.count - 1] += total - shares.reduce(0, +) }
    return shares
}

/// A comparison that overlooks a changed claim would find nothing ever.
private func checkComparison(_ sample: Sample) throws {
    var leaf = 0
    while let altered = sample.original.altered(leaf) {
        guard !altered.differences(from: sample.original, mayWithhold: sample.form == .sdJWT, proofs: []).isEmpty else {
            throw CheckFailed(reason: "\(sample.name): the comparison does not see leaf \(leaf)")
        }
        leaf += 1
    }
    guard leaf > 0 else { throw CheckFailed(reason: "\(sample.name): no claims to compare") }
}

/// The value of an option, both taken out of the arguments.
private func option(_ name: String, _ arguments: inout ArraySlice<String>) -> String? {
    guard let place = arguments.firstIndex(of: name), arguments.indices.contains(place + 1) else { return nil }
    let value = arguments[place + 1]
    arguments.removeSubrange(place...place + 1)
    return value
}

/// Codes of all samples that fit into one.
private func checkCodes(_ samples: [Sample], of total: Int, seed: UInt64) throws {
    var campaigns = samples.compactMap { CodeCampaign($0) }, levels: [CodeCampaign.Level: Tally] = [:]
    var sum = Tally(), places = 0
    print("")
    Report.heading("sample in a code")
    for index in campaigns.indices {
        try campaigns[index].checkCodes()
        try campaigns[index].sweep()
        try campaigns[index].run(total / max(campaigns.count, 1), seed: seed &+ UInt64(index))
        let campaign = campaigns[index]
        Report.line(campaign.sample.name, campaign.tally, places: campaign.places)
        sum.add(campaign.tally)
        places += campaign.places
        for (level, tally) in campaign.byLevel { levels[level, default: Tally()].add(tally) }
    }
    for level in CodeCampaign.Level.allCases { Report.line("code: " + level.rawValue, levels[level] ?? Tally()) }
    print(
        "mutation: \(sum.mutants) mutants and \(places) places of codes of \(campaigns.count) samples: none accepted with anything changed")
}

private func check() throws {
    if CommandLine.arguments.dropFirst().first == "--proofs" {
        let numbers = CommandLine.arguments.dropFirst(2).compactMap { UInt64($0) }
        return try ProofCheck.run(
            numbers.first.flatMap { Int(exactly: $0) } ?? 100_000, seed: numbers.dropFirst().first ?? seed)
    }
    guard let folder = SampleFolder() else {
        print("mutation: skipped: the samples are not here: set GATEHOUSE_SUITES")
        return
    }
    var arguments = CommandLine.arguments.dropFirst()
    let log = try option("--record", &arguments).map(VerdictLog.init(path:))
    let files = option("--samples", &arguments).map { SampleFiles(folder: URL(filePath: $0)) }
    let isOfCodes = arguments.contains("--codes")
    arguments.removeAll { $0 == "--codes" }
    let total = arguments.first.flatMap { Int($0) } ?? 100_000, seed = arguments.dropFirst().first.flatMap { UInt64($0) } ?? seed
    let samples = try folder.samples()
    if let files { return try files.write(samples) }
    if isOfCodes { return try checkCodes(samples, of: total, seed: seed) }
    var sweeps = 0, sum = Tally(), mutators: [(name: String, tally: Tally)] = []
    Report.heading("sample")
    for (sample, share) in zip(samples, shares(samples, of: total)) {
        try checkComparison(sample)
        var sweep = Sweep(sample, log: log)
        try sweep.run()
        sweeps += sweep.tally.mutants
        var campaign = Campaign(sample, seed: seed &+ UInt64(sweeps), log: log)
        try campaign.run(share)
        Report.line(sample.name, campaign.tally, places: sweep.tally.mutants)
        sum.add(campaign.tally)
        for mutator in Mutator.all(for: sample) {
            guard let found = campaign.byMutator[mutator.name] else { continue }
            if let place = mutators.firstIndex(where: { $0.name == mutator.name }) {
                mutators[place].tally.add(found)
            } else {
                mutators.append((mutator.name, found))
            }
        }
    }
    try log?.finish()
    Report.line("all", sum, places: sweeps)
    print("")
    Report.heading("mutator")
    for mutator in mutators { Report.line(mutator.name, mutator.tally) }
    // One that changes nothing tests nothing.
    if total >= 50_000, let idle = mutators.first(where: { $0.tally.changed == 0 }) {
        throw CheckFailed(reason: "\"\(idle.name)\" changed nothing")
    }
    if log == nil { try checkCodes(samples, of: total / 3, seed: seed) }
    print(
        "mutation: \(sum.mutants) mutants and \(sweeps) places of \(samples.count) samples, seed \(seed): none accepted with anything changed"
    )
}

do {
    try check()
} catch let violation as Violation {
    Report.violation(violation)
    exit(1)
} catch {
    print("mutation: FAILED: \(error)")
    exit(1)
}
