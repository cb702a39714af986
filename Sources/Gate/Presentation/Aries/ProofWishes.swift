import DIDComm

/// What a gate asks of AnonCreds credentials, and how (aries.md section 3, anoncreds.md section 9). A value of the site's; nothing of a
/// wallet is in it. What the bundle adds (whose credentials, until when they hold, whether they can be revoked) is in no site's hands.
public struct ProofWishes: Hashable, Sendable {
    /// Something to be proven of an attribute whose value stays with the holder.
    public struct Predicate: Hashable, Sendable {
        public enum Relation: String, Hashable, Sendable, CaseIterable {
            case atLeast = ">="
            case more = ">"
            case atMost = "<="
            case less = "<"
        }

        public var attribute: String
        public var relation: Relation
        public var value: Int32

        public init(_ attribute: String, _ relation: Relation, _ value: Int32) {
            self.attribute = attribute
            self.relation = relation
            self.value = value
        }
    }

    /// By which UUID the gate's service is found.
    public enum Service: String, Hashable, Sendable, CaseIterable {
        /// Another one in each visit, said in the code.
        case fresh
        /// The one of the draft of 2021, for wallets that read no code (aries.md section 1).
        case fixed = "default"
    }

    /// What wallets call the gate.
    public var label = "Gatehouse"
    /// Attributes that are shown, all of them of one credential.
    public var attributes: [String] = []
    public var predicates: [Predicate] = []
    /// Whole years; nil asks for no age. It is proven of the date of birth, which is not shown.
    public var leastAge: Int?
    /// Ids of the definitions that are asked for; empty for all of the bundle that have what is asked.
    public var definitions: [String] = []
    /// How the request is worded.
    public var version = ProofVersion.two
    public var format = ProofFormat.anoncreds
    public var service = Service.fresh
    /// Where the answer is posted; nil for Bluetooth (aries.md section 6).
    public var endpoint: String?
    /// Of the site's clock, seconds east of UTC: by it a day begins.
    public var zone: Int64 = 0

    public init() {}
}
