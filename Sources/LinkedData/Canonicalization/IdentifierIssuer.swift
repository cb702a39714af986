/// Names for blank nodes in the order they are asked for (RDFC-1.0 section 4.5). Nodes are positions in the dataset's list of blank nodes.
struct IdentifierIssuer {
    private let prefix: String
    private var numbers: [Int32]
    /// Nodes that have a name, first named first.
    private(set) var order: [Int] = []

    init(prefix: String, nodes: Int) {
        self.prefix = prefix
        numbers = [Int32](repeating: -1, count: nodes)
    }

    func identifier(of node: Int) -> String? { numbers[node] < 0 ? nil : "\(prefix)\(numbers[node])" }

    mutating func issue(_ node: Int) -> String {
        if let known = identifier(of: node) { return known }
        numbers[node] = Int32(truncatingIfNeeded: order.count)
        order.append(node)
        return "\(prefix)\(order.count - 1)"
    }
}
