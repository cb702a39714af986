import TestSupport

/// What became of mutants of a proof.
struct ProofTally {
    var mutants = 0, accepted = 0
    var refused: [String: Int] = [:]

    mutating func add(_ other: ProofTally) {
        mutants += other.mutants
        accepted += other.accepted
        refused.merge(other.refused, uniquingKeysWith: +)
    }
}

/// Mutants of accepted proofs: none may be accepted with anything else believed (anoncreds.md section 11, trustedkey.md section 9), and of
/// a presentation no value at all may be another one but those that no proof covers.
struct ProofCampaign {
    let sample: ProofSample
    /// The other samples of the kind, to take parts from.
    private let others: [Tree]
    private var random: SeededRandom
    private(set) var tally = ProofTally()

    init(_ sample: ProofSample, others: [ProofSample], seed: UInt64) {
        self.sample = sample
        self.others = others.compactMap { $0.name == sample.name ? nil : $0.tree }
        random = SeededRandom(seed: seed)
    }

    private mutating func check(_ mutant: [UInt8], how: [String], mayNot isValue: Bool = false) throws {
        guard mutant != sample.message else { return }
        tally.mutants += 1
        switch sample.judge(mutant) {
        case .failure(let refusal): tally.refused[refusal.reason, default: 0] += 1
        case .success(let lines):
            tally.accepted += 1
            var differences = Set(lines).symmetricDifference(sample.original).sorted()
            if differences.isEmpty, lines != sample.original { differences = ["another order"] }
            if differences.isEmpty, isValue { differences = ["accepted although a value is another one"] }
            guard differences.isEmpty else { throw Violation(sample: sample.name, how: how, differences: differences, mutant: mutant) }
        }
    }

    // MARK: Presentations

    /// Every change of every place, one by one; or only every so manieth.
    mutating func sweep(everyNth step: Int) throws {
        guard let tree = sample.tree else { return try sweepOctets(everyNth: step) }
        for path in tree.proofPaths {
            for change in changes(of: path, in: tree) {
                guard random.below(step) == 0 else { continue }
                var mutant = tree
                mutant.put(change.values, at: path)
                let names = tree.names(path)
                try check(
                    mutant.closed.octets, how: [names.joined(separator: "."), change.name],
                    mayNot: change.isOfValue && !Uncovered.isFree(names, in: tree))
            }
        }
    }

    /// How many mutants the whole sweep makes.
    mutating func places() -> Int {
        guard let tree = sample.tree else { return sample.message.count * Self.octetSteps.count }
        return tree.proofPaths.reduce(0) { $0 + changes(of: $1, in: tree).count }
    }

    private mutating func changes(of path: [Int], in tree: Tree) -> [ProofChange] {
        guard let value = tree[path: path] else { return [] }
        let found = others.compactMap { $0[path: path] }
        // One of each presentation would be too many of the same kind.
        let taken = random.one(of: found).map { [$0] } ?? []
        return ProofChange.all(of: value, others: taken, &random)
    }

    /// One to four changes anywhere, or octets.
    mutating func run(_ count: Int) throws {
        for _ in 0..<count {
            guard let tree = sample.tree, random.chance(80) else {
                try check(octetsChanged(sample.message), how: ["octets"])
                continue
            }
            var mutant = tree, how: [String] = []
            for _ in 0...random.below(4) {
                guard let path = random.one(of: mutant.proofPaths), let change = random.one(of: changes(of: path, in: mutant)) else {
                    continue
                }
                how += [mutant.names(path).joined(separator: "."), change.name]
                mutant.put(change.values, at: path)
            }
            try check(mutant.closed.octets, how: how)
        }
    }

    // MARK: Octets

    private static let octetSteps: [UInt8] = [1, 2, 0x20, 0x80]

    /// Every octet in turn.
    private mutating func sweepOctets(everyNth step: Int) throws {
        for place in sample.message.indices {
            for bit in Self.octetSteps where random.below(step) == 0 {
                var mutant = sample.message
                mutant[place] ^= bit
                try check(mutant, how: ["octet \(place) with \(bit)"])
            }
        }
    }

    /// One to three pieces replaced, removed, repeated, or swapped; or cut.
    private mutating func octetsChanged(_ octets: [UInt8]) -> [UInt8] {
        var octets = octets
        for _ in 0...random.below(3) where octets.count > 2 {
            let place = random.below(octets.count), end = min(octets.count, place + 1 + random.below(random.chance(70) ? 3 : 60))
            switch random.below(7) {
            case 0: octets.removeSubrange(place..<end)
            case 1: octets.insert(contentsOf: octets[place..<end], at: random.below(octets.count))
            case 2: octets.swapAt(place, random.below(octets.count))
            case 3: octets[place] ^= 1 << UInt8(random.below(8))
            case 4: octets.insert(random.one(of: Array(" \n%&=,+\"{}".utf8)) ?? 0, at: place)
            case 5 where random.chance(20): octets.removeSubrange(place...)
            default: octets[place] = random.chance(70) ? random.one(of: Array("09AZaz+/=-_%".utf8)) ?? 0 : random.octet()
            }
        }
        return octets
    }
}

/// What no proof covers and nobody uses (anoncreds.md section 11).
enum Uncovered {
    static func isFree(_ names: [String], in tree: Tree) -> Bool {
        let isW3C = tree["verifiableCredential"] != nil
        if names.contains("self_attested_attrs") { return true }
        if isW3C {
            guard let last = names.last else { return false }
            if names.contains("@context") || names.contains("type") || ["id", "issuanceDate"].contains(last) { return true }
            if names == ["proof", "verificationMethod"] { return true }
        }
        guard ["timestamp", "rev_reg_id"].contains(names.last) else { return false }
        return !isRevocable(names, in: tree)
    }

    /// Whether the sub-proof whose identifier has this member proves non-revocation.
    private static func isRevocable(_ names: [String], in tree: Tree) -> Bool {
        let place = names.lazy.compactMap { Int($0) }.first ?? 0
        let classic = tree["proof"]?["proofs"]?.elements
        if let classic { return classic.indices.contains(place) && isThere(classic[place]["non_revoc_proof"]) }
        guard let credentials = tree["verifiableCredential"]?.elements, credentials.indices.contains(place) else { return false }
        let content = credentials[place]["proof"]?["proofValue"]?.elements?.last
        return isThere(content?["sub_proof"]?["non_revoc_proof"])
    }

    private static func isThere(_ proof: Tree?) -> Bool { proof.map { !$0.isScalar } ?? false }
}
