import CBOR

/// Where the parts of a document lie in its response, by a walk of its own: what the verifier thinks of them is not asked.
struct DocumentParts {
    let issuerAuth: Range<Int>
    let deviceSigned: Range<Int>
    let nameSpaces: Range<Int>?
    /// The signer's, in the unprotected header.
    let certificate: Range<Int>?
    /// What the issuer or the device has signed, and both signatures: a changed octet of these is never accepted.
    let signed: [Range<Int>]
    /// The first array of items that has any, and the array with its first item once more behind the others.
    let repetition: (place: Range<Int>, octets: [UInt8])?

    /// Of every document; none where one of them has not the shape of a document.
    static func all(in response: [UInt8]) -> [DocumentParts] {
        guard let documents = try? CBORDocument(parsing: response, options: .tolerant).root["documents"]?.elements else { return [] }
        let parts = documents.compactMap { DocumentParts($0) }
        return parts.count == documents.count ? parts : []
    }

    private init?(_ document: CBORItem) {
        guard let docType = document["docType"], let issuerSigned = document["issuerSigned"], let device = document["deviceSigned"],
            let issuer = issuerSigned["issuerAuth"], let issuerParts = Self.parts(of: issuer),
            let deviceSpaces = device["nameSpaces"], let proof = device["deviceAuth"]?.pairs?.first?.value,
            let proofParts = Self.parts(of: proof)
        else { return nil }
        let chain = issuerParts[1][33], first = chain?.elements?.first ?? chain
        var signed = [docType, issuerParts[0], issuerParts[2], issuerParts[3], deviceSpaces, proofParts[0], proofParts[3]]
        if let first { signed.append(first) }
        var repetition: (place: Range<Int>, octets: [UInt8])?
        for pair in issuerSigned["nameSpaces"]?.pairs ?? [] {
            guard let items = pair.value.elements, let item = items.first else { continue }
            signed.append(pair.key)
            signed += items
            repetition = repetition ?? (pair.value.sourceRange, CBOREncoding.array((items + [item]).map(\.source)))
        }
        issuerAuth = issuer.sourceRange
        deviceSigned = device.sourceRange
        nameSpaces = issuerSigned["nameSpaces"]?.sourceRange
        certificate = first?.sourceRange
        self.signed = signed.map(\.sourceRange)
        self.repetition = repetition
    }

    /// The four of COSE_Sign1 or COSE_Mac0, tagged or not.
    private static func parts(of message: CBORItem) -> [CBORItem]? {
        guard let parts = (message.content ?? message).elements, parts.count == 4 else { return nil }
        return parts
    }
}
