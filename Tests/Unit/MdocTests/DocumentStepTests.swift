import CBOR
import Cryptography
import Envelopes
import Testing

@testable import Mdoc

/// The steps of mdoc.md section 6.4, each with what fails it, and their order.
struct DocumentStepTests {
    @Test func aGoodDocumentSaysWhatTheIssuerSigned() throws {
        let result = try judge(TestDocument())
        #expect(result.fault == nil && result.detail == nil && result.docType == TestDocument.docType)
        #expect(result.deviceAuthentication == .signature)
        #expect(result.claims.value(TestDocument.nameSpace, "family_name")?.text == "Doe")
        #expect(result.claims.value(TestDocument.nameSpace, "age_over_18")?.bool == true)
        #expect(result.claims.value(TestDocument.nameSpace, "portrait") == nil)
        #expect(result.issuer?.commonName == "Test IACA" && result.issuer?.fingerprint.count == 32)
        #expect(result.warnings == [.revocationListMissing])
    }

    struct Step: CustomTestStringConvertible, Sendable {
        let fault: MdocFault
        let detail: MdocDetail
        let change: @Sendable (inout TestDocument) -> Void
        var testDescription: String { detail.rawValue }

        init(_ fault: MdocFault, _ detail: MdocDetail, _ change: @escaping @Sendable (inout TestDocument) -> Void) {
            (self.fault, self.detail, self.change) = (fault, detail, change)
        }
    }

    /// In the order of the steps: each fails later than the one before.
    static let steps: [Step] = [
        Step(.mobileCredentialInvalid, .malformed) { $0.validUntil = "tomorrow" },
        Step(.mobileCredentialInvalid, .chainMissing) { $0.chain = nil },
        Step(.invalidSignerCertificate, .certificateMalformed) { $0.chain = CBOREncoding.bytes([0x30, 0]) },
        Step(.unsupportedCurve, .deviceCurve) {
            $0.deviceKey = CBOREncoding.map([
                (CBOREncoding.integer(1), CBOREncoding.integer(1)), (CBOREncoding.integer(-1), CBOREncoding.integer(6)),
                (CBOREncoding.integer(-2), CBOREncoding.bytes([UInt8](repeating: 9, count: 32))),
            ])
        },
        Step(.deviceKeyInvalid, .deviceKey) { $0.deviceKey = SessionKey.encode(.p256, point: [UInt8](repeating: 4, count: 65)) },
        Step(.invalidSignerCertificate, .signerState) { $0.chain = CBOREncoding.bytes(hex(DocumentFixtures.signerOfOtherState)) },
        Step(.mobileCredentialInvalid, .issuerAlgorithm) { $0.issuerAlgorithm = -35 },
        Step(.mobileCredentialInvalid, .issuerSignature) { $0.isIssuerSignatureBroken = true },
        Step(.mobileCredentialInvalid, .version) { $0.version = "2.0" },
        Step(.mobileCredentialInvalid, .docType) { $0.signedDocType = "org.example" },
        Step(.mobileCredentialInvalid, .digestAlgorithm) { $0.digestAlgorithm = "SHA-1" },
        Step(.mobileCredentialInvalid, .signedOutsideSigner) { $0.signed = "2020-01-01T00:00:00Z" },
        Step(.mobileCredentialInvalid, .digest) {
            $0.signedItems = $0.items
            $0.items[0].value = CBOREncoding.text("Roe")
        },
        Step(.mobileCredentialInvalid, .deviceAuthMissing) { $0.proof = .none },
        Step(.mobileCredentialInvalid, .devicePayload) { $0.embeds = { $0 + [0] } },
        Step(.mobileCredentialInvalid, .deviceAlgorithm) { $0.deviceAlgorithm = 5 },
        Step(.mobileCredentialInvalid, .deviceSignature) { $0.signsTranscript = CBOREncoding.array([]) },
        Step(.deviceKeyInvalid, .keyNotAuthorised) { $0.deviceItems = [("org.example", [("name", CBOREncoding.text("x"))])] },
        Step(.mobileCredentialInvalid, .notRequested) {
            $0.docType = "org.example"
            $0.signedDocType = "org.example"
        },
        Step(.mobileCredentialExpired, .validUntil) { $0.validUntil = "2026-05-31T23:59:59Z" },
        Step(.statusUnknown, .statusMissing) { $0.status = CBOREncoding.map([]) },
    ]

    @Test(arguments: steps) func everyStepHasItsReason(_ step: Step) throws {
        let result = try judge(changed(step.change))
        #expect(result.fault == step.fault && result.detail == step.detail)
        #expect(result.claims.isEmpty && result.deviceClaims.isEmpty)
    }

    /// Pairs of faults that do not undo each other.
    @Test func theFirstStepThatFailsIsTheReason() throws {
        for (index, first) in Self.steps.enumerated() {
            for second in Self.steps.dropFirst(index + 1) {
                // One docType cannot be both another one and the signed one; a key that signs nothing has no algorithm.
                if first.detail == .docType && second.detail == .notRequested { continue }
                let result = try judge(
                    changed {
                        second.change(&$0)
                        first.change(&$0)
                    })
                #expect(result.detail == first.detail, "\(first.detail) before \(second.detail), not \(String(describing: result.detail))")
            }
        }
    }

    @Test func theSecondsNamedBelongToTheValidity() throws {
        let document = changed {
            $0.validFrom = "2026-06-01T12:00:00Z"
            $0.validUntil = "2026-06-01T13:00:00.5+01:00"
        }
        let now = DocumentFixtures.now
        #expect(try judge(document, now: now).fault == nil)
        #expect(try judge(document, now: now - 1).fault == .mobileCredentialNotYetValid)
        #expect(try judge(document, now: now + 1).fault == .mobileCredentialExpired)
        let skewed = MdocVerifier.Settings(skew: 1)
        #expect(try judge(document, settings: skewed, now: now - 1).fault == nil)
        #expect(try judge(document, settings: skewed, now: now + 1).fault == nil)
        #expect(try judge(document, settings: skewed, now: now + 2).fault == .mobileCredentialExpired)
    }

    @Test func aDocumentThatIsOverTellsOnlyWhatItHad() throws {
        let result = try judge(changed { $0.validUntil = "2026-05-31T23:59:59Z" })
        #expect(result.claims.isEmpty && result.validity != nil)
        #expect(result.returned.nameSpaces.map(\.identifiers) == [["family_name", "age_over_18"]])
    }

    @Test func anElementTwiceIsRefused() throws {
        let document = changed { $0.items.append((7, [UInt8](repeating: 3, count: 16), "family_name", CBOREncoding.text("Roe"))) }
        #expect(try judge(document).detail == .elementTwice)
    }

    @Test func anItemOfAnotherNameSpaceHasNoDigest() throws {
        #expect(try judge(changed { $0.nameSpace = "org.example" }).detail == .digest)
    }

    @Test func shortSaltsAreAWarning() throws {
        let result = try judge(changed { $0.items[0].random = [1] })
        #expect(result.fault == nil && result.warnings.contains(.shortRandom(elements: 1)))
    }

    @Test func aSecondDocumentOfAKindWasNotAskedFor() throws {
        let macKeys = try TestMACKeys(), document = try TestDocument().octets(macKeys)
        let response = TestDocument.response([document, document])
        let verifier = MdocVerifier(trust: try .test())
        func faults(_ requested: [String]) throws -> [MdocDetail?] {
            try verifier.verify(
                response: response.span, transcript: TestDocument.transcript, requested: requested, macKeys: macKeys,
                now: DocumentFixtures.now
            ).documents.map(\.detail)
        }
        #expect(try faults([TestDocument.docType]) == [nil, .notRequested])
        #expect(try faults([TestDocument.docType, TestDocument.docType]) == [nil, nil])
        #expect(try faults([]) == [.notRequested, .notRequested])
    }

    @Test func errorsAreThePhonesWord() throws {
        let codes = CBOREncoding.map([(CBOREncoding.text("portrait"), CBOREncoding.integer(0))])
        let result = try judge(changed { $0.errors = CBOREncoding.map([(CBOREncoding.text(TestDocument.nameSpace), codes)]) })
        #expect(result.fault == nil && result.errors == [ElementError(nameSpace: TestDocument.nameSpace, identifier: "portrait", code: 0)])
    }
}
