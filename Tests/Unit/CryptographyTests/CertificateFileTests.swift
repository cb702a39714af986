import Foundation
import Testing

@testable import Cryptography

/// A file of certificates as a system's administrator keeps one.
@Suite struct CertificateFileTests {
    private static func pem(_ base64: String) -> String {
        let text = base64.filter { !$0.isWhitespace }
        let lines = stride(from: 0, to: text.count, by: 64).map { String(text.dropFirst($0).prefix(64)) }
        return (["-----BEGIN CERTIFICATE-----"] + lines + ["-----END CERTIFICATE-----"]).joined(separator: "\n") + "\n"
    }

    private static func count(_ text: String) -> Int? { try? Certificate.all(inPEM: Array(text.utf8)).count }

    @Test func eachCertificateOfAFileIsReadInItsOrder() throws {
        let text = Self.pem(CertificateFixtures.root) + Self.pem(CertificateFixtures.expiredMiddle)
        let validities = try Certificate.all(inPEM: Array(text.utf8)).map { try $0.validity() }
        #expect(
            validities == [try Self.validity(CertificateFixtures.root), try Self.validity(CertificateFixtures.expiredMiddle)]
                && validities[0] != validities[1])
    }

    private static func validity(_ base64: String) throws -> ClosedRange<Int64> {
        let der = Array(Data(base64Encoded: base64, options: .ignoreUnknownCharacters) ?? Data())
        return try Certificate(der.span).validity()
    }

    @Test func whatStandsBetweenCertificatesIsPassedOver() {
        let one = Self.pem(CertificateFixtures.root)
        #expect(Self.count("Certificate:\n    Data:\n" + one + "\n# the next one\n" + one) == 2)
        #expect(Self.count(one.replacingOccurrences(of: "\n", with: "\r\n")) == 1)
        #expect(Self.count(one.replacingOccurrences(of: "\n", with: " \t\n")) == 1)
        #expect(Self.count(String(one.dropLast())) == 1)
    }

    @Test func aFileWithoutAWholeCertificateIsRefused() {
        let one = Self.pem(CertificateFixtures.root)
        for text in [
            "", "nothing", String(one.dropLast(30)), one + "-----BEGIN CERTIFICATE-----\n", "-----BEGIN CERTIFICATE-----\n" + one,
            one.replacingOccurrences(of: "MII", with: "MI!"), one + "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
            one.replacingOccurrences(of: "CERTIFICATE", with: "PUBLIC KEY"), String(repeating: one, count: 17),
        ] { #expect(Self.count(text) == nil) }
        #expect(Self.count(String(repeating: one, count: 16)) == 16)
    }
}
