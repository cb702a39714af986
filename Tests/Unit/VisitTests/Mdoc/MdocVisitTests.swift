import Bluetooth
import CBOR
import Mdoc
import MdocTransport
import Testing

@testable import Presentation
@testable import Visit

/// Whole visits by an engagement, with the gate as GATT server: mdoc central client mode (mdoc.md section 2.1).
@Suite struct MdocVisitTests {
    static let nothing = ["org.iso.18013.5.1.mDL": ["issuing_country"]]

    @Test func aGoodDocumentLetsSomebodyIn() throws {
        let test = try TestGate.withMdoc(), phone = try MdocTestPhone()
        let own = test.controller.data
        try test.meet(phone)
        #expect(test.lights.last == .busy)
        #expect(test.signs.last == .approve(percent: 0))
        let asked = try phone.asked()
        #expect(asked.elements == Self.nothing && !asked.keeps)
        test.send(try phone.answer(try phone.response()))
        #expect(test.lights.last == .accept && test.verdicts == [true])
        try test.deliver(to: phone)
        // "Session termination", and nothing else.
        let termination = try phone.answer(nil, status: 20)
        #expect(phone.messages.count == 2 && phone.messages.last == termination)
        let record = try #require(test.records.first)
        #expect(record.outcome == .accepted && record.presentation == .mdoc && record.form == .mdoc && record.reasons.isEmpty)
        #expect(record.binding == .device && record.isHolderBound == false)
        #expect(record.mdoc?.bearer == .server && record.mdoc?.docType == "org.iso.18013.5.1.mDL" && record.mdoc?.results == [])
        #expect(record.issuer?.utf8.count == 64 && record.mtu == 515 && record.times.decided != nil)
        test.leave()
        #expect(test.controller.isAdvertising && test.controller.data == own)
        try test.stillServes()
        #expect(test.controller.offences.isEmpty, "\(test.controller.offences)")
    }

    @Test func whatIsAdvertisedIsTheEngagementsAndFromAnotherAddress() throws {
        let test = try TestGate.withMdoc(), phone = try MdocTestPhone()
        let address = test.controller.address
        test.look(phone.code)
        #expect(test.controller.isAdvertising && test.controller.address != address)
        #expect(test.controller.data.prefix(21) == [2, 1, 6, 0x11, 7] + TestEngagement.uuid.reversed())
        #expect(test.signs.last == .checking && test.lights.last == .busy)
    }

    @Test(arguments: [23, 64, 185, 515]) func everyMTUWorks(mtu: UInt16) throws {
        let test = try TestGate.withMdoc(), phone = try MdocTestPhone()
        try test.meet(phone, mtu: mtu == 23 ? nil : mtu)
        test.send(try phone.answer(try phone.response()), mtu: Int(mtu))
        #expect(test.records.first?.outcome == .accepted && test.records.first?.mtu == mtu, "\(test.records)")
    }

    /// Wallets on iOS write START before they subscribe, and subscribe to State last or never.
    @Test func startMayComeFirst() throws {
        let test = try TestGate.withMdoc(), phone = try MdocTestPhone()
        test.look(phone.code)
        test.connect(mtu: 527)
        test.write(.state, [1])
        test.subscribe(.serverToClient)
        try test.deliver(to: phone)
        test.send(try phone.answer(try phone.response(), status: 20))
        #expect(test.records.first?.outcome == .accepted)
    }

    /// Whoever has agreed is not asked to once more while the answer comes, which may take two minutes.
    @Test func theScreenAsksUntilTheAnswerBegins() throws {
        let test = try TestGate.withMdoc(), phone = try MdocTestPhone()
        try test.meet(phone)
        test.wait(20_000)
        #expect(test.signs.last == .approve(percent: 5))
        let values = MdocTestPhone.values(of: try phone.answer(try phone.response()), mtu: 185)
        try #require(values.count > 2)
        test.write(.clientToServer, values[0])
        #expect(test.signs.last == .checking)
        test.wait(5000)
        #expect(test.signs.last == .checking)
        for value in values.dropFirst() { test.write(.clientToServer, value) }
        test.wait(1)
        #expect(test.records.first?.outcome == .accepted)
    }

    /// Each with a reason of the eleven, our own word beside it, and no claim anywhere.
    @Test func aBadDocumentLetsNobodyIn() throws {
        let cases: [(String, MdocFault, MdocDetail, (inout TestDocument) -> Void)] = [
            ("mdoc-expired", .mobileCredentialExpired, .validUntil, { $0.validUntil = "2026-05-02T00:00:00Z" }),
            ("mdoc-not-yet-valid", .mobileCredentialNotYetValid, .validFrom, { $0.validFrom = "2026-06-30T00:00:00Z" }),
            ("mdoc-invalid", .mobileCredentialInvalid, .issuerSignature, { $0.isIssuerSignatureBroken = true }),
            ("mdoc-invalid", .mobileCredentialInvalid, .deviceSignature, { $0.signsTranscript = TestDocument.transcript }),
            ("mdoc-invalid", .mobileCredentialInvalid, .deviceAuthMissing, { $0.proof = .none }),
            ("mdoc-invalid", .mobileCredentialInvalid, .notRequested, { ($0.docType, $0.signedDocType) = ("other", "other") }),
        ]
        for (code, fault, detail, change) in cases {
            let test = try TestGate.withMdoc()
            try test.visit(try MdocTestPhone(), change)
            let record = try #require(test.records.first)
            #expect(record.outcome == .rejected && record.reasons == [.mdoc(.document(fault, detail))], "\(record)")
            #expect(record.reasons.first?.code == code && record.reasons.first?.detail == detail.rawValue)
            #expect(record.mdoc?.results == [fault] && record.binding == nil)
            #expect(test.lights.last == .reject && test.signs.last == .rejected(record.reasons.first))
            try test.stillServes()
        }
    }

    @Test func whatTheSiteAsksForHasToBeThere() throws {
        var settings = MdocSettings()
        let name = MdocAlternative.Element(TestDocument.nameSpace, "family_name")
        settings.alternatives = [MdocAlternative(docType: TestDocument.docType, elements: [name], leastAge: 18)]
        func outcome(_ items: [(String, [UInt8])]) throws -> [GateReason] {
            let test = try TestGate.withMdoc(settings: settings), phone = try MdocTestPhone()
            try test.visit(phone) { document in
                document.items = items.enumerated().map { (UInt64($0), [UInt8](repeating: 1, count: 16), $1.0, $1.1) }
            }
            #expect(try phone.asked().elements == [TestDocument.docType: ["family_name", "age_over_18"]])
            return test.records.first?.reasons ?? [.trustChanged]
        }
        let doe = ("family_name", CBOREncoding.text("Doe"))
        #expect(try outcome([doe, ("age_over_18", CBOREncoding.bool(true))]) == [])
        #expect(try outcome([doe, ("age_over_21", CBOREncoding.bool(true))]) == [])
        #expect(try outcome([doe, ("age_over_18", CBOREncoding.bool(false))]) == [.mdoc(.tooYoung)])
        #expect(try outcome([doe]) == [.mdoc(.ageUnknown)])
        #expect(try outcome([("age_over_18", CBOREncoding.bool(true))]) == [.mdoc(.elementMissing("family_name"))])
    }

    /// The portrait that was signed goes to whoever compares faces.
    @Test func aPortraitIsCompared() throws {
        let test = try TestGate.withMdoc(face: .whenPhoto), phone = try MdocTestPhone()
        try test.meet(phone)
        #expect(try phone.asked().elements == ["org.iso.18013.5.1.mDL": ["portrait"]])
        #expect(test.wantsCamera)
        test.send(try phone.answer(try phone.response(portrait: [0xFF, 0xD8, 0xFF, 0xE0])))
        #expect(test.lights.last == .look)
        // The phone has done its part.
        test.leave()
        let request = try #require(test.takeFaceRequest())
        #expect(request.portrait == "/9j/4A==")
        test.gate.faceDecided(TestGate.match, of: request.number, at: test.now)
        test.turn()
        let record = try #require(test.records.first)
        #expect(record.outcome == .accepted && record.isHolderBound == true && record.binding == .device)
        try test.stillServes()
    }

    @Test func aPortraitThatIsWithheldIsNoPortrait() throws {
        let test = try TestGate.withMdoc(face: .whenPhoto)
        try test.visit(try MdocTestPhone())
        #expect(test.records.first?.reasons == [.mdoc(.portraitWithheld)])
    }

    /// Where the portrait is all that is asked for, a phone that agrees to nothing sends a document with nothing in it.
    @Test(arguments: [Policy.Face.whenPhoto, .required]) func aDocumentWithNothingInItHasNoPortrait(face: Policy.Face) throws {
        let test = try TestGate.withMdoc(face: face)
        try test.visit(try MdocTestPhone()) { $0.items = [] }
        #expect(test.records.first?.reasons == [.mdoc(.portraitWithheld)] && test.verdicts == [false])
        #expect(test.takeFaceRequest() == nil)
    }

    /// Of a European identity document its holder may leave the portrait out: whether that lets anybody in is the policy's to say.
    @Test func anIdentityDocumentMayComeWithoutItsPortrait() throws {
        let docType = "eu.europa.ec.eudi.pid.1"
        for (face, reasons) in [(.whenPhoto, []), (.required, ["no-portrait"])] as [(Policy.Face, [String])] {
            let settings = MdocSettings(alternatives: [MdocAlternative(docType: docType)])
            let test = try TestGate.withMdoc(face: face, settings: settings)
            try test.visit(try MdocTestPhone()) { document in
                (document.docType, document.signedDocType) = (docType, docType)
                document.items = []
            }
            let record = try #require(test.records.first)
            #expect(record.reasons.map(\.code) == reasons && record.isHolderBound == false, "\(face): \(record)")
        }
    }

    /// A site may have its portraits elsewhere: those are compared, and not none.
    @Test func aPortraitOfAnotherNameSpaceIsCompared() throws {
        let docType = "org.iso.23220.photoid.1"
        let portrait = MdocAlternative.Element(TestDocument.nameSpace, "portrait")
        let settings = MdocSettings(alternatives: [MdocAlternative(docType: docType, elements: [portrait])])
        let test = try TestGate.withMdoc(face: .whenPhoto, settings: settings), phone = try MdocTestPhone()
        try test.visit(phone, portrait: [0xFF, 0xD8, 0xFF, 0xE0]) { ($0.docType, $0.signedDocType) = (docType, docType) }
        #expect(try phone.asked().elements == [docType: ["portrait"]])
        #expect(test.records.isEmpty && test.takeFaceRequest()?.portrait == "/9j/4A==")
    }
}
