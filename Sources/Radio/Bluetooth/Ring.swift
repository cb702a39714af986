/// A first-in, first-out queue of a fixed capacity, in place.
public struct Ring<let capacity: Int, Element>: ~Copyable {
    private var slots = InlineArray<capacity, Element?>(repeating: nil)
    private var first = 0
    public private(set) var count = 0

    public init() {}

    /// False, and nothing changed, when the queue is full.
    @discardableResult
    public mutating func append(_ element: Element) -> Bool {
        guard count < capacity else { return false }
        slots[(first + count) % capacity] = element
        count += 1
        return true
    }

    /// The oldest element, which leaves the queue.
    public mutating func next() -> Element? {
        guard count > 0, let element = slots[first] else { return nil }
        slots[first] = nil
        first = (first + 1) % capacity
        count -= 1
        return element
    }

    public mutating func removeAll() {
        first = 0
        count = 0
    }

    public mutating func contains(where isWanted: (Element) -> Bool) -> Bool {
        for index in 0..<count {
            if let element = slots[(first + index) % capacity], isWanted(element) { return true }
        }
        return false
    }

    /// Drops the elements that match; the others keep their order.
    public mutating func removeAll(where isUnwanted: (Element) -> Bool) {
        var kept = 0
        for index in 0..<count {
            guard let element = slots[(first + index) % capacity], !isUnwanted(element) else { continue }
            slots[(first + kept) % capacity] = element
            kept += 1
        }
        count = kept
    }
}
