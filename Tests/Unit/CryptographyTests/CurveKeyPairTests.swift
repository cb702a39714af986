import COpenSSL
import Testing

@testable import Cryptography

/// Readers' keys and the requests for their certificates (mdoc.md section 4).
struct CurveKeyPairTests {
    private static let usage = "1.0.18013.5.1.6"
    private static let subject: [(attribute: Certificate.NameAttribute, text: String)] = [
        (.country, "UT"), (.organization, "Ministère"), (.commonName, "Porte Nord"),
    ]

    /// The parsed request, and its key's curve.
    private func curve(_ der: [UInt8]) -> NISTCurve? {
        let request = der.withUnsafeBufferPointer { buffer in
            var cursor = buffer.baseAddress
            return d2i_X509_REQ(nil, &cursor, buffer.count)
        }
        guard let request else { return nil }
        defer { X509_REQ_free(request) }
        guard let key = X509_REQ_get0_pubkey(request), X509_REQ_verify(request, key) == 1 else { return nil }
        return NISTCurve(of: key)
    }

    @Test(arguments: NISTCurve.allCases) func aRequestIsSignedByItsKey(_ on: NISTCurve) throws {
        let pair = try CurveKeyPair(on), request = try pair.certificateRequest(Self.subject, usage: Self.usage)
        #expect(curve(request) == on)
        // Both parts of the name stand in it as UTF-8.
        for text in ["Ministère", "Porte Nord"] { #expect(request.contains(Array(text.utf8))) }
        let text = array(try pair.privatePEM()), info = try pair.subjectPublicKeyInfo()
        let key = try CurveSigningKey(pem: text.span)
        #expect(key.curve == on && request.contains(info))
        var changed = request
        changed[changed.count - 1] ^= 1
        #expect(curve(changed) == nil)
        let other = try CurveKeyPair(on)
        #expect(try other.subjectPublicKeyInfo() != info)
    }

    @Test func aNameThatCannotBeIsRefused() throws {
        let pair = try CurveKeyPair(.p256)
        for bad in [
            [(.country, "UTO")], [(.commonName, "")], [(.commonName, String(repeating: "a", count: 65))],
        ] as [[(attribute: Certificate.NameAttribute, text: String)]] {
            #expect(throws: CryptographyError.malformedCertificate) { try pair.certificateRequest(bad, usage: Self.usage) }
        }
        #expect(throws: CryptographyError.malformedCertificate) { try pair.certificateRequest(Self.subject, usage: "none") }
    }
}
