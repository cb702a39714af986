import CBOR
import Envelopes

/// What a DeviceResponse turned out to be.
public struct DeviceResponseResult: Sendable {
    /// 0, or why the phone sends no documents: 10 general error, 11 and 12 what it thinks of the request (mdoc.md section 6). With another
    /// status than 0 no documents are looked at.
    public let status: UInt64
    /// Documents the phone says it does not send, with its codes; 0 is "not returned".
    public let documentErrors: [DocumentError]
    /// In the order of the response.
    public let documents: [DocumentResult]

    /// The documents without a fault.
    public var verified: [DocumentResult] { documents.filter { $0.fault == nil } }
}

/// A document the phone does not send.
public struct DocumentError: Hashable, Sendable {
    public let docType: String
    public let code: Int64
}

/// An element the phone does not send, of a document it sends. Nobody signs that: it is the phone's word.
public struct ElementError: Hashable, Sendable {
    public let nameSpace: String
    public let identifier: String
    public let code: Int64
}

/// How a device proved that it is the one the issuer gave the document to (mdoc.md section 6.4, step 8).
public enum DeviceAuthentication: String, Hashable, Sendable, CaseIterable {
    case signature, mac
}

/// What one document turned out to be. Claims exist only where nothing is wrong with it.
public struct DocumentResult: Sendable {
    /// Nil where it cannot even be read.
    public internal(set) var docType: String?
    /// The first step that failed; nil for a document that is verified.
    public internal(set) var fault: MdocFault?
    public internal(set) var detail: MdocDetail?
    /// How the device was authenticated; nil where it was not, or where an earlier step failed.
    public internal(set) var deviceAuthentication: DeviceAuthentication?
    /// Whose root vouches for the signer; nil until step 3 has passed.
    public internal(set) var issuer: DocumentIssuer?
    /// Whether and until when the issuer says the document is good; nil until its signature was verified.
    public internal(set) var validity: DocumentValidity?
    /// What the issuer signed. Empty where there is a fault.
    public internal(set) var claims = MdocClaims()
    /// What the device signed of its own accord, and the issuer allows it to. Empty where there is a fault.
    public internal(set) var deviceClaims = MdocClaims()
    /// The names of the elements that were handed over and whose digests are right, of a document that was asked for: for telling what is
    /// missing. Also where the document is over or revoked.
    public internal(set) var returned = MdocElementNames()
    /// What the phone says of elements it does not send, of a document that was asked for.
    public internal(set) var errors: [ElementError] = []
    public internal(set) var warnings: [MdocWarning] = []
    /// Seconds since the status token was signed, where one was asked.
    public internal(set) var statusAge: Seconds?

    init(docType: String?) {
        self.docType = docType
    }

    /// Nothing of what the document says is told where something is wrong with it.
    mutating func fail(_ fault: DocumentFault) {
        self.fault = fault.fault
        detail = fault.detail
        claims = MdocClaims()
        deviceClaims = MdocClaims()
    }
}

/// The root that vouches for a document.
public struct DocumentIssuer: Hashable, Sendable {
    public let commonName: String?
    /// SHA-256 of the root's DER.
    public let fingerprint: [UInt8]
}

/// The dates of a document, in seconds since 1970; the seconds named belong to it.
public struct DocumentValidity: Hashable, Sendable {
    public let signed: Seconds
    public let from: Seconds
    public let until: Seconds
}
