import Cryptography
import Envelopes

/// Whom the gate believes about mdocs, and what it knows of their signers and documents. From the trust bundle: the gate fetches nothing.
public struct MdocTrust: Sendable {
    public var roots: [IssuerRoot]
    /// Of the roots, for their document signers. A list that no root issued is passed over.
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
}
