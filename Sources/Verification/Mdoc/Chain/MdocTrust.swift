import Cryptography
import Envelopes

/// Whom the gate believes about mdocs, and what it knows of their signers and documents. From the trust bundle: the gate fetches nothing.
public struct MdocTrust: Sendable {
    public var roots: [IssuerRoot]
    /// Of the roots, for their signers of documents and status tokens. A list that no root issued is passed over.
    public var revocationLists: [RevocationList]
    public var statusTokens: [StatusToken]

    /// A status list or identifier list as it was fetched.
    public struct StatusToken: Sendable {
        /// The address that documents refer to.
        public let uri: String
        /// The CWT.
        public let octets: [UInt8]

        public init(uri: String, octets: [UInt8]) {
            self.uri = uri
            self.octets = octets
        }
    }

    public init(roots: [IssuerRoot], revocationLists: [RevocationList] = [], statusTokens: [StatusToken] = []) {
        self.roots = roots
        self.revocationLists = revocationLists
        self.statusTokens = statusTokens
    }

    /// The roots of a root's authority for such documents: itself, and those before and after a renewal, which may have another key.
    func authority(of root: IssuerRoot, for docType: String) -> [IssuerRoot] {
        roots.filter { $0.certificate.hasSubject(of: root.certificate) && $0.vouches(for: docType) }
    }

    /// The lists that one of these roots issued. After an authority has changed its key, the new one signs the list of all signers, those
    /// under the old one too: they have one issuer's name, and so one row of serial numbers (RFC 5280 section 4.1.2.2).
    func revocationLists(of authority: [IssuerRoot]) -> [RevocationList] {
        revocationLists.filter { list in authority.contains { list.isIssued(by: $0.certificate) } }
    }
}
