import Foundation
import Testing

@testable import Credentials
@testable import Envelopes
@testable import Trust

@Suite struct ReceivingTests {
    private func receive(_ text: String) throws(RejectReason) -> ReceivedCredential {
        try ReceivedCredential(message: Array(text.utf8).span)
    }

    private func reason(_ text: String) -> RejectReason? {
        do throws(RejectReason) {
            _ = try receive(text)
            return nil
        } catch {
            return error
        }
    }

    @Test("a credential that is wiped keeps its form and not one octet")
    func wiping() throws {
        let message = TestCredential().message
        var received = try ReceivedCredential(message: message.span)
        #expect(received.bytes == message)
        received.wipe()
        #expect(received.bytes == [UInt8](repeating: 0, count: message.count) && received.form == .sdJWT)
    }

    @Test func wrappers() throws {
        let text = TestCredential().text()
        let wrapper =
            #"{"vcMetadata":{"format":"vc+sd-jwt","issuer":"Mosip","isVerified":true},"privateKey":"secret","credential":{"biometrics":{"face":"attacker"}},"verifiableCredential":{"credential":"\#(text)","issuerLogo":{}},"OTP":""}"#
        let received = try receive(wrapper)
        #expect(received.form == .sdJWT)
        #expect(received.bytes == Array(text.utf8))
        #expect(received.formatHint == "vc+sd-jwt" && received.issuerHint == "Mosip")
        #expect(try TestTrust().verifier().verify(Array(wrapper.utf8), at: TestCredential.now).isAccept)
        #expect(try receive(#"{"verifiableCredential":"\#(text)"}"#).bytes == Array(text.utf8))
        #expect(try receive(text).bytes == Array(text.utf8))
        // A slash may be escaped in JSON; the text inside is what counts.
        #expect(try receive(#"{"verifiableCredential":{"credential":"a\u002eb\u002ec~"}}"#).bytes == Array("a.b.c~".utf8))
    }

    @Test func objectsKeepTheirBytes() throws {
        let object = #"{ "@context" : [ ] , "proof" : { } }"#
        #expect(try receive(#"{"verifiableCredential":{"credential":\#(object) }}"#).bytes == Array(object.utf8))
        #expect(try receive(#"{"verifiableCredential":\#(object)}"#).bytes == Array(object.utf8))
        #expect(try receive("  \(object)\n").bytes == Array(object.utf8))
        #expect(try receive(object).form == .ldpVC)
        #expect(try receive(#"{"verifiableCredential":{"credential":{"x":1}}}"#).form == .unknown)
    }

    @Test("Octets keep an end that looks like white space", arguments: [0x20, 0x0A, 0x0D, 0x09] as [UInt8])
    func octetsAreNotTrimmed(_ last: UInt8) throws {
        let token: [UInt8] = [0xD2, 0x84, 0x41, last]
        let received = try ReceivedCredential(message: token.span)
        #expect(received.form == .cwt && received.bytes == token)
    }

    @Test func hintsAreOnlyHints() throws {
        for metadata in [
            "1", "null", "\"text\"", "[]", "{}", #"{"format":1,"issuer":{}}"#, "{\"format\":\"\(String(repeating: "x", count: 200))\"}",
        ] {
            let received = try receive(#"{"vcMetadata":\#(metadata),"verifiableCredential":"a.b.c~"}"#)
            #expect(received.formatHint == nil && received.issuerHint == nil)
        }
        #expect(try receive(#"{"vcMetadata":{"format":"mso_mdoc"},"verifiableCredential":"a.b.c~"}"#).form == .sdJWT)
    }

    @Test(
        arguments: [
            ("", .credentialMissing), (" \n", .credentialMissing), ("{}", .credentialMissing),
            (#"{"credential":"a.b.c~"}"#, .credentialMissing), ("{", .messageMalformed), (#"{"a":1,"a":2}"#, .messageMalformed),
            (#"{"verifiableCredential":1}"#, .credentialMissing), (#"{"verifiableCredential":null,"proof":{}}"#, .credentialMissing),
            (#"{"verifiableCredential":{"credential":[]}}"#, .credentialMissing),
            (#"{"verifiableCredential":{"credential":"x","credential":"y"}}"#, .messageMalformed),
            (#"{"verifiableCredential":"x","junk":{"deep":[1,]}}"#, .messageMalformed),
            ("{\"a\":" + String(repeating: "[", count: 100), .tooComplex),
        ] as [(String, RejectReason)])
    func nothingToVerify(_ text: String, _ expected: RejectReason) {
        #expect(reason(text) == expected)
    }

    @Test(
        arguments: [
            ("a.b.c~", .sdJWT), ("a.b.c", .jwtVC), ("a.b.c.d", .unknown), ("a.b.c.d~", .unknown), ("~", .unknown), ("hello", .unknown),
            ("d83dd28443a10126", .cwt), ("D83DD284", .cwt), ("d28443a1", .cwt),
            ("ompuYW1lU3BhY2Vz", .mdoc), ("a26a6e616d65537061636573", .mdoc), ("-", .unknown), ("1", .unknown), ("[1]", .unknown),
            ("\"a.b.c~\"", .sdJWT), ("\"\"", .unknown), ("\"\\u00e9\"", .unknown),
        ] as [(String, CredentialForm)])
    func forms(_ text: String, _ form: CredentialForm) throws {
        #expect(try receive(text).form == form)
        if ![.sdJWT, .cwt].contains(form) {
            #expect(try TestTrust().verifier().verify(Array(text.utf8), at: 0).reasons == [.unsupportedForm(form)])
        }
    }

    @Test func binaryForms() {
        #expect(CredentialForm(recognising: [0xD8, 0x3D, 0xD2, 0x84]) == .cwt)
        #expect(CredentialForm(recognising: [0xD2, 0x84, 0x43]) == .cwt)
        #expect(CredentialForm(recognising: [0xA2, 0x6A, 0x6E]) == .mdoc)
        #expect(CredentialForm(recognising: [0xFF, 0x00]) == .unknown)
        #expect(CredentialForm(recognising: [0xD8]) == .unknown)
        #expect(CredentialForm(recognising: []) == .unknown)
    }

    @Test func everyCutOfAWrapper() throws {
        let verifier = try TestTrust().verifier()
        let message = Array(#"{"vcMetadata":{"format":"x"},"verifiableCredential":{"credential":"\#(TestCredential().text())"}}"#.utf8)
        #expect(verifier.verify(message, at: TestCredential.now).isAccept)
        for length in 0..<message.count { #expect(!verifier.verify(Array(message[..<length]), at: TestCredential.now).isAccept) }
    }

    @Test func tooLarge() throws {
        #expect(try TestTrust().verifier().verify([UInt8](repeating: 0x61, count: (16 << 20) + 1), at: 0).reasons == [.messageTooLarge])
    }
}

@Suite struct EncodingTests {
    @Test func base64AgreesWithFoundation() {
        for length in 0..<70 {
            let octets = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 73 &+ length) }
            #expect(String(decoding: Base64.encodeURL(octets), as: UTF8.self) == base64URL(octets))
            #expect(Base64.decode(base64URL(octets)) == octets)
            #expect(Base64.decode(Data(octets).base64EncodedString(), alphabet: .standard) == octets)
        }
    }

    @Test(arguments: ["A", "AAAAA", "AB", "AAB", "AA==", "AA=", "A A", "AA\n", "AA+/", "A\u{e9}", "=", "AA.A", "_w="])
    func notBase64URL(_ text: String) { #expect(Base64.decode(text) == nil) }

    @Test(arguments: [
        "A", "AA", "AA=", "AA===", "AB==", "AAA", "AAB=", "AA=A", "=AAA", "====", "AAAA=", "AAAA====", "A-_A", "AA ==", "AAAA\n",
    ])
    func notBase64(_ text: String) { #expect(Base64.decode(text, alphabet: .standard) == nil) }

    @Test(
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("2027-01-15T08:00:00Z", 1_800_000_000), ("2027-01-15T08:00:00.999Z", 1_800_000_000),
            ("2027-01-15T09:30:00+01:30", 1_800_000_000), ("2027-01-15T00:00:00-08:00", 1_800_000_000),
            ("2000-02-29T12:00:00Z", 951_825_600), ("1969-12-31T23:59:59Z", -1), ("0000-01-01T00:00:00Z", -62_167_219_200),
            ("9999-12-31T23:59:59Z", 253_402_300_799), ("2100-03-01T00:00:00Z", 4_107_542_400),
        ] as [(String, Int64)])
    func timestamps(_ text: String, _ seconds: Int64) { #expect(Timestamp.seconds(text) == seconds) }

    @Test(arguments: [
        "", "2027-01-15", "2027-01-15T08:00:00", "2027-01-15 08:00:00Z", "2027-01-15t08:00:00z", "2027-13-01T00:00:00Z",
        "2027-00-01T00:00:00Z", "2027-02-29T00:00:00Z", "2100-02-29T00:00:00Z", "2027-01-32T00:00:00Z",
        "2027-01-15T24:00:00Z", "2027-01-15T08:60:00Z", "2027-01-15T08:00:60Z", "2027-01-15T08:00:00.Z", "2027-01-15T08:00:00+0100",
        "2027-01-15T08:00:00+24:00", "2027-01-15T08:00:00Zx", "2027-01-15T08:00:00.1",
        "+2027-01-15T08:00:00Z", "2027-1-15T08:00:00Z0", "２027-01-15T08:00:00Z",
        "2027-01-15T08:00:00.\(String(repeating: "1", count: 99))Z",
    ])
    func notTimestamps(_ text: String) { #expect(Timestamp.seconds(text) == nil) }

    @Test func everyCutOfATimestamp() {
        let text = "2027-01-15T09:30:00.5+01:30"
        for length in 0..<text.count { #expect(Timestamp.seconds(String(text.prefix(length))) == nil) }
    }

    @Test func reasonsHaveDistinctCodes() {
        let reasons: [RejectReason] = [
            .messageTooLarge, .messageMalformed, .credentialMissing, .unsupportedForm(.cwt), .compactMalformed, .headerMalformed,
            .typeHeaderRefused, .algorithmRefused, .criticalHeaderRefused,
            .payloadMalformed, .signatureInvalid, .issuerMissing, .issuerUnknown, .formNotTrusted, .algorithmNotTrusted, .keyUnknown,
            .keyNotCurrent, .keyMismatch, .certificateMalformed, .certificateUntrusted,
            .certificateNameMismatch, .digestAlgorithmRefused, .disclosureMalformed, .disclosureRepeated, .disclosureUnreferenced,
            .digestRepeated, .digestMalformed, .disclosureMisplaced, .claimNameRefused,
            .claimNameRepeated, .tooComplex, .timeMalformed, .expired, .notYetValid, .issuedInFuture, .typeMissing, .typeNotTrusted,
            .statusUnknown, .keyBindingMalformed, .keyBindingKeyMissing,
            .keyBindingHashMismatch, .keyBindingSignatureInvalid, .credentialRule(.missing(.issuer)), .contextUnknown, .linkedDataInvalid,
            .proofMissing, .proofMalformed, .proofTypeRefused,
            .proofPurposeRefused, .proofExpired, .payloadNotDetached, .claimsUncovered, .credentialAmbiguous, .issuerMismatch,
            .suiteNotTrusted, .revoked, .suspended, .unsupportedCode(.healthCertificate), .encrypted, .decryptionFailed, .signatureMissing,
            .certificateThumbprintMismatch,
        ]
        #expect(Set(reasons.map(\.code)).count == reasons.count)
        #expect(Set(reasons.map(\.sentence)).count == reasons.count)
        #expect(RejectReason.unsupportedForm(.mdoc).detail == "mso_mdoc")
        #expect(RejectReason.credentialRule(.missing(.issuer)).detail == "missing:issuer")
    }
}
