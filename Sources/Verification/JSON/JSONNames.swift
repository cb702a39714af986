/// The duplicate-name rule: RFC 8259 section 4 calls the result of duplicates unpredictable, so here they are an error.
enum JSONNames {
    /// Up to this many members every pair is compared, where no name is escaped; otherwise names are hashed (the standard library's seeded
    /// hash) and sorted, so that each is unescaped once.
    private static let pairwise = 8

    /// Throws when two members of the object at `container` have the same name after unescaping. O(n log n) in the members.
    static func refuseDuplicates(of container: Int, in nodes: [JSONNode], _ bytes: Span<UInt8>) throws(JSONError) {
        let end = Int(nodes[container].next)
        var count = 0
        var anyEscaped = false
        var index = container + 1
        while index + 1 < end {
            anyEscaped = anyEscaped || nodes[index].escaped
            if count < pairwise, !anyEscaped { try refuseEarlierTwin(of: index, from: container + 1, in: nodes, bytes) }
            count += 1
            index = Int(nodes[index + 1].next)
        }
        if count > pairwise || (anyEscaped && count > 1) { try refuseTwins(from: container + 1, to: end, count, in: nodes, bytes) }
    }

    /// Compares the name at `name` with those before it in the same object.
    private static func refuseEarlierTwin(
        of name: Int, from first: Int, in nodes: [JSONNode], _ bytes: Span<UInt8>
    ) throws(JSONError) {
        var earlier = first
        while earlier < name {
            if equal(nodes[earlier], nodes[name], bytes) { throw JSONError(.duplicateName, at: Int(nodes[name].start)) }
            earlier = Int(nodes[earlier + 1].next)
        }
    }

    private static func refuseTwins(
        from first: Int, to end: Int, _ count: Int, in nodes: [JSONNode], _ bytes: Span<UInt8>
    ) throws(JSONError) {
        var names: [Int] = []
        names.reserveCapacity(count)
        var index = first
        while index + 1 < end {
            names.append(index)
            index = Int(nodes[index + 1].next)
        }
        let hashed = names.map { (hash: hash(nodes[$0], bytes), name: $0) }.sorted { ($0.hash, $0.name) < ($1.hash, $1.name) }
        for position in 1..<hashed.count {
            var other = position - 1
            while other >= 0, hashed[other].hash == hashed[position].hash {
                if equal(nodes[hashed[other].name], nodes[hashed[position].name], bytes) {
                    throw JSONError(.duplicateName, at: Int(nodes[hashed[position].name].start))
                }
                other -= 1
            }
        }
    }

    private static func equal(_ one: JSONNode, _ other: JSONNode, _ bytes: Span<UInt8>) -> Bool {
        if !one.escaped, !other.escaped {
            guard one.end - one.start == other.end - other.start else { return false }
            for offset in 0..<Int(one.end - one.start) where bytes[Int(one.start) + offset] != bytes[Int(other.start) + offset] {
                return false
            }
            return true
        }
        return text(one, bytes) == text(other, bytes)
    }

    private static func hash(_ name: JSONNode, _ bytes: Span<UInt8>) -> Int {
        var hasher = Hasher()
        if name.escaped {
            text(name, bytes).withUnsafeBytes { hasher.combine(bytes: $0) }
        } else {
            bytes.withUnsafeBytes { hasher.combine(bytes: name.content(of: $0)) }
        }
        return hasher.finalize()
    }

    private static func text(_ name: JSONNode, _ bytes: Span<UInt8>) -> [UInt8] {
        bytes.withUnsafeBytes { JSONText.unescape(name.content(of: $0)) }
    }
}
