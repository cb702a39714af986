import TestSupport

/// How mutators draw. A seed means the same mutants on every machine.
extension SeededRandom {
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
