/// `requested_proof` of the classic form: which answer is where (anoncreds.md section 1).
struct RequestedProof: Sendable {
    /// What is said of a revealed attribute.
    struct Value: Sendable {
        let raw: String
        let encoded: ProofNumber

        init(_ value: ClassicValue) throws(PresentationReason) {
            raw = try value.text("raw")
            guard raw.utf8.count <= Limits.text else { throw .presentationMalformed }
            encoded = try value.require("encoded").number(signed: true)
        }
    }

    struct Single: Sendable {
        let index: Int
        let value: Value
    }

    struct Group: Sendable {
        let index: Int
        /// By name, as the wallet spells it.
        let values: [(name: String, value: Value)]
    }

    let revealed: [ExactText: Single]
    let groups: [ExactText: Group]
    let selfAttested: [ExactText: String]
    /// Indexes of sub-proofs by referent.
    let unrevealed: [ExactText: Int]
    let predicates: [ExactText: Int]

    /// - Parameter count: sub-proofs that there are. Throws `presentationMalformed` for an index that none has.
    init(_ value: ClassicValue, subProofs count: Int) throws(PresentationReason) {
        func index(_ value: ClassicValue) throws(PresentationReason) -> Int {
            guard let index = try value.require("sub_proof_index").integer, 0..<Int64(count) ~= index else { throw .presentationMalformed }
            return Int(index)
        }
        revealed = try Self.map(value, "revealed_attrs") { (each) throws(PresentationReason) in
            Single(index: try index(each), value: try Value(each))
        }
        groups = try Self.map(value, "revealed_attr_groups") { (each) throws(PresentationReason) in
            guard let entries = try each.require("values").entries, entries.count <= Limits.attributes else { throw .presentationMalformed }
            var values: [(name: String, value: Value)] = []
            for entry in entries { values.append((entry.name, try Value(entry.value))) }
            return Group(index: try index(each), values: values)
        }
        selfAttested = try Self.map(value, "self_attested_attrs") { (each) throws(PresentationReason) in
            guard let text = each.text, text.utf8.count <= Limits.text else { throw .presentationMalformed }
            return text
        }
        unrevealed = try Self.map(value, "unrevealed_attrs", index)
        predicates = try Self.map(value, "predicates", index)
    }

    /// A map by referent, which may be missing where it is empty.
    private static func map<Answer>(
        _ value: ClassicValue, _ name: String, _ read: (ClassicValue) throws(PresentationReason) -> Answer
    ) throws(PresentationReason) -> [ExactText: Answer] {
        guard let stated = value.member(name) else { return [:] }
        guard let entries = stated.entries, entries.count <= Limits.referents else { throw .presentationMalformed }
        var answers: [ExactText: Answer] = [:]
        for entry in entries { answers[ExactText(entry.name)] = try read(entry.value) }
        return answers
    }
}
