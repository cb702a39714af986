import CBOR
import Envelopes
import Mdoc
import TestSupport
import Testing

@testable import Presentation
@testable import Visit

/// What a site asks for, as far as it can be sent: a request has one message, of 16 KiB.
@Suite struct MdocRequestTests {
    /// So many kinds of documents, the first of them a driving licence, and so many elements of each.
    private func settings(_ documents: Int, elements: Int) -> MdocSettings {
        let docTypes = [TestDocument.docType] + (1..<8).map { "org.example.\($0)" }
        return MdocSettings(
            alternatives: docTypes.prefix(documents).map { docType in
                MdocAlternative(
                    docType: docType,
                    elements: (0..<elements).map {
                        MdocAlternative.Element(TestDocument.nameSpace, "an_element_\($0 + 10_000)", isRequired: false)
                    })
            })
    }

    private func key() throws -> ReaderKey {
        let digits = Base64.encodeStandard(Hex.bytes(DocumentFixtures.signer))
        let lines = stride(from: 0, to: digits.count, by: 64).map { start in
            String(decoding: digits[start..<min(start + 64, digits.count)], as: UTF8.self)
        }
        let text = (["-----BEGIN CERTIFICATE-----"] + lines + ["-----END CERTIFICATE-----", ""]).joined(separator: "\n")
        let pem = Array(DocumentFixtures.signerKey.utf8)
        return try ReaderKey(pem: pem.span, certificates: Array(text.utf8))
    }

    /// Of how many of the documents the phone is told who asks for them.
    private func named(_ phone: MdocTestPhone) throws -> (signed: Int, all: Int) {
        let requests = try CBORDocument(parsing: phone.request).root["docRequests"]?.elements ?? []
        return (requests.count { $0["readerAuth"] != nil }, requests.count)
    }

    @Test func whatFitsNoMessageIsRefusedAtTheStart() throws {
        #expect(throws: GateError.request(.tooMuch)) { _ = try TestGate.withMdoc(settings: settings(8, elements: 128)) }
        _ = try TestGate.withMdoc(settings: settings(8, elements: 100))
        _ = try TestGate.withMdoc(settings: settings(1, elements: 128))
    }

    /// A gate's key costs it its name where the certificates do not fit, and no visitor.
    @Test(arguments: [(1, 128, 1), (8, 10, 8), (8, 100, 0)])
    func aNameThatDoesNotFitIsLeftOut(documents: Int, elements: Int, signed: Int) throws {
        let test = try TestGate.withMdoc(settings: settings(documents, elements: elements)), phone = try MdocTestPhone()
        test.gate.believe(mdoc: try .test(), askingAs: try key())
        try test.meet(phone)
        let found = try named(phone)
        #expect(found.signed == signed && found.all == documents)
        test.send(try phone.answer(try phone.response()))
        #expect(test.records.map(\.outcome) == [.accepted], "\(test.records)")
        try test.stillServes()
    }
}
