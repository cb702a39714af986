import Cryptography

/// A dataset in canonical form: what a signature is made over.
public struct CanonicalDataset: Sendable {
    /// The sorted lines of canonical N-Quads, one after another.
    public let nquads: [UInt8]
    /// For each blank node's label in the input, its canonical one; both without `_:`.
    public let labels: [Text: Text]
}

/// RDF Dataset Canonicalization, RDFC-1.0 (section 4.4).
public struct Canonicalization {
    private let quads: [Quad]
    private let algorithm: DigestAlgorithm
    private let limits: LinkedDataLimits
    /// The labels of the blank nodes, in the order they are met.
    private var names: [Text] = []
    private var positions: [Text: Int] = [:]
    /// For each blank node, the quads that mention it, each once.
    private var mentions: [[Int]] = []
    private var firstDegree: [[UInt8]] = []
    private var canonical = IdentifierIssuer(prefix: "c14n", nodes: 0)
    private var callsLeft = 0
    private var permutationsLeft = 0

    /// - Parameter algorithm: the hash that tells blank nodes apart; signatures over P-384 use SHA-384 here too.
    /// - Returns: the same octets for every dataset that differs only in the labels of blank nodes and the order of statements.
    public static func canonicalize(
        _ dataset: Dataset, algorithm: DigestAlgorithm = .sha256, limits: LinkedDataLimits = .standard
    ) throws(LinkedDataError) -> CanonicalDataset {
        guard dataset.quads.count <= limits.quads else { throw .tooComplex }
        var run = Canonicalization(dataset.quads, algorithm, limits)
        guard run.names.count <= limits.blankNodes else { throw .tooComplex }
        if !run.names.isEmpty { try run.label() }
        return run.finished()
    }

    private init(_ quads: [Quad], _ algorithm: DigestAlgorithm, _ limits: LinkedDataLimits) {
        self.quads = quads
        self.algorithm = algorithm
        self.limits = limits
        for (index, quad) in quads.enumerated() {
            for term in [quad.subject, quad.object, quad.graph] {
                guard let label = Quad.label(term) else { continue }
                let node: Int
                if let known = positions[label] {
                    node = known
                } else {
                    node = names.count
                    positions[label] = node
                    names.append(label)
                    mentions.append([])
                }
                if mentions[node].last != index { mentions[node].append(index) }
            }
        }
    }

    private func finished() -> CanonicalDataset {
        var labels: [Text: Text] = [:]
        for (node, name) in names.enumerated() { labels[name] = canonical.identifier(of: node).map(Text.init) ?? name }
        let lines = quads.map { quad in
            var line: [UInt8] = []
            NQuads.append(quad, to: &line) { labels[$0] ?? $0 }
            return line
        }
        return CanonicalDataset(nquads: Canonicalization.sorted(lines), labels: labels)
    }

    /// The lines in code point order, which is octet order, one after another.
    private static func sorted(_ lines: [[UInt8]]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(lines.reduce(0) { $0 + $1.count })
        for line in lines.sorted(by: { $0.lexicographicallyPrecedes($1) }) { text.append(contentsOf: line) }
        return text
    }

    /// Steps 2 to 5: names for the nodes that their own statements tell apart, then for the others.
    private mutating func label() throws(LinkedDataError) {
        canonical = IdentifierIssuer(prefix: "c14n", nodes: names.count)
        var byHash: [[UInt8]: [Int]] = [:]
        for node in names.indices {
            let hash = try hashFirstDegree(node)
            firstDegree.append(hash)
            byHash[hash, default: []].append(node)
        }
        let groups = byHash.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value)
        for group in groups where group.count == 1 { _ = canonical.issue(group[0]) }
        let alike = groups.filter { $0.count > 1 }
        callsLeft = Canonicalization.power(alike.reduce(0) { $0 + $1.count }, limits.workFactor)
        permutationsLeft = limits.permutations
        for group in alike {
            var results: [(hash: [UInt8], issuer: IdentifierIssuer)] = []
            for node in group where canonical.identifier(of: node) == nil {
                var issuer = IdentifierIssuer(prefix: "b", nodes: names.count)
                _ = issuer.issue(node)
                results.append(try hashNDegree(node, issuer))
            }
            for result in results.sorted(by: { $0.hash.lexicographicallyPrecedes($1.hash) }) {
                for node in result.issuer.order { _ = canonical.issue(node) }
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
    private func hashFirstDegree(_ node: Int) throws(LinkedDataError) -> [UInt8] {
        let name = names[node]
        let lines = mentions[node].map { index in
            var line: [UInt8] = []
            NQuads.append(quads[index], to: &line) { $0 == name ? "a" : "z" }
            return line
        }
        return try hash(Canonicalization.sorted(lines))
    }

    /// Hash Related Blank Node (section 4.7).
    private func hashRelated(
        _ related: Int, _ quad: Quad, _ issuer: IdentifierIssuer, position: Character
    ) throws(LinkedDataError) -> [UInt8] {
        var input = Array(position.utf8)
        if position != "g", case .iri(let predicate) = quad.predicate { NQuads.append(predicate, to: &input) }
        if let identifier = canonical.identifier(of: related) ?? issuer.identifier(of: related) {
            input.append(contentsOf: "_:\(identifier)".utf8)
        } else {
            input.append(contentsOf: firstDegree[related])
        }
        return try hash(input)
    }

    // MARK: Nodes that look alike

    /// Hash N-Degree Quads (section 4.8). The recursion is no deeper than there are blank nodes.
    private mutating func hashNDegree(
        _ node: Int, _ given: IdentifierIssuer
    ) throws(LinkedDataError) -> (hash: [UInt8], issuer: IdentifierIssuer) {
        guard callsLeft > 0 else { throw .tooComplex }
        callsLeft -= 1
        var issuer = given
        var related: [[UInt8]: [Int]] = [:]
        for index in mentions[node] {
            let quad = quads[index]
            for (term, position) in [(quad.subject, "s" as Character), (quad.object, "o"), (quad.graph ?? quad.predicate, "g")] {
                guard let label = Quad.label(term), let other = positions[label], other != node else { continue }
                related[try hashRelated(other, quad, issuer, position: position), default: []].append(other)
            }
        }
        var data: [UInt8] = []
        for (hash, nodes) in related.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            data.append(contentsOf: hash)
            var chosen: (path: [UInt8], issuer: IdentifierIssuer)?
            // Every order is looked at, so too many are known before the first.
            guard Permutation.count(of: nodes.count, upTo: permutationsLeft) <= permutationsLeft else { throw .tooComplex }
            var order = Permutation(count: nodes.count)
            repeat {
                guard permutationsLeft > 0 else { throw .tooComplex }
                permutationsLeft -= 1
                if let better = try path(order.indices.map { nodes[$0] }, issuer, shorterThan: chosen?.path) { chosen = better }
            } while order.advance()
            if let chosen {
                data.append(contentsOf: chosen.path)
                issuer = chosen.issuer
            }
        }
        return (try hash(data), issuer)
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
            if let identifier = canonical.identifier(of: node) {
                path.append(contentsOf: "_:\(identifier)".utf8)
            } else {
                if issuer.identifier(of: node) == nil { pending.append(node) }
                path.append(contentsOf: "_:\(issuer.issue(node))".utf8)
            }
            if isWorse() { return nil }
        }
        for node in pending {
            let result = try hashNDegree(node, issuer)
            path.append(contentsOf: "_:\(issuer.issue(node))<".utf8)
            path.append(contentsOf: result.hash)
            path.append(UInt8(ascii: ">"))
            issuer = result.issuer
            if isWorse() { return nil }
        }
        if let chosen, !path.lexicographicallyPrecedes(chosen) { return nil }
        return (path, issuer)
    }
}
