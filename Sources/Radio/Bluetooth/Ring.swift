/// A first-in, first-out queue of a fixed capacity, in place.
///
/// Inlinable: another module that asks for it by its type's metadata pays more for that than for the queue.
public struct Ring<let capacity: Int, Element>: ~Copyable {
    @usableFromInline var slots = InlineArray<capacity, Element?>(repeating: nil)
    @usableFromInline var first = 0
    @usableFromInline var held = 0
    @inlinable public var count: Int { held }

    @inlinable public init() {}

    /// False, and nothing changed, when the queue is full.
    @inlinable
    @discardableResult
    public mutating func append(_ element: Element) -> Bool {
        guard count < capacity else { return false }
        slots[(first + count) % capacity] = element
        held += 1
        return true
    }

    /// The oldest element, which leaves the queue.
    @inlinable
    public mutating func next() -> Element? {
        guard count > 0, let element = slots[first] else { return nil }
        slots[first] = nil
        first = (first + 1) % capacity
        held -= 1
        return element
    }

    @inlinable
    public mutating func removeAll() {
        first = 0
        held = 0
    }

    @inlinable
    public mutating func contains(where isWanted: (Element) -> Bool) -> Bool {
        for index in 0..<count {
            if let element = slots[(first + index) % capacity], isWanted(element) { return true }
        }
        return false
    }

    /// Drops the elements that match; the others keep their order.
    @inlinable
    public mutating func removeAll(where isUnwanted: (Element) -> Bool) {
        var kept = 0
        for index in 0..<count {
            guard let element = slots[(first + index) % capacity], !isUnwanted(element) else { continue }
            slots[(first + kept) % capacity] = element
            kept += 1
        }
        held = kept
    }
}
