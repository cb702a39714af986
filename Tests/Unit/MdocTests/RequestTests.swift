import CBOR
import Cryptography
import TestSupport
import Testing

@testable import Mdoc

@Suite struct RequestTests {
    private static let docType = "org.iso.18013.5.1.mDL", space = "org.iso.18013.5.1"

    private static func names(_ names: String...) -> [DocumentRequest.Element] { names.map { DocumentRequest.Element($0) } }

    private static func refusal(_ spaces: [DocumentRequest.NameSpace], docType: String = docType) -> RequestError? {
        do throws(RequestError) {
            _ = try DocumentRequest(docType: docType, spaces)
            return nil
        } catch {
            return error
        }
    }

    @Test func aRequestIsWrittenInTheStandardsOrder() throws {
        let spaces: [DocumentRequest.NameSpace] = [.init("n", [.init("b"), .init("a", isRetained: true)]), .init("m", [.init("c")])]
        let document = try DocumentRequest(docType: "d", spaces)
        let items = "a2 67646f6354797065 6164 6a6e616d65537061636573 a2 616e a2 6162f4 6161f5 616d a1 6163f4"
        #expect(document.itemsRequestBytes == hex("d818 5826" + items))
        let request = try DeviceRequest([document])
        let head = "a2 6776657273696f6e 63312e30 6b646f635265717565737473 81 a1 6c6974656d7352657175657374 d818 5826"
        #expect(request.octets == hex(head + items))
        #expect(request.docTypes == ["d"])
    }

    @Test func nothingIsKeptUnlessSaid() throws {
        let document = try DocumentRequest(docType: Self.docType, [.init(Self.space, Self.names("portrait", "age_over_18"))])
        let root = try CBORDocument(parsing: document.itemsRequestBytes).root
        let elements = try root.content(of: 24)?.embedded().root["nameSpaces"]?[Self.space]?.pairs
        #expect(elements?.map(\.value.bool) == [false, false])
        #expect(elements?.map(\.key.text) == ["portrait", "age_over_18"])
    }

    @Test func requestsThatAreNone() throws {
        let one = DocumentRequest.NameSpace(Self.space, Self.names("portrait"))
        #expect(Self.refusal([one]) == nil)
        #expect(Self.refusal([one], docType: "") == .empty && Self.refusal([]) == .empty)
        #expect(Self.refusal([one, .init("other", [])]) == .empty)
        #expect(Self.refusal([one, one]) == .repeated)
        #expect(Self.refusal([.init(Self.space, Self.names("a", "b", "a"))]) == .repeated)
        // One letter, two spellings: two names.
        #expect(Self.refusal([.init(Self.space, Self.names("\u{e9}", "e\u{301}"))]) == nil)
        #expect(Self.refusal([.init(Self.space, Self.names("age_over_18", "age_over_21"))]) == nil)
        #expect(Self.refusal([.init(Self.space, Self.names("age_over_18", "age_over_21", "age_over_65"))]) == .tooManyAges)
        #expect(
            Self.refusal([.init("a", Self.names("age_over_18", "age_over_21")), .init("b", Self.names("age_over_65"))]) == .tooManyAges)
        let many = (0...DocumentRequest.mostElements).map { DocumentRequest.Element("e\($0)") }
        #expect(Self.refusal([.init(Self.space, Array(many.dropLast()))]) == nil)
        #expect(Self.refusal([.init(Self.space, many)]) == .tooMuch)
        #expect(throws: RequestError.empty) { try DeviceRequest([]) }
        let document = try DocumentRequest(docType: Self.docType, [one])
        #expect(throws: RequestError.tooMuch) { try DeviceRequest([DocumentRequest](repeating: document, count: 17)) }
    }

    // MARK: who asks

    private static func key(_ made: CurveKey, _ certificates: String? = nil) throws(ReaderKeyError) -> ReaderKey {
        let pem = Array(made.pem.utf8)
        return try ReaderKey(pem: pem.span, certificates: Array((certificates ?? made.certificate).utf8))
    }

    private static func refusal(pem: String, _ certificates: String) -> ReaderKeyError? {
        do throws(ReaderKeyError) {
            let text = Array(pem.utf8)
            _ = try ReaderKey(pem: text.span, certificates: Array(certificates.utf8))
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: zip(CurveKey.all, [NISTCurve.p256, .p384, .p521]))
    func everyDocumentIsSignedForThisSession(_ made: CurveKey, _ curve: NISTCurve) throws {
        let key = try Self.key(made), phone = try TestPhone()
        let session = try ReaderSession(phone.engagement)
        let documents = [
            try DocumentRequest(docType: "a", [.init("n", Self.names("x"))]),
            try DocumentRequest(docType: "b", [.init("n", Self.names("y"))]),
        ]
        let octets = try DeviceRequest(documents).octets(signedBy: key, in: session.transcript)
        let requests = try #require(try CBORDocument(parsing: octets).root["docRequests"]?.elements)
        #expect(requests.count == 2)
        for (request, document) in zip(requests, documents) {
            #expect(request["itemsRequest"]?.source == document.itemsRequestBytes)
            let parts = try #require(request["readerAuth"]?.elements)
            #expect(parts.count == 4 && parts[2].isNull && parts[3].bytes?.count == 2 * curve.coordinateLength)
            let protected = try parts[0].embedded().root
            #expect(protected[1]?.int64 == [.p256: -7, .p384: -35, .p521: -36][curve] && protected.pairs?.count == 1)
            #expect(parts[1][33]?.bytes == key.certificates.first)
            let authentication = ReaderAuthentication(session.transcript, itemsRequestBytes: document.itemsRequestBytes)
            let structure = authentication.signatureStructure(curve)
            // The gate's own verification knows no P-521; the phone of the peers' tests does.
            guard curve != .p521, let signature = parts[3].bytes, let certificate = key.certificates.first else { continue }
            try PublicKey(certificate: certificate.span).verify(
                signature: signature.span, over: structure.span, algorithm: curve == .p256 ? .es256 : .es384)
        }
    }

    @Test func severalCertificatesAreAnArray() throws {
        let key = try Self.key(.p256, CurveKey.p256.certificate + "\n" + CurveKey.p384.certificate)
        let authentication = ReaderAuthentication(SessionTranscript(engagement: [], readerKey: [0xF6]), itemsRequestBytes: [0xF6])
        let parts = try CBORDocument(parsing: try authentication.signed(by: key)).root.elements
        #expect(parts?[1][33]?.elements?.map(\.bytes) == key.certificates)
    }

    @Test func keysThatCannotBeUsed() {
        let own = CurveKey.p256.certificate
        #expect(Self.refusal(pem: CurveKey.p256.pem, own) == nil)
        #expect(Self.refusal(pem: CurveKey.sec1, own) == nil)
        #expect(Self.refusal(pem: "", own) == .keyMalformed && Self.refusal(pem: CurveKey.encrypted, own) == .keyMalformed)
        #expect(Self.refusal(pem: CurveKey.ed25519, own) == .keyUnsupported)
        #expect(Self.refusal(pem: CurveKey.secp256k1, own) == .keyUnsupported)
        #expect(Self.refusal(pem: CurveKey.p256.pem, "") == .certificatesMalformed)
        #expect(Self.refusal(pem: CurveKey.p256.pem, String(repeating: own + "\n", count: 4)) == .certificatesMalformed)
        #expect(Self.refusal(pem: CurveKey.p256.pem, CurveKey.p384.certificate + "\n" + own) == .certificateOfAnotherKey)
    }

    @Test func aSignerThatFailsLetsNothingOut() throws {
        let transcript = SessionTranscript(engagement: [], readerKey: [0xF6])
        let request = try DeviceRequest([try DocumentRequest(docType: "a", [.init("n", Self.names("x"))])])
        let signers = [
            RecordedSigner(certificates: [[1]], signature: []),
            RecordedSigner(certificates: [], signature: [UInt8](repeating: 1, count: 64)),
            RecordedSigner(curve: .p521, certificates: [[1]], signature: [UInt8](repeating: 1, count: 64)),
        ]
        for signer in signers {
            #expect(throws: RequestError.cannotSign) { try request.octets(signedBy: signer, in: transcript) }
        }
    }
}
