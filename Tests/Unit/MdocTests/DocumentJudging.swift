import Cryptography
import Envelopes

@testable import Mdoc

/// A verdict about one document, by a gate that asked for it.
func judge(
    _ document: TestDocument, _ trust: MdocTrust? = nil, settings: MdocVerifier.Settings = .init(),
    requested: [String] = [TestDocument.docType], now: Seconds = DocumentFixtures.now, curve: NISTCurve = .p256
) throws -> DocumentResult {
    let macKeys = try TestMACKeys(curve)
    let response = TestDocument.response([try document.octets(macKeys)])
    let verifier = MdocVerifier(trust: try trust ?? .test(), settings: settings)
    let result = try verifier.verify(
        response: response.span, transcript: TestDocument.transcript, requested: requested, macKeys: macKeys, now: now)
    return result.documents[0]
}

/// A change to a good document.
func changed(_ change: (inout TestDocument) -> Void) -> TestDocument {
    var document = TestDocument()
    change(&document)
    return document
}
