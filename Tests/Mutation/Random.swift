/// A small generator (SplitMix64), so that a seed means the same mutants on every machine.
struct Random {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }

    /// A number from 0 up to `count`; 0 where there is none.
    mutating func below(_ count: Int) -> Int { count > 0 ? Int(next() % UInt64(count)) : 0 }

    mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

    mutating func octet() -> UInt8 { UInt8(truncatingIfNeeded: next()) }

    mutating func one<Elements: Collection>(of elements: Elements) -> Elements.Element? {
        guard !elements.isEmpty else { return nil }
        return elements[elements.index(elements.startIndex, offsetBy: below(elements.count))]
    }

    /// Two different places of a collection that long.
    mutating func pair(below count: Int) -> (Int, Int)? {
        guard count > 1 else { return nil }
        let first = below(count)
        return (first, (first + 1 + below(count - 1)) % count)
    }

    mutating func shuffle<Element>(_ elements: inout [Element]) {
        for place in elements.indices.dropLast() { elements.swapAt(place, place + below(elements.count - place)) }
    }
}
