import Mdoc
import MdocTransport

/// What a gate asks of documents in phones, and how (mdoc.md sections 1.2, 4 and 5). A value of the site's; nothing of a phone is in it.
public struct MdocSettings: Sendable {
    /// A site with more kinds of documents than this asks a person to read a list.
    public static var mostAlternatives: Int { 8 }

    /// The documents of which each alone lets somebody in, the one that is preferred first. All are asked for at once.
    public var alternatives: [MdocAlternative]
    /// The bearer that is tried first, where phone and controller have it.
    public var bearer = MdocBearer.channel
    /// How long the gate waits for a link, for a person's consent and for an answer.
    public var timing = MdocTiming()
    /// Clock differences that are allowed, and whether a status is asked for.
    public var verification = MdocVerifier.Settings()

    public init(alternatives: [MdocAlternative] = [.drivingLicence]) {
        self.alternatives = Array(alternatives.prefix(Self.mostAlternatives))
    }
}

/// One kind of document that lets somebody in, and what of it is asked for. The portrait is asked for by whoever compares faces; an age, by
/// whoever needs one.
public struct MdocAlternative: Hashable, Sendable {
    /// Something that is asked for. Nothing is ever kept (mdoc.md section 8).
    public struct Element: Hashable, Sendable {
        public var nameSpace: String
        public var name: String
        /// Without it nobody is let in.
        public var isRequired: Bool

        public init(_ nameSpace: String, _ name: String, isRequired: Bool = true) {
            self.nameSpace = nameSpace
            self.name = name
            self.isRequired = isRequired
        }
    }

    public var docType: String
    public var elements: [Element]
    /// Whole years; nil asks for no age.
    public var leastAge: Int?

    public init(docType: String, elements: [Element] = [], leastAge: Int? = nil) {
        self.docType = docType
        self.elements = elements
        self.leastAge = leastAge
    }

    public static let drivingLicence = MdocAlternative(docType: DocumentType.drivingLicence.rawValue)
}

extension DocumentType {
    /// What says the least of the person it is about: asked for where nothing else is, because a request has to ask for something.
    var least: String { self == .ageVerification ? "age_over_18" : "issuing_country" }

    /// What is asked for where somebody has to be so many years old. The PID has no `age_over_NN` since September 2025 (mdoc.md section 7).
    func age(_ years: Int) -> String { self == .identification ? "birth_date" : "age_over_" + (years < 10 ? "0\(years)" : "\(years)") }
}
