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
    let binding: HolderBinding

    /// The portrait as text, for whoever compares faces.
    var portrait: String? {
        if case .text(let text) = face { text } else { nil }
    }
}

/// What has proven in this very visit that it is the one the credential was issued to.
public enum HolderBinding: String, Hashable, Sendable, CaseIterable {
    /// Nothing: whoever has a copy has presented as much.
    case none
    /// A key of the phone (ISO/IEC 18013-5).
    case device
    /// The link secret, which the wallet's software has, and which could be copied with it (anoncreds.md section 11).
    case linkSecret = "link-secret"
    /// The key of a wallet, in hardware as far as the wallet says (trustedkey.md section 6).
    case walletKey = "wallet-key"
}

extension BelievedCredential {
    init(_ credential: VerifiedCredential) {
        form = credential.form
        issuer = credential.issuer
        type = credential.type
        proof = credential.proof
        status = credential.status.status
        notes = credential.notes.map(\.code)
        binding = .none
        switch credential.claim(.portrait) {
        case nil: face = .none
        case let portrait? where portrait.isNull: face = .none
        case let portrait?: face = portrait.string.map(Portrait.text) ?? .unreadable
        }
    }

    init(_ proof: ProvenCredential) {
        form = .anoncreds
        issuer = proof.issuer
        type = proof.type ?? proof.definitionID
        status = proof.hasStatus ? .good : nil
        notes = proof.notes
        binding = .linkSecret
        face = proof.portrait.map(Portrait.text) ?? .none
    }

    init(_ holder: TrustedKeyHolder) {
        form = .trustedKey
        issuer = holder.issuer
        type = holder.type
        status = holder.status
        notes = holder.notes
        binding = .walletKey
        face = holder.portrait.map(Portrait.text) ?? .none
    }

    init(_ document: MdocDocument) {
        form = .mdoc
        issuer = document.issuer
        type = document.docType
        status = document.hasStatus ? .good : nil
        notes = document.notes
        binding = .device
        face =
            switch document.portrait {
            case nil: .none
            case .unreadable: .unreadable
            case .picture(let text): .text(text)
            }
    }
}
