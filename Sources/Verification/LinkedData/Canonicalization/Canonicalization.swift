import Cryptography

/// A dataset in canonical form: what a signature is made over.
public struct CanonicalDataset: Sendable {
    let lines: Lines
    /// For each blank node's label in the input, its canonical one; both without `_:`.
    public let labels: [Text: Text]

    /// The sorted lines of canonical N-Quads, one after another: a copy of them all.
    public var nquads: [UInt8] { lines.sorted() }

    /// The digest of `nquads`, which are not put together for it. Throws `digestUnavailable`.
    public func hash(_ algorithm: DigestAlgorithm) throws(LinkedDataError) -> [UInt8] { try lines.hash(algorithm) }
}

/// RDF Dataset Canonicalization, RDFC-1.0 (section 4.4).
public struct Canonicalization {
    /// The blank nodes of one quad, by position; negative where there is none.
    private struct Mentioned {
        var subject: Int32 = -1
        var object: Int32 = -1
        var graph: Int32 = -1

        func node(_ place: NQuads.Place) -> Int {
            switch place {
            case .subject: Int(subject)
            case .object: Int(object)
            case .graph: Int(graph)
            case .predicate: -1
            }
        }
    }

    private let quads: [Quad]
    private let algorithm: DigestAlgorithm
    private let limits: LinkedDataLimits
    /// The labels of the blank nodes, in the order they are met.
    private var names: [Text] = []
    private var mentioned: [Mentioned] = []
    /// For each blank node, the quads that mention it, each once.
    private var mentions: [[Int]] = []
    var firstDegree: [[UInt8]] = []
    private var canonical = IdentifierIssuer(prefix: "c14n", nodes: 0)
    private var octets = 0
    /// Those of long literals, which are not copied.
    private var inPlace = 0
    /// Calls of Hash N-Degree Quads so far, for each blank node.
    private var calls: [Int] = []
    private var mostCalls = 0
    private var permutationsLeft = 0
    private var neighboursLeft = 0
    var steps: StepBudget

    /// - Parameters:
    ///   - algorithm: the hash that tells blank nodes apart; signatures over P-384 use SHA-384 here too.
    ///   - steps: those left for the document.
    /// - Returns: the same octets for every dataset that differs only in the labels of blank nodes and the order of statements.
    public static func canonicalize(
        _ dataset: Dataset, algorithm: DigestAlgorithm = .sha256, limits: LinkedDataLimits = .standard, steps: inout StepBudget
    ) throws(LinkedDataError) -> CanonicalDataset {
        guard dataset.quads.count <= limits.quads else { throw .tooComplex }
        var run = Canonicalization(dataset.quads, algorithm, limits, steps)
        defer { steps = run.steps }
        guard run.names.count <= limits.blankNodes, run.octets <= limits.octets else { throw .tooComplex }
        if !run.names.isEmpty { try run.label() }
        return try run.finished()
    }

    /// The same for a dataset with all the steps that one document may take.
    public static func canonicalize(
        _ dataset: Dataset, algorithm: DigestAlgorithm = .sha256, limits: LinkedDataLimits = .standard
    ) throws(LinkedDataError) -> CanonicalDataset {
        var steps = StepBudget(limits.steps)
        return try canonicalize(dataset, algorithm: algorithm, limits: limits, steps: &steps)
    }

    init(_ quads: [Quad], _ algorithm: DigestAlgorithm, _ limits: LinkedDataLimits, _ steps: StepBudget) {
        self.quads = quads
        self.algorithm = algorithm
        self.limits = limits
        self.steps = steps
        neighboursLeft = limits.neighbours
        var positions: [Text: Int] = [:]
        mentioned.reserveCapacity(quads.count)
        for (index, quad) in quads.enumerated() {
            octets += NQuads.size(of: quad)
            if case .literal(let literal) = quad.object, literal.value.isSource { inPlace += literal.value.count }
            func node(_ term: Term?) -> Int32 {
                guard let label = Quad.label(term) else { return -1 }
                let node = positions[label] ?? names.count
                if node == names.count {
                    positions[label] = node
                    names.append(label)
                    mentions.append([])
                }
                if mentions[node].last != index { mentions[node].append(index) }
                return Int32(truncatingIfNeeded: node)
            }
            mentioned.append(Mentioned(subject: node(quad.subject), object: node(quad.object), graph: node(quad.graph)))
        }
    }

    mutating func finished() throws(LinkedDataError) -> CanonicalDataset {
        var labels: [Text: Text] = [:]
        for (node, name) in names.enumerated() {
            var identifier: [UInt8] = []
            canonical.appendIdentifier(of: node, to: &identifier)
            labels[name] = Text(decoding: identifier)
        }
        var lines = Lines()
        // The sixteen: escapes are few, and a name is seldom longer.
        lines.reserve(octets: octets - inPlace + 16 * quads.count, lines: quads.count)
        for (quad, mentioned) in zip(quads, mentioned) {
            let before = lines.count
            lines.append(quad) { place, line in canonical.appendIdentifier(of: mentioned.node(place), to: &line) }
            guard lines.count <= limits.octets else { throw .tooComplex }
            try steps.spend(StepCost.line + StepCost.octets(lines.count - before))
        }
        return CanonicalDataset(lines: lines, labels: labels)
    }

    /// No node has a name yet, and all of them could look alike.
    mutating func prepare() {
        canonical = IdentifierIssuer(prefix: "c14n", nodes: names.count)
        calls = [Int](repeating: 0, count: names.count)
        mostCalls = Canonicalization.power(names.count, limits.workFactor)
        permutationsLeft = limits.permutations
    }

    /// Steps 2 to 5: names for the nodes that their own statements tell apart, then for the others.
    private mutating func label() throws(LinkedDataError) {
        prepare()
        var byHash: [[UInt8]: [Int]] = [:]
        var lines = Lines()
        for node in names.indices {
            let hash = try hashFirstDegree(node, &lines)
            firstDegree.append(hash)
            byHash[hash, default: []].append(node)
        }
        let groups = byHash.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value)
        for group in groups where group.count == 1 { canonical.issue(group[0]) }
        let alike = groups.filter { $0.count > 1 }
        mostCalls = Canonicalization.power(alike.reduce(0) { $0 + $1.count }, limits.workFactor)
        for group in alike {
            var results: [(hash: [UInt8], issuer: IdentifierIssuer)] = []
            for node in group where !canonical.hasIdentifier(node) {
                var issuer = IdentifierIssuer(prefix: "b", nodes: names.count)
                issuer.issue(node)
                results.append(try hashNDegree(node, issuer))
            }
            for result in results.sorted(by: { $0.hash.lexicographicallyPrecedes($1.hash) }) {
                for node in result.issuer.order { canonical.issue(node) }
            }
        }
    }

    private static func power(_ base: Int, _ exponent: Int) -> Int {
        var result = 1
        for _ in 0..<max(0, min(exponent, 64)) {
            let (product, overflow) = result.multipliedReportingOverflow(by: base)
            if overflow { return .max }
            result = product
        }
        return result
    }

    private func hash(_ octets: [UInt8]) throws(LinkedDataError) -> [UInt8] {
        do throws(CryptographyError) {
            return Hexadecimal.lower(try Digest.hash(octets.span, algorithm))
        } catch {
            throw .digestUnavailable
        }
    }

    /// Hash First Degree Quads (section 4.6): the node is `_:a`, every other blank node `_:z`.
    mutating func hashFirstDegree(_ node: Int, _ lines: inout Lines) throws(LinkedDataError) -> [UInt8] {
        lines.removeAll()
        for index in mentions[node] {
            let mentioned = mentioned[index], before = lines.count
            lines.append(quads[index]) { place, line in line.append(mentioned.node(place) == node ? UInt8(ascii: "a") : UInt8(ascii: "z")) }
            guard lines.count <= limits.octets else { throw .tooComplex }
            try steps.spend(StepCost.line + StepCost.octets(lines.count - before))
        }
        return Hexadecimal.lower(try lines.hash(algorithm))
    }

    /// Hash Related Blank Node (section 4.7).
    mutating func hashRelated(
        _ related: Int, _ quad: Quad, _ issuer: IdentifierIssuer, _ place: NQuads.Place
    ) throws(LinkedDataError) -> [UInt8] {
        var input: [UInt8] = []
        switch place {
        case .subject: input.append(UInt8(ascii: "s"))
        case .object: input.append(UInt8(ascii: "o"))
        case .graph, .predicate: input.append(UInt8(ascii: "g"))
        }
        if place != .graph, case .iri(let predicate) = quad.predicate { NQuads.append(predicate, to: &input) }
        if !appendIdentifier(of: related, issuer, to: &input) { input.append(contentsOf: firstDegree[related]) }
        // Long predicates count for more, or a few of them cost what many hashes do.
        neighboursLeft -= 1 + input.count / 256
        guard neighboursLeft >= 0 else { throw .tooComplex }
        try steps.spend(StepCost.neighbour + StepCost.octets(input.count))
        return try hash(input)
    }

    /// The canonical name of a node, or else the one it has for now, with its `_:`. False: it has none.
    private func appendIdentifier(of node: Int, _ issuer: IdentifierIssuer, to octets: inout [UInt8]) -> Bool {
        let isCanonical = canonical.hasIdentifier(node)
        guard isCanonical || issuer.hasIdentifier(node) else { return false }
        octets.append(UInt8(ascii: "_"))
        octets.append(UInt8(ascii: ":"))
        (isCanonical ? canonical : issuer).appendIdentifier(of: node, to: &octets)
        return true
    }

    // MARK: Nodes that look alike

    /// Hash N-Degree Quads (section 4.8). The recursion is no deeper than there are blank nodes.
    mutating func hashNDegree(
        _ node: Int, _ given: IdentifierIssuer
    ) throws(LinkedDataError) -> (hash: [UInt8], issuer: IdentifierIssuer) {
        // For each node, not for all of them: a list of equal elements asks for every one of its cells from each of the others.
        guard calls[node] < mostCalls else { throw .tooComplex }
        calls[node] += 1
        var issuer = given
        var related: [[UInt8]: [Int]] = [:]
        for index in mentions[node] {
            for place in [NQuads.Place.subject, .object, .graph] {
                let other = mentioned[index].node(place)
                guard other >= 0, other != node else { continue }
                related[try hashRelated(other, quads[index], issuer, place), default: []].append(other)
            }
        }
        var data: [UInt8] = []
        for (hash, nodes) in related.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            data.append(contentsOf: hash)
            if let chosen = try shortestPath(nodes, issuer) {
                data.append(contentsOf: chosen.path)
                issuer = chosen.issuer
            }
        }
        return (try hash(data), issuer)
    }

    /// Steps 5.1 to 5.4: the least path through the nodes in any order.
    mutating func shortestPath(
        _ nodes: [Int], _ issuer: IdentifierIssuer
    ) throws(LinkedDataError) -> (path: [UInt8], issuer: IdentifierIssuer)? {
        // Every order is looked at, so too many are known before the first.
        guard Permutation.count(of: nodes.count, upTo: permutationsLeft) <= permutationsLeft else { throw .tooComplex }
        var chosen: (path: [UInt8], issuer: IdentifierIssuer)?
        var order = Permutation(count: nodes.count)
        repeat {
            guard permutationsLeft > 0 else { throw .tooComplex }
            permutationsLeft -= 1
            try steps.spend(StepCost.line)
            if let better = try path(order.indices.map { nodes[$0] }, issuer, shorterThan: chosen?.path) { chosen = better }
        } while order.advance()
        return chosen
    }

    /// Step 5.4: the path through one order of related nodes; nil as soon as it cannot be the least.
    private mutating func path(
        _ nodes: [Int], _ given: IdentifierIssuer, shorterThan chosen: [UInt8]?
    ) throws(LinkedDataError) -> (path: [UInt8], issuer: IdentifierIssuer)? {
        var issuer = given
        var path: [UInt8] = []
        var pending: [Int] = []
        func isWorse() -> Bool {
            guard let chosen, path.count >= chosen.count else { return false }
            return chosen.lexicographicallyPrecedes(path)
        }
        for node in nodes {
            if !appendIdentifier(of: node, issuer, to: &path) {
                pending.append(node)
                issuer.issue(node)
                _ = appendIdentifier(of: node, issuer, to: &path)
            }
            if isWorse() { return nil }
        }
        for node in pending {
            let result = try hashNDegree(node, issuer)
            _ = appendIdentifier(of: node, issuer, to: &path)
            path.append(UInt8(ascii: "<"))
            path.append(contentsOf: result.hash)
            path.append(UInt8(ascii: ">"))
            issuer = result.issuer
            if isWorse() { return nil }
        }
        if let chosen, !path.lexicographicallyPrecedes(chosen) { return nil }
        return (path, issuer)
    }
}
