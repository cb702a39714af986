import Envelopes
import LinkedData

/// IRIs this verifier looks for in signed statements.
enum CredentialTerms {
    /// VC data model, 1.1 and 2.0 alike.
    static let vocabulary = "https://www.w3.org/2018/credentials#"
    /// Bitstring Status List, and StatusList2021 before it.
    static let statusVocabularies = ["https://www.w3.org/ns/credentials/status#", "https://w3id.org/vc/status-list#"]
}

/// Types that say of a credential, or of its subject, that it is a status list. Lists are public, so they are nobody's credentials, however
/// general the types are that an issuer is trusted for.
enum StatusListType {
    private static let names = ["BitstringStatusListCredential", "BitstringStatusList", "StatusList2021Credential", "StatusList2021"]
    private static let iris = CredentialTerms.statusVocabularies.flatMap { vocabulary in names.map { vocabulary + $0 } }

    /// - Parameter type: as signed.
    static func isOne(_ type: String) -> Bool { (names + iris).contains { type.isExactly($0) } }
}

extension Term {
    /// The IRI; nil for a blank node or a literal.
    var iri: String? { if case .iri(let iri) = self { iri.string } else { nil } }
    /// The text of a literal, whatever its datatype.
    var text: String? { if case .literal(let literal) = self { literal.value.string } else { nil } }
}
