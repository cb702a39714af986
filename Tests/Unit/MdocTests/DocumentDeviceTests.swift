import CBOR
import Cryptography
import Envelopes
import Testing

@testable import Mdoc

/// How the device shows that it is the one the document was given to, and what it may say itself (mdoc.md section 6.4, steps 8 and 9).
struct DocumentDeviceTests {
    @Test func aMACProvesTheDevice() throws {
        let result = try judge(changed { $0.proof = .mac })
        #expect(result.fault == nil && result.deviceAuthentication == .mac)
    }

    @Test func aMACHoldsInItsSessionAlone() throws {
        let result = try judge(
            changed {
                $0.proof = .mac
                $0.signsTranscript = CBOREncoding.array([])
            })
        #expect(result.detail == .deviceMAC && result.deviceAuthentication == nil)
    }

    /// The gate's key is on the session's curve, which need not be that of the document.
    @Test func aMACNeedsBothKeysOnOneCurve() throws {
        let p384 = try TestMACKeys(.p384), p256 = try TestMACKeys()
        let response = TestDocument.response([try changed { $0.proof = .mac }.octets(p256)])
        let result = try MdocVerifier(trust: .test()).verify(
            response: response.span, transcript: TestDocument.transcript, requested: [TestDocument.docType], macKeys: p384,
            now: DocumentFixtures.now)
        #expect(result.documents[0].detail == .deviceMACCurve)
        #expect(try judge(TestDocument(), curve: .p384).fault == nil, "a signature does not")
    }

    @Test func twoProofsAreNone() throws {
        #expect(try judge(changed { $0.proof = .both }).detail == .deviceAuthMissing)
    }

    @Test func anEqualPayloadIsAWarning() throws {
        let result = try judge(changed { $0.embeds = { $0 } })
        #expect(result.fault == nil && result.warnings.contains(.devicePayloadEmbedded))
    }

    static let wallet = ("org.example.wallet", [("name", CBOREncoding.text("x"))])

    @Test func theDeviceSaysWhatTheIssuerAllows() throws {
        let element = CBOREncoding.map([
            (
                CBOREncoding.text("dataElements"),
                CBOREncoding.map([(CBOREncoding.text("org.example.wallet"), CBOREncoding.array([CBOREncoding.text("name")]))])
            )
        ])
        let space = CBOREncoding.map([
            (CBOREncoding.text("nameSpaces"), CBOREncoding.array([CBOREncoding.text("org.example.wallet")]))
        ])
        for authorizations in [element, space] {
            let result = try judge(
                changed {
                    $0.deviceItems = [Self.wallet]
                    $0.authorizations = authorizations
                })
            #expect(result.fault == nil && result.deviceClaims.value("org.example.wallet", "name")?.text == "x")
            #expect(result.claims.value("org.example.wallet", "name") == nil, "it is not the issuer's word")
        }
    }

    @Test func anotherElementIsNotAllowed() throws {
        let other = CBOREncoding.map([
            (
                CBOREncoding.text("dataElements"),
                CBOREncoding.map([(CBOREncoding.text("org.example.wallet"), CBOREncoding.array([CBOREncoding.text("colour")]))])
            )
        ])
        let result = try judge(
            changed {
                $0.deviceItems = [Self.wallet]
                $0.authorizations = other
            })
        #expect(result.fault == .deviceKeyInvalid && result.deviceClaims.isEmpty)
    }

    /// A document whose key everybody knows is bound to nobody.
    @Test func aDeviceKeyWithItsPrivateHalfIsRefused() throws {
        let document = changed {
            let point = hex(DocumentFixtures.devicePoint)
            $0.deviceKey = CBOREncoding.map([
                (CBOREncoding.integer(1), CBOREncoding.integer(2)), (CBOREncoding.integer(-1), CBOREncoding.integer(1)),
                (CBOREncoding.integer(-2), CBOREncoding.bytes(point[1..<33])), (CBOREncoding.integer(-3), CBOREncoding.bytes(point[33...])),
                (CBOREncoding.integer(-4), CBOREncoding.bytes([UInt8](repeating: 1, count: 32))),
            ])
        }
        #expect(try judge(document).fault == .deviceKeyInvalid)
    }
}
