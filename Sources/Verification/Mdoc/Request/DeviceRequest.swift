import CBOR

/// DeviceRequest: all that the gate asks of a phone, and with a reader's key who asks (mdoc.md section 4).
public struct DeviceRequest: Hashable, Sendable {
    /// Documents of one request. A gate asks for one, or for alternatives, and a user reads them all.
    public static let mostDocuments = 16
    /// Wallets of the first edition know no other.
    private static let version = "1.0"

    public let documents: [DocumentRequest]

    /// Throws `empty`, `tooMuch`.
    public init(_ documents: [DocumentRequest]) throws(RequestError) {
        guard !documents.isEmpty else { throw .empty }
        guard documents.count <= Self.mostDocuments else { throw .tooMuch }
        self.documents = documents
    }

    /// The document types that are asked for, in order.
    public var docTypes: [String] { documents.map(\.docType) }

    /// The request of a gate that has no key to say who it is.
    public var octets: [UInt8] { encode(documents.map { [Self.items($0)] }) }

    /// The request with a signature over every document that is asked for, in this session. Throws `cannotSign`.
    public func octets(signedBy signer: some ReaderSigner, in transcript: SessionTranscript) throws(RequestError) -> [UInt8] {
        var requests: [[(key: [UInt8], value: [UInt8])]] = []
        for document in documents {
            let authentication = try ReaderAuthentication(transcript, itemsRequestBytes: document.itemsRequestBytes).signed(by: signer)
            requests.append([Self.items(document), (CBOREncoding.text("readerAuth"), authentication)])
        }
        return encode(requests)
    }

    private static func items(_ document: DocumentRequest) -> (key: [UInt8], value: [UInt8]) {
        (CBOREncoding.text("itemsRequest"), document.itemsRequestBytes)
    }

    private func encode(_ requests: [[(key: [UInt8], value: [UInt8])]]) -> [UInt8] {
        CBOREncoding.map([
            (CBOREncoding.text("version"), CBOREncoding.text(Self.version)),
            (CBOREncoding.text("docRequests"), CBOREncoding.array(requests.map { CBOREncoding.map($0) })),
        ])
    }
}
