/// The orders of `count` things, one after another, least first.
struct Permutation {
    private(set) var indices: [Int]

    init(count: Int) { indices = Array(0..<max(count, 0)) }

    /// How many orders there are; any value above `limit` when there are more.
    static func count(of things: Int, upTo limit: Int) -> Int {
        var orders = 1
        for factor in 1..<max(things, 1) + 1 {
            let (product, overflow) = orders.multipliedReportingOverflow(by: factor)
            if overflow { return .max }
            orders = product
            if orders > limit { break }
        }
        return orders
    }

    /// Steps to the next order; false after the last.
    mutating func advance() -> Bool {
        guard var pivot = indices.indices.dropLast().last else { return false }
        while indices[pivot] > indices[pivot + 1] {
            guard pivot > 0 else { return false }
            pivot -= 1
        }
        guard let successor = indices.lastIndex(where: { $0 > indices[pivot] }) else { return false }
        indices.swapAt(pivot, successor)
        indices[(pivot + 1)...].reverse()
        return true
    }
}
