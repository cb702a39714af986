import LinkedData

/// Counts the cases of a suite and remembers which failed, and how.
struct Tally {
    private let name: String
    private(set) var ran = 0
    private(set) var failures: [String] = []

    init(_ name: String) { self.name = name }

    var passed: Int { ran - failures.count }

    /// - Parameter body: gives nil for success, or what went wrong.
    mutating func run(_ id: String, _ body: () throws -> String?) {
        ran += 1
        do {
            if let problem = try body() { failures.append("\(id): \(problem)") }
        } catch {
            failures.append("\(id): threw \(error)")
        }
    }

    func report() {
        print("\(name): \(passed) of \(ran) passed")
        for failure in failures { print("  \(failure)") }
    }
}
