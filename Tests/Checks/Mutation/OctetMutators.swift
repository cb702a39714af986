import TestSupport

extension Mutator {
    private static let structure = Array("{}[]:,\"\\~.-_= \n/+0123456789eE@zu".utf8)
    private static let spaces: [UInt8] = Array(" \n\t\r".utf8) + [0xA0, 0, 0x0B]

    /// Octets anywhere, and where one token of JSON or compact text ends and another begins.
    static let octetMutators: [Mutator] = [
        octets("octets: bit flipped") { octets, random, _ in
            guard !octets.isEmpty else { return }
            octets[random.below(octets.count)] ^= 1 << UInt8(random.below(8))
        },
        octets("octets: replaced") { octets, random, _ in
            guard !octets.isEmpty else { return }
            octets[place(in: octets, &random)] = random.chance(50) ? random.octet() : random.one(of: structure) ?? 0
        },
        octets("octets: inserted") { octets, random, _ in
            let count = 1 + random.below(3), place = place(in: octets, &random)
            octets.insert(
                contentsOf: (0..<count).map { _ in random.chance(30) ? random.octet() : random.one(of: structure) ?? 0 }, at: place)
        },
        octets("octets: removed") { octets, random, _ in
            let first = place(in: octets, &random)
            octets.removeSubrange(first..<min(octets.count, first + 1 + random.below(random.chance(80) ? 3 : 100)))
        },
        octets("octets: repeated") { octets, random, _ in
            let first = place(in: octets, &random)
            let piece = octets[first..<min(octets.count, first + 1 + random.below(60))]
            octets.insert(contentsOf: piece, at: random.chance(50) ? first : random.below(octets.count))
        },
        octets("octets: swapped") { octets, random, _ in
            guard octets.count > 1 else { return }
            let first = min(place(in: octets, &random), octets.count - 2)
            octets.swapAt(first, random.chance(60) ? first + 1 : random.below(octets.count))
        },
        octets("octets: cut", 2) { octets, random, _ in octets = Array(octets.prefix(random.below(octets.count))) },
        octets("octets: space", 4) { octets, random, _ in
            let space = random.one(of: spaces) ?? 0
            let places = [0, octets.count, place(in: octets, &random)]
            octets.insert(space, at: random.one(of: places) ?? 0)
        },
    ]

    /// A place in `octets`, half of the time beside a token's end.
    private static func place(in octets: [UInt8], _ random: inout SeededRandom) -> Int {
        let place = random.below(octets.count)
        guard random.chance(50) else { return place }
        let next = octets[place...].prefix(4_000).firstIndex { structure.contains($0) } ?? place
        return min(next + random.below(2), max(octets.count - 1, 0))
    }
}
