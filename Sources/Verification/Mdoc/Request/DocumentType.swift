import Envelopes

/// Kinds of documents whose elements are known here (mdoc.md section 7). Any other is asked for and verified just as well, by whoever says
/// what it is called.
public enum DocumentType: String, Hashable, Sendable, CaseIterable {
    case drivingLicence = "org.iso.18013.5.1.mDL"
    /// Of a member state of the European Union.
    case identification = "eu.europa.ec.eudi.pid.1"
    case photoID = "org.iso.23220.photoid.1"
    /// Made from a passport, by Google.
    case idPass = "com.google.wallet.idcard.1"
    /// Says an age and nothing else.
    case ageVerification = "eu.europa.ec.av.1"
    case vehicleRegistration = "org.iso.7367.1.mVRC"
    case vaccination = "org.micov.1"

    public init?(named docType: String) {
        guard let known = Self.allCases.first(where: { $0.rawValue.isExactly(docType) }) else { return nil }
        self = known
    }

    /// Where portrait, name and age stand; nil where there is none of them.
    public var nameSpace: String? {
        switch self {
        case .drivingLicence, .idPass: "org.iso.18013.5.1"
        case .identification: "eu.europa.ec.eudi.pid.1"
        case .photoID: "org.iso.23220.1"
        case .ageVerification: "eu.europa.ec.av.1"
        case .vehicleRegistration, .vaccination: nil
        }
    }

    /// The elements that together are a person's name; none where there are none.
    public var nameElements: [String] {
        switch self {
        case .drivingLicence, .idPass, .identification: ["family_name", "given_name"]
        case .photoID: ["family_name_unicode", "given_name_unicode"]
        case .ageVerification, .vehicleRegistration, .vaccination: []
        }
    }

    /// Whether it shows who it is about: without a portrait it opens no door that wants a person.
    public var hasPortrait: Bool { !nameElements.isEmpty }

    /// Whether an age can be asked of it.
    public var hasAge: Bool { nameSpace != nil }
}
