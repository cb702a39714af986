/// Names for blank nodes in the order they are asked for (RDFC-1.0 section 4.5). Nodes are positions in the dataset's list of blank nodes.
struct IdentifierIssuer {
    private let prefix: StaticString
    private var numbers: [Int32]
    /// Nodes that have a name, first named first.
    private(set) var order: [Int] = []

    init(prefix: StaticString, nodes: Int) {
        self.prefix = prefix
        numbers = [Int32](repeating: -1, count: nodes)
    }

    func hasIdentifier(_ node: Int) -> Bool { numbers[node] >= 0 }

    /// Names `node` if it has no name yet.
    mutating func issue(_ node: Int) {
        guard numbers[node] < 0 else { return }
        numbers[node] = Int32(truncatingIfNeeded: order.count)
        order.append(node)
    }

    /// The name of a node that has one, without `_:`.
    func appendIdentifier(of node: Int, to octets: inout [UInt8]) {
        octets.append(contentsOf: UnsafeBufferPointer(start: prefix.utf8Start, count: prefix.utf8CodeUnitCount))
        var number = max(numbers[node], 0)
        let start = octets.count
        repeat {
            octets.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number % 10))
            number /= 10
        } while number > 0
        octets[start...].reverse()
    }
}
