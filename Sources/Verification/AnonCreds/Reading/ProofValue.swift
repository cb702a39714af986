import JSON

/// A value of a sub-proof, as both forms have it: the members are the same, numbers and points are written differently (anoncreds.md
/// sections 1 and 7).
protocol ProofValue {
    /// Nil where this is no map.
    var entries: [(name: String, value: Self)]? { get }
    func member(_ name: String) -> Self?
    /// Nil where this is no array.
    var items: [Self]? { get }
    var isNothing: Bool { get }
    var text: String? { get }
    var integer: Int64? { get }
    /// An array of octets: an entry of `c_list`.
    var octets: [UInt8]? { get }
    /// Throws `presentationMalformed`, `unavailable`.
    func number(signed: Bool) throws(PresentationReason) -> ProofNumber
    var g1: G1Point? { get }
    /// In the subgroup.
    var g2: G2Point? { get }
    var scalar: Scalar? { get }
}

extension ProofValue {
    func member(_ name: String) -> Self? { entries?.first { $0.name.utf8.elementsEqual(name.utf8) }?.value }

    /// Throws `presentationMalformed` where it is not there.
    func require(_ name: String) throws(PresentationReason) -> Self {
        guard let value = member(name) else { throw .presentationMalformed }
        return value
    }

    /// A member that may be missing or null.
    func optional(_ name: String) -> Self? { member(name).flatMap { $0.isNothing ? nil : $0 } }

    func number(_ name: String) throws(PresentationReason) -> ProofNumber { try require(name).number(signed: false) }

    func text(_ name: String) throws(PresentationReason) -> String {
        guard let text = try require(name).text else { throw .presentationMalformed }
        return text
    }

    /// The values of a map that has exactly these keys.
    func exactly(_ names: [String]) throws(PresentationReason) -> [Self] {
        guard let entries, entries.count == names.count else { throw .presentationMalformed }
        var values: [Self] = []
        for name in names { values.append(try require(name)) }
        return values
    }

    func numbers(_ names: [String]) throws(PresentationReason) -> [ProofNumber] {
        var numbers: [ProofNumber] = []
        for value in try exactly(names) { numbers.append(try value.number(signed: false)) }
        return numbers
    }

    /// A map from views to numbers.
    func numbersByView(most: Int, signed: Bool) throws(PresentationReason) -> [ExactText: ProofNumber] {
        guard let entries, entries.count <= most else { throw .presentationMalformed }
        var numbers: [ExactText: ProofNumber] = [:]
        for entry in entries { numbers[ExactText(entry.name)] = try entry.value.number(signed: signed) }
        guard numbers.count == entries.count else { throw .presentationMalformed }
        return numbers
    }
}

/// A value of a classic presentation, and of the definitions of the bundle.
struct ClassicValue: ProofValue {
    let json: JSONValue

    init(_ json: JSONValue) { self.json = json }

    var entries: [(name: String, value: ClassicValue)]? { json.members.map { $0.map { ($0.name, ClassicValue($0.value)) } } }
    var items: [ClassicValue]? { json.elements.map { $0.map { ClassicValue($0) } } }
    var isNothing: Bool { json.isNull }
    var text: String? { json.string }
    var integer: Int64? { json.int64 }
    var g1: G1Point? { json.stringBytes.flatMap { PointText.g1($0) } }
    var g2: G2Point? { json.stringBytes.flatMap { PointText.g2($0) } }
    var scalar: Scalar? { json.stringBytes.flatMap { PointText.scalar($0) } }

    func member(_ name: String) -> ClassicValue? { json[name].map { ClassicValue($0) } }

    func number(signed: Bool) throws(PresentationReason) -> ProofNumber {
        guard let text = json.stringBytes else { throw .presentationMalformed }
        return try ProofNumber(text: text, signed: signed)
    }

    /// Read from the array's own octets: a value for each of `c_list`'s numbers would be a text for each.
    var octets: [UInt8]? {
        guard json.kind == .array else { return nil }
        return json.withSource { source in
            var octets: [UInt8] = [], value: Int?
            for index in source.indices {
                let character = source[index]
                switch character {
                case UInt8(ascii: "0")...UInt8(ascii: "9"):
                    let next = (value ?? 0) * 10 + Int(character - UInt8(ascii: "0"))
                    guard next <= 0xFF else { return nil }
                    value = next
                case UInt8(ascii: ","), UInt8(ascii: "]"):
                    if let value { octets.append(UInt8(truncatingIfNeeded: value)) }
                    value = nil
                // The array's own bracket; any other begins an array in it.
                case UInt8(ascii: "[") where index == 0: continue
                case 0x20, 0x0A, 0x0D, 0x09: continue
                default: return nil
                }
            }
            return octets
        }
    }
}
