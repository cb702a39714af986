import TestSupport

/// How many comparisons agreed. Each difference is printed as it is found.
struct Tally {
    private var agreed = 0, all = 0

    var text: String { "\(agreed) of \(all)" }
    var agrees: Bool { all > 0 && agreed == all }

    /// Compares what a vector says with what comes of it here, each a list of facts; the order does not matter.
    mutating func compare(_ name: String, _ expected: [String], _ found: [String]) {
        all += 1
        if Set(expected) == Set(found) {
            agreed += 1
        } else {
            print("\(name): expected \(Set(expected).subtracting(found).sorted()), found \(Set(found).subtracting(expected).sorted())")
        }
    }

    /// Compares octets, and says where they begin to differ.
    mutating func compare(_ name: String, octets expected: [UInt8], _ found: [UInt8]) {
        compare(name, ["octets as given"], [Self.difference(expected, found)])
    }

    mutating func add(_ other: Tally) {
        agreed += other.agreed
        all += other.all
    }

    static func difference(_ expected: [UInt8], _ found: [UInt8]) -> String {
        guard expected != found else { return "octets as given" }
        let place = zip(expected, found).prefix { $0 == $1 }.count
        return "\(found.count) octets for \(expected.count), another at \(place): \(Hex.text(Array(found.dropFirst(place).prefix(16))))"
    }
}
