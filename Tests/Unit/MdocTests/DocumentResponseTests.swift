import CBOR
import Cryptography
import Envelopes
import TestSupport
import Testing

@testable import Mdoc

/// The response around the documents, and octets that somebody else has made.
struct DocumentResponseTests {
    private func verify(_ octets: [UInt8], requested: [String] = [TestDocument.docType]) throws(ResponseError) -> DeviceResponseResult {
        guard let macKeys = try? TestMACKeys(), let trust = try? MdocTrust.test() else { throw .transcriptMalformed }
        return try MdocVerifier(trust: trust).verify(
            response: octets.span, transcript: TestDocument.transcript, requested: requested, macKeys: macKeys, now: DocumentFixtures.now)
    }

    private func reason(_ octets: [UInt8]) -> CBORError.Reason? {
        do throws(ResponseError) {
            _ = try verify(octets)
            return nil
        } catch {
            if case .malformed(let error) = error { return error.reason }
            return nil
        }
    }

    @Test func anotherStatusHasNoDocuments() throws {
        let macKeys = try TestMACKeys(), document = try TestDocument().octets(macKeys)
        for status: UInt64 in [10, 11, 12, 99] {
            let result = try verify(TestDocument.response([document], status: status))
            #expect(result.status == status && result.documents.isEmpty)
        }
        #expect(try verify(TestDocument.response([document])).verified.count == 1)
    }

    @Test func whatIsNoResponseIsUndecodable() throws {
        #expect(reason([]) == .truncated)
        #expect(reason([0xA0]) == .missing)
        #expect(reason([0x80]) == .wrongType)
        #expect(reason(TestDocument.response([]) + [0]) == .trailingBytes)
        #expect(reason(TestDocument.response([], version: "2.0")) == .wrongType)
        #expect(reason([0xA2, 0x61, 0x61, 0x01, 0x61, 0x61, 0x02]) == .duplicateKey)
        #expect(reason([UInt8](repeating: 0x81, count: 40) + [0]) == .tooDeep)
        #expect(reason([UInt8](repeating: 0, count: ResponseLimits.octets + 1)) == .tooLong)
    }

    @Test func moreDocumentsThanAreLookedAtAreRefused() throws {
        #expect(try verify(TestDocument.response([[UInt8]](repeating: [0xA0], count: 8))).documents.count == 8)
        #expect(throws: ResponseError.tooManyDocuments) { try verify(TestDocument.response([[UInt8]](repeating: [0xA0], count: 9))) }
    }

    @Test func whatIsNoDocumentIsInvalid() throws {
        for octets: [UInt8] in [[0xA0], [0x00], [0x80], [0xF6], [0xA1, 0x67] + Array("docType".utf8) + [0x01]] {
            let result = try verify(TestDocument.response([octets])).documents[0]
            #expect(result.fault == .mobileCredentialInvalid && result.detail == .malformed && result.docType == nil)
        }
    }

    @Test func documentErrorsAreThePhonesWord() throws {
        let octets = CBOREncoding.map([
            (CBOREncoding.text("version"), CBOREncoding.text("1.1")),
            (
                CBOREncoding.text("documentErrors"),
                CBOREncoding.array([CBOREncoding.map([(CBOREncoding.text("a"), CBOREncoding.integer(-1))])])
            ),
            (CBOREncoding.text("status"), CBOREncoding.unsigned(0)),
        ])
        #expect(try verify(octets).documentErrors == [DocumentError(docType: "a", code: -1)])
    }

    @Test func moreItemsThanADocumentHasAreRefused() throws {
        let document = changed { document in
            document.items = (0...UInt64(ResponseLimits.items)).map { ($0, [UInt8](repeating: 0, count: 16), "e\($0)", [0]) }
        }
        #expect(try judge(document).detail == .tooMuch)
    }

    @Test func cutShortItIsNeverReadable() throws {
        let macKeys = try TestMACKeys(), octets = TestDocument.response([try TestDocument().octets(macKeys)])
        for length in octets.indices { #expect(reason(Array(octets.prefix(length))) != nil) }
    }

    /// Every place with each of its bits changed: either an error, a fault, or nothing that was signed has changed.
    @Test(arguments: [TestDocument.Proof.signature, .mac]) func noPlaceChangesAClaim(_ proof: TestDocument.Proof) throws {
        let macKeys = try TestMACKeys(), verifier = MdocVerifier(trust: try .test())
        let document = changed {
            $0.proof = proof
            $0.errors = CBOREncoding.map([(CBOREncoding.text("n"), CBOREncoding.map([(CBOREncoding.text("e"), [0])]))])
        }
        let octets = TestDocument.response([try document.octets(macKeys)])
        var random = SeededRandom(seed: 18013), accepted = 0
        for place in octets.indices {
            var mutant = octets
            mutant[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            let result: DeviceResponseResult
            do throws(ResponseError) {
                result = try verifier.verify(
                    response: mutant.span, transcript: TestDocument.transcript, requested: [TestDocument.docType], macKeys: macKeys,
                    now: DocumentFixtures.now)
            } catch {
                continue
            }
            for document in result.verified {
                accepted += 1
                #expect(document.docType == TestDocument.docType)
                // A member that nobody knows any more hands over nothing.
                guard !document.claims.nameSpaces.isEmpty else { continue }
                #expect(document.claims.value(TestDocument.nameSpace, "family_name")?.text == "Doe", "place \(place)")
                #expect(document.claims.value(TestDocument.nameSpace, "age_over_18")?.bool == true, "place \(place)")
            }
        }
        #expect(accepted < 60, "only what nobody signs may change: errors, and names of members")
    }
}
