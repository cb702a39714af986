/// A predicate, as it is asked for and as it is proven.
struct Predicate: Hashable, Sendable {
    enum Relation: String, Hashable, Sendable {
        case atLeast = "GE"
        case more = "GT"
        case atMost = "LE"
        case less = "LT"

        /// The sign in requests.
        init?(sign: String) {
            switch sign {
            case ">=": self = .atLeast
            case ">": self = .more
            case "<=": self = .atMost
            case "<": self = .less
            default: return nil
            }
        }

        var sign: String {
            switch self {
            case .atLeast: ">="
            case .more: ">"
            case .atMost: "<="
            case .less: "<"
            }
        }

        /// σ of anoncreds.md section 4.
        var isUpward: Bool { self == .atLeast || self == .more }
    }

    /// A view.
    let attribute: ExactText
    let relation: Relation
    let value: Int32

    /// δ' of anoncreds.md section 4; 32 bits are not enough for it.
    var bound: Int64 {
        switch relation {
        case .atLeast, .atMost: Int64(value)
        case .more: Int64(value) + 1
        case .less: Int64(value) - 1
        }
    }
}

/// The proof of one predicate: an entry of `ge_proofs`.
struct PredicateProof: Sendable {
    let u: [ProofNumber], r: [ProofNumber], rDelta: ProofNumber
    let mj: ProofNumber, alpha: ProofNumber
    let t: [ProofNumber], tDelta: ProofNumber
    let predicate: Predicate

    private static let squares = ["0", "1", "2", "3"]

    init(_ value: some ProofValue) throws(PresentationReason) {
        u = try value.require("u").numbers(Self.squares)
        let responses = try value.require("r").numbers(Self.squares + ["DELTA"])
        let commitments = try value.require("t").numbers(Self.squares + ["DELTA"])
        guard let rDelta = responses.last, let tDelta = commitments.last else { throw .presentationMalformed }
        (r, self.rDelta) = (responses.dropLast(), rDelta)
        (t, self.tDelta) = (commitments.dropLast(), tDelta)
        mj = try value.number("mj")
        alpha = try value.number("alpha")
        let stated = try value.require("predicate")
        guard let relation = Predicate.Relation(rawValue: try stated.text("p_type")),
            let number = try stated.require("value").integer.flatMap({ Int32(exactly: $0) })
        else { throw .presentationMalformed }
        predicate = Predicate(attribute: ExactText(try stated.text("attr_name")), relation: relation, value: number)
    }

    /// T_0 … T_3, T_Δ.
    var commitments: [ProofNumber] { t + [tDelta] }
}

/// `eq_proof`: that the holder has a signature over the attributes.
struct EqualityProof: Sendable {
    let revealed: [ExactText: ProofNumber]
    let aPrime: ProofNumber, e: ProofNumber, v: ProofNumber
    /// Responses of what stays hidden, the link secret among them.
    let m: [ExactText: ProofNumber]
    let m2: ProofNumber

    init(_ value: some ProofValue) throws(PresentationReason) {
        revealed = try value.require("revealed_attrs").numbersByView(most: Limits.attributes, signed: true)
        m = try value.require("m").numbersByView(most: Limits.attributes + 1, signed: false)
        aPrime = try value.number("a_prime")
        e = try value.number("e")
        v = try value.number("v")
        m2 = try value.number("m2")
    }
}

/// What is proven of one credential (anoncreds.md section 1).
struct SubProof: Sendable {
    let equality: EqualityProof
    let predicates: [PredicateProof]
    let nonRevocation: NonRevocationProof?

    init(_ value: some ProofValue) throws(PresentationReason) {
        let primary = try value.require("primary_proof")
        equality = try EqualityProof(primary.require("eq_proof"))
        guard let stated = try primary.require("ge_proofs").items, stated.count <= Limits.predicates else { throw .presentationMalformed }
        var predicates: [PredicateProof] = []
        for each in stated { predicates.append(try PredicateProof(each)) }
        self.predicates = predicates
        nonRevocation = try value.optional("non_revoc_proof").map { (proof) throws(PresentationReason) in try NonRevocationProof(proof) }
    }
}

/// What a sub-proof says it is of: an index into the bundle, and nothing more.
struct CredentialIdentifier: Sendable {
    let schemaID: ExactText, definitionID: ExactText, registryID: ExactText?
    /// Of the status list, in seconds since 1970.
    let timestamp: Int64?

    init(_ value: some ProofValue) throws(PresentationReason) {
        schemaID = ExactText(try value.text("schema_id"))
        definitionID = ExactText(try value.text("cred_def_id"))
        if let registry = value.optional("rev_reg_id") {
            guard let text = registry.text else { throw .presentationMalformed }
            registryID = ExactText(text)
        } else {
            registryID = nil
        }
        if let time = value.optional("timestamp") {
            guard let seconds = time.integer, seconds >= 0 else { throw .presentationMalformed }
            timestamp = seconds
        } else {
            timestamp = nil
        }
    }
}

/// `c_hash` and `c_list`.
struct AggregatedProof: Sendable {
    let challenge: ProofNumber
    let commitments: [[UInt8]]

    init(_ value: some ProofValue) throws(PresentationReason) {
        challenge = try value.number("c_hash")
        guard let stated = try value.require("c_list").items, stated.count <= Limits.commitments else { throw .presentationMalformed }
        var commitments: [[UInt8]] = []
        for each in stated {
            guard let octets = each.octets, octets.count <= Limits.commitmentOctets else { throw .presentationMalformed }
            commitments.append(octets)
        }
        self.commitments = commitments
    }
}
