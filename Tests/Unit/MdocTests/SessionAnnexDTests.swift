import CBOR
import Cryptography
import JSON
import TestSupport
import Testing

@testable import Mdoc

/// The standard's own session, octet for octet: ISO/IEC 18013-5:2021 Annex D.
@Suite(.enabled(if: MdocSuite.isThere)) struct SessionAnnexDTests {
    private let annex: AnnexD

    init() throws {
        annex = try AnnexD()
    }

    /// The gate of Annex D, whose engagement came by NFC.
    private func session() throws -> ReaderSession {
        let parts = try #require(try transcript().elements), d = annex.given("EPHEMERAL_READER_KEY_D")
        #expect(parts.count == 3)
        let engagement = try #require(parts[0].content(of: 24)?.bytes), handover = try #require(parts[2].elements)
        let select = try #require(handover.first?.bytes)
        return try ReaderSession(
            engagement, try phone(), .nfc(select: select, request: handover.last?.bytes), try CurveAgreement(.p256, privateKey: d.span))
    }

    private func phone() throws -> CurvePoint {
        let key = try #require(try CBORDocument(parsing: annex.given("E_DEVICE_KEY_BYTES")).root.content(of: 24)?.bytes)
        return try SessionKey.decode(key)
    }

    private func transcript() throws -> CBORItem {
        let bytes = try #require(try CBORDocument(parsing: annex.given("SESSION_TRANSCRIPT_BYTES")).root.content(of: 24)?.bytes)
        return try CBORDocument(parsing: bytes).root
    }

    @Test func engagementAndIdent() throws {
        let engagement = try DeviceEngagement(qr: annex.qr)
        #expect(engagement.octets == annex.given("DEVICE_ENGAGEMENT"))
        #expect(engagement.deviceKeyBytes == annex.given("E_DEVICE_KEY_BYTES"))
        #expect(engagement.curve == .p256 && engagement.peripheral == nil && engagement.central?.count == 16)
        #expect(engagement.point == (try phone()))
        #expect(try engagement.ident() == annex.derived("BLEIdent"))
    }

    @Test func theKeyOfTheReaderIsWrittenAsTheStandardWritesIt() throws {
        let session = try session()
        let point = [0x04] + annex.given("EPHEMERAL_READER_KEY_X") + annex.given("EPHEMERAL_READER_KEY_Y")
        let d = annex.given("EPHEMERAL_READER_KEY_D")
        #expect(try CurveAgreement(.p256, privateKey: d.span).point == point)
        #expect(session.readerKeyBytes == (try CBORDocument(parsing: annex.given("SESSION_ESTABLISHMENT")).root["eReaderKey"]?.source))
    }

    @Test func transcriptAndSalt() throws {
        let session = try session()
        #expect(session.transcript.bytes == annex.given("SESSION_TRANSCRIPT_BYTES"))
        #expect(try session.transcript.salt() == annex.derived("salt"))
    }

    @Test func sharedSecretAndBothKeys() throws {
        let d = annex.given("EPHEMERAL_READER_KEY_D")
        let secret = try CurveAgreement(.p256, privateKey: d.span).agree(with: try phone())
        let shared = annex.derived("zab_session"), reader = annex.derived("SKReader"), device = annex.derived("SKDevice")
        #expect(shared.count == 32 && reader.count == 32 && device.count == 32)
        let isShared = secret.matches(shared.span)
        #expect(isShared)
        let session = try session()
        let isReader = session.keys.reader.matches(reader.span), isDevice = session.keys.device.matches(device.span)
        #expect(isReader && isDevice)
        let isMixed = session.keys.reader.matches(device.span) || session.keys.device.matches(reader.span)
        #expect(!isMixed)
    }

    @Test func establishment() throws {
        var session = try session()
        let request = annex.given("DEVICE_REQUEST")
        #expect(try session.establishment(request: request.span) == annex.given("SESSION_ESTABLISHMENT"))
    }

    @Test func responseAndTermination() throws {
        var session = try session()
        let request = annex.given("DEVICE_REQUEST")
        _ = try session.establishment(request: request.span)
        #expect(Opened(&session, annex.given("SESSION_DATA")) == .message(annex.given("DEVICE_RESPONSE"), nil, isAwaited: true))
        #expect(session.end() == annex.given("SESSION_TERMINATION"))
        #expect(session.hasEnded == true)
    }

    @Test func thePhonesTerminationIsOne() throws {
        var session = try session()
        #expect(Opened(&session, annex.given("SESSION_TERMINATION")) == .end(.ended(.termination)))
        #expect(session.hasEnded && session.end() == nil)
    }

    @Test func theKeyOfTheDevicesMAC() throws {
        var session = try session()
        let x = annex.given("STATIC_DEVICE_KEY_X"), y = annex.given("STATIC_DEVICE_KEY_Y"), expected = annex.derived("EMacKey")
        let deviceKey = try CurvePoint(.p256, x: x.span, y: y.span)
        _ = session.end()
        // After the end of the link, which is when documents are judged.
        let isExpected = try session.deviceMACKey(for: deviceKey).matches(expected.span)
        #expect(isExpected)
        session.forget()
        do throws(CryptographyError) {
            _ = try session.deviceMACKey(for: deviceKey)
            Issue.record("a key was derived from a forgotten one")
        } catch {
            #expect(error == .keyForgotten)
        }
    }

    /// The request of Annex D.4.1.1 and the signature of D.5.4, with the signature itself given: ECDSA makes another one each time.
    @Test func requestAndReaderAuthentication() throws {
        let other = try MdocSuite.file("annex_d5_eudi")["vectors"]
        let document = try #require(try AnnexD.requested(annex.given("ITEMS_REQUEST")))
        #expect(document.itemsRequestBytes == CBOREncoding.embedded(annex.given("ITEMS_REQUEST")))
        let authentication = ReaderAuthentication(try session().transcript, itemsRequestBytes: document.itemsRequestBytes)
        #expect(authentication.bytes == MdocSuite.octets(other?["d54_ReaderAuthenticationBytes"]))
        #expect(authentication.signatureStructure(.p256) == MdocSuite.octets(other?["d54_ReaderSigStructure"]))

        let parts = try #require(try CBORDocument(parsing: annex.given("READER_AUTH")).root.elements)
        let signer = RecordedSigner(certificates: [annex.given("READER_CERT")], signature: try #require(parts.last?.bytes))
        #expect(try authentication.signed(by: signer) == annex.given("READER_AUTH"))
        let request = try DeviceRequest([document])
        #expect(try request.octets(signedBy: signer, in: try session().transcript) == annex.given("DEVICE_REQUEST"))
        // The signature is that of the certificate's key over exactly these octets.
        let certificate = annex.given("READER_CERT"), structure = authentication.signatureStructure(.p256)
        try PublicKey(certificate: certificate.span).verify(signature: signer.signature.span, over: structure.span, algorithm: .es256)
    }
}

/// Says what was signed before.
struct RecordedSigner: ReaderSigner {
    var curve: NISTCurve = .p256
    let certificates: [[UInt8]]
    let signature: [UInt8]

    func sign(_ message: Span<UInt8>) throws(CryptographyError) -> [UInt8] { signature }
}

extension AnnexD {
    /// What an ItemsRequest asks for, in its order.
    static func requested(_ octets: [UInt8]) throws -> DocumentRequest? {
        let root = try CBORDocument(parsing: octets).root
        guard let docType = root["docType"]?.text, let spaces = root["nameSpaces"]?.pairs else { return nil }
        return try DocumentRequest(
            docType: docType,
            spaces.map { space in
                DocumentRequest.NameSpace(
                    space.key.text ?? "",
                    (space.value.pairs ?? []).map { DocumentRequest.Element($0.key.text ?? "", isRetained: $0.value.bool == true) })
            })
    }
}
