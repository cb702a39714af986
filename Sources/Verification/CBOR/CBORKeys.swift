/// The keys of a map: none twice (RFC 8949 section 5.6), and sorted where the form asks for that (section 4.2.1).
///
/// A key is an integer or a definite string, so two keys are the same exactly when type, argument and content are, however long their heads
/// are.
enum CBORKeys {
    /// Up to this many keys each is compared with each; more are hashed (the standard library's seeded hash) and sorted.
    private static let pairwise = 8

    /// Checks the map at `container`, whose entries end with the tape. O(n log n) in the keys.
    static func check(of container: Int, in nodes: [CBORNode], _ bytes: Span<UInt8>, sorted: Bool) throws(CBORError) {
        var keys: [Int] = []
        var index = container + 1
        while index + 1 < nodes.count {
            keys.append(index)
            index = Int(nodes[index + 1].next)
        }
        guard keys.count > 1 else { return }
        if sorted { return try refuseUnsorted(keys, in: nodes, bytes) }
        if keys.count <= pairwise {
            for later in 1..<keys.count {
                for earlier in 0..<later where equal(nodes[keys[earlier]], nodes[keys[later]], bytes) {
                    throw CBORError(.duplicateKey, at: Int(nodes[keys[later]].start))
                }
            }
        } else {
            try refuseTwins(keys, in: nodes, bytes)
        }
    }

    private static func refuseUnsorted(_ keys: [Int], in nodes: [CBORNode], _ bytes: Span<UInt8>) throws(CBORError) {
        for position in 1..<keys.count {
            let before = nodes[keys[position - 1]], after = nodes[keys[position]]
            let reason: CBORError.Reason? = bytes.withUnsafeBytes { bytes in
                let before = before.source(of: bytes), after = after.source(of: bytes)
                if before.lexicographicallyPrecedes(after) { return nil }
                return before.elementsEqual(after) ? .duplicateKey : .unsortedKeys
            }
            if let reason { throw CBORError(reason, at: Int(after.start)) }
        }
    }

    private static func refuseTwins(_ keys: [Int], in nodes: [CBORNode], _ bytes: Span<UInt8>) throws(CBORError) {
        let hashed = keys.map { (hash: hash(nodes[$0], bytes), key: $0) }.sorted { ($0.hash, $0.key) < ($1.hash, $1.key) }
        for position in 1..<hashed.count {
            var other = position - 1
            while other >= 0, hashed[other].hash == hashed[position].hash {
                if equal(nodes[hashed[other].key], nodes[hashed[position].key], bytes) {
                    throw CBORError(.duplicateKey, at: Int(nodes[hashed[position].key].start))
                }
                other -= 1
            }
        }
    }

    private static func equal(_ one: CBORNode, _ other: CBORNode, _ bytes: Span<UInt8>) -> Bool {
        guard one.kind == other.kind, one.argument == other.argument else { return false }
        return bytes.withUnsafeBytes { one.content(of: $0).elementsEqual(other.content(of: $0)) }
    }

    private static func hash(_ key: CBORNode, _ bytes: Span<UInt8>) -> Int {
        var hasher = Hasher()
        hasher.combine(key.kind)
        hasher.combine(key.argument)
        bytes.withUnsafeBytes { hasher.combine(bytes: key.content(of: $0)) }
        return hasher.finalize()
    }
}
