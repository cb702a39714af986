import Credentials
import Presentation
import Trust

/// What a visit has to know of a credential that is believed, whatever its form: for the face, the verdict and the record, and no claim
/// beside the portrait.
struct BelievedCredential: Sendable {
    enum Portrait: Sendable {
        case none
        /// A `data:` URI with base64, or base64 alone.
        case text(String)
        /// There is one, and it cannot be read: not the same as none.
        case unreadable
    }

    let form: CredentialForm
    /// The trusted issuer's id; of a document in a phone, the digest of its root.
    let issuer: String
    let type: String
    let face: Portrait
    var proof: ProofRecord?
    var status: CredentialStatus?
    var notes: [String]
    /// The phone has signed this very session: it is the one that the credential was issued to.
    let isDeviceBound: Bool

    /// The portrait as text, for whoever compares faces.
    var portrait: String? {
        if case .text(let text) = face { text } else { nil }
    }
}

extension BelievedCredential {
    init(_ credential: VerifiedCredential) {
        form = credential.form
        issuer = credential.issuer
        type = credential.type
        proof = credential.proof
        status = credential.status.status
        notes = credential.notes.map(\.code)
        isDeviceBound = false
        switch credential.claim(.portrait) {
        case nil: face = .none
        case let portrait? where portrait.isNull: face = .none
        case let portrait?: face = portrait.string.map(Portrait.text) ?? .unreadable
        }
    }

    init(_ document: MdocDocument) {
        form = .mdoc
        issuer = document.issuer
        type = document.docType
        status = document.hasStatus ? .good : nil
        notes = document.notes
        isDeviceBound = true
        face =
            switch document.portrait {
            case nil: .none
            case .unreadable: .unreadable
            case .picture(let text): .text(text)
            }
    }
}
