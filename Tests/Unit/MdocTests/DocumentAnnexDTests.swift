import CBOR
import Cryptography
import Envelopes
import JSON
import Testing

@testable import Mdoc

/// Annex D of ISO/IEC 18013-5: its response and its MAC, with its root.
@Suite(.enabled(if: MdocSuite.isThere))
struct DocumentAnnexDTests {
    private let annex: AnnexD
    private let root: [UInt8]
    private let transcript: [UInt8]
    /// 2021-01-01T00:00:00Z, within everything's validity.
    private let now: Seconds = 1_609_459_200

    init() throws {
        annex = try AnnexD()
        root = MdocSuite.octets(try MdocSuite.file("annex_d5_eudi")["vectors"]?["d52_iaca"])
        let wrapped = try CBORDocument(parsing: annex.given("SESSION_TRANSCRIPT_BYTES"), options: .tolerant).root
        transcript = try wrapped.wrapped().source
    }

    private func verify(_ transcript: [UInt8]) throws -> DocumentResult {
        let macKeys = try TestMACKeys(.p256, privateKey: annex.given("EPHEMERAL_READER_KEY_D"), transcript: transcript)
        let response = annex.given("DEVICE_RESPONSE")
        let trust = MdocTrust(roots: [try IssuerRoot(root.span)])
        return try MdocVerifier(trust: trust).verify(
            response: response.span, transcript: transcript, requested: [TestDocument.docType], macKeys: macKeys, now: now
        ).documents[0]
    }

    @Test func theResponseAndItsMACVerify() throws {
        let result = try verify(transcript)
        #expect(result.fault == nil && result.detail == nil)
        #expect(result.deviceAuthentication == .mac)
        #expect(result.claims.value(TestDocument.nameSpace, "family_name")?.text == "Doe")
        #expect(result.claims.value(TestDocument.nameSpace, "portrait")?.bytes == annex.given("DEVICE_RESPONSE_PORTRAIT_DATA"))
    }

    @Test func inAnotherSessionItDoesNot() throws {
        var other = transcript
        other[other.count - 1] ^= 1
        #expect(try verify(other).detail == .deviceMAC)
    }

    @Test func itsMACKeyIsTheAnnexs() throws {
        let macKeys = try TestMACKeys(.p256, privateKey: annex.given("EPHEMERAL_READER_KEY_D"), transcript: transcript)
        let x = annex.given("STATIC_DEVICE_KEY_X"), y = annex.given("STATIC_DEVICE_KEY_Y"), expected = annex.derived("EMacKey")
        let key = try macKeys.deviceMACKey(for: try CurvePoint(.p256, x: x.span, y: y.span))
        let isSame = key.matches(expected.span)
        #expect(isSame)
    }
}
