import AnonCreds
import JSON
import TestSupport

/// `encoding.json` and `pairing.json`: each prints a line, and every value that differs before it.
enum OtherFiles {
    /// Pairs of a raw text and its number. Returns how many differ.
    static func encoding(_ file: JSONValue) -> Int {
        var tally = Tally("encoding.json")
        for each in file.elements.map({ Array($0) }) ?? [] {
            guard let raw = each["raw"]?.string, let encoded = each["encoded"]?.string else {
                tally.compare("?", false)
                continue
            }
            tally.compare("\"\(raw)\"", AttributeEncoding.isNumber(encoded, of: raw))
        }
        return tally.finish()
    }

    /// The curve: constants, multiples, pairings, texts.
    static func pairing(_ file: JSONValue) -> Int {
        var tally = Tally("pairing.json")
        let one = Values.number("1"), two = Values.number("2"), three = Values.number("3")
        let g1 = Values.g1(file["g1"]), g2 = Values.g2(file["g2"])
        let k = file["g1"]?["k"]?.string.flatMap { Values.number($0) }
        tally.compare("g1", CurveCalculation.isInG1(g1))
        tally.compare("g2", CurveCalculation.isInG2(g2))
        tally.compare("outside_subgroup", !CurveCalculation.isInG2(Values.g2(file["outside_subgroup"])))
        tally.compare("g1.twice", CurveCalculation.multiple(ofG1: g1, two), Values.g1(list: file["g1"]?["twice"]))
        tally.compare("g1.times_k", CurveCalculation.multiple(ofG1: g1, k ?? []), Values.g1(list: file["g1"]?["times_k"]))
        tally.compare("g2.thrice", CurveCalculation.multiple(ofG2: g2, three), Values.g2(list: file["g2"]?["thrice"]))
        tally.compare("g2.times_k", CurveCalculation.multiple(ofG2: g2, k ?? []), Values.g2(list: file["g2"]?["times_k"]))
        let sixfold = [(g1: CurveCalculation.multiple(ofG1: g1, two) ?? [], g2: CurveCalculation.multiple(ofG2: g2, three) ?? [])]
        tally.compare("pairing_of_generators", CurveCalculation.pairing([(g1, g2)]), Values.gt(file["pairing_of_generators"]))
        tally.compare("pairing_to_1", CurveCalculation.pairing([(g1, g2)], power: one), Values.gt(file["pairing_of_generators"]))
        tally.compare("pairing_hashed", CurveCalculation.pairing([(g1, g2)]), Values.hex(file["pairing_hashed"]))
        tally.compare("pairing_of_twice_and_thrice", CurveCalculation.pairing(sixfold), Values.gt(file["pairing_of_twice_and_thrice"]))
        tally.compare("pairing_to_k", CurveCalculation.pairing([(g1, g2)], power: k), Values.gt(file["pairing_to_k"]))
        tally.compare("infinity_hashed", CurveCalculation.infinity, Values.hex(file["infinity_hashed"]))
        let constants: [JSONValue] = file["frobenius_w"]?.elements.map { Array($0) } ?? []
        for n in constants.indices.dropFirst() {
            tally.compare("frobenius_w \(n)", CurveCalculation.frobeniusConstant(n), Values.elements(constants[n]))
        }
        texts(file, &tally)
        return tally.finish()
    }

    private static func texts(_ file: JSONValue, _ tally: inout Tally) {
        func members(_ value: JSONValue?) -> [JSONMember] { value?.members.map { Array($0) } ?? [] }
        for member in members(file["texts"]?["g1"]) {
            let text = member.value["text"]?.string ?? "", octets = CurveCalculation.g1(text: text)
            tally.compare("texts.g1.\(member.name)", octets, Values.g1(member.value))
            tally.compare("texts.g1.\(member.name).hashed", octets, Values.hex(member.value["hashed"]))
        }
        for member in members(file["texts"]?["g2"]) {
            let text = member.value["text"]?.string ?? "", octets = CurveCalculation.g2(text: text)
            tally.compare("texts.g2.\(member.name)", octets, Values.g2(member.value))
            tally.compare("texts.g2.\(member.name).hashed", octets, Values.hex(member.value["hashed"]))
        }
        let value = file["texts"]?["gt"], octets = CurveCalculation.gt(text: value?["text"]?.string ?? "")
        tally.compare("texts.gt", octets, Values.gt(value?["value"]))
        tally.compare("texts.gt.hashed", octets, Values.hex(value?["hashed"]))
        let g = CurveCalculation.g1(text: file["texts"]?["g1"]?["g"]?["text"]?.string ?? "") ?? []
        let gDash = CurveCalculation.g2(text: file["texts"]?["g2"]?["g_dash"]?["text"]?.string ?? "") ?? []
        tally.compare("pairing_of_definition", CurveCalculation.pairing([(g, gDash)]), Values.gt(file["pairing_of_definition"]?["value"]))
    }
}

/// How many values of a file agree.
struct Tally {
    private let file: String
    private var count = 0, agreed = 0

    init(_ file: String) { self.file = file }

    mutating func compare(_ name: String, _ agrees: Bool) {
        count += 1
        if agrees { agreed += 1 } else { print("\(file): \(name) differs") }
    }

    mutating func compare(_ name: String, _ found: [UInt8]?, _ expected: [UInt8]) {
        compare(name, found == expected && !expected.isEmpty)
    }

    /// Returns how many differ; a file of nothing differs.
    func finish() -> Int {
        print("\(file): \(agreed) of \(count)")
        return count == 0 ? 1 : count - agreed
    }
}
