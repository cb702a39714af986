import CBOR
import Cryptography
import Envelopes
import Testing

@testable import Mdoc

/// What was asked and what was answered, and ages (mdoc.md section 6).
struct DocumentBalanceTests {
    private func request(_ elements: [String], docType: String = TestDocument.docType) throws -> DocumentRequest {
        try DocumentRequest(docType: docType, [.init(TestDocument.nameSpace, elements.map { DocumentRequest.Element($0) })])
    }

    @Test func whatIsNotHandedOverIsNamed() throws {
        let result = try judge(TestDocument()), asked = try request(["family_name", "portrait", "age_over_21"])
        #expect(result.missing(of: asked).map(\.identifier) == ["portrait"], "a statement about another age answers")
        #expect(result.withholdsPortrait(of: asked))
        #expect(try !result.withholdsPortrait(of: request(["family_name"])))
    }

    @Test func thePhonesCodeIsKept() throws {
        let codes = CBOREncoding.map([(CBOREncoding.text("portrait"), CBOREncoding.integer(3))])
        let result = try judge(changed { $0.errors = CBOREncoding.map([(CBOREncoding.text(TestDocument.nameSpace), codes)]) })
        #expect(try result.missing(of: request(["portrait"])).map(\.code) == [3])
    }

    @Test func whatNobodyAskedForIsKeptOut() throws {
        let result = try judge(TestDocument())
        let (claims, surplus) = try result.claims(asked: request(["age_over_18"]))
        #expect(surplus == 1 && claims.value(TestDocument.nameSpace, "family_name") == nil)
        #expect(claims.value(TestDocument.nameSpace, "age_over_18")?.bool == true)
    }

    @Test func documentsThatAreMissingAreNamed() throws {
        let macKeys = try TestMACKeys(), response = TestDocument.response([try TestDocument().octets(macKeys)])
        let result = try MdocVerifier(trust: .test()).verify(
            response: response.span, transcript: TestDocument.transcript, requested: [TestDocument.docType], macKeys: macKeys,
            now: DocumentFixtures.now)
        let other = try request(["family_name"], docType: "org.example")
        #expect(try result.missing(of: [request(["family_name"]), other]) == [DocumentError(docType: "org.example", code: 0)])
    }

    private func claims(_ elements: [(String, [UInt8])]) throws -> MdocClaims {
        var claims = MdocClaims()
        claims.append(
            TestDocument.nameSpace,
            try elements.map { MdocClaims.Element(identifier: $0.0, value: try CBORDocument(parsing: $0.1, options: .tolerant).root) })
        return claims
    }

    @Test func theNearestAgeDecides() throws {
        func isAtLeast(_ years: Int, _ elements: [(String, Bool)]) throws -> Bool? {
            try claims(elements.map { ($0.0, CBOREncoding.bool($0.1)) }).isAtLeast(years, in: TestDocument.nameSpace, at: 0)
        }
        #expect(try isAtLeast(18, [("age_over_21", true)]) == true)
        #expect(try isAtLeast(18, [("age_over_16", true)]) == nil)
        #expect(try isAtLeast(18, [("age_over_16", false)]) == false)
        #expect(try isAtLeast(18, [("age_over_21", false)]) == nil)
        #expect(try isAtLeast(18, [("age_over_21", true), ("age_over_16", false)]) == nil, "nobody is both")
        #expect(try isAtLeast(18, [("age_over_018", true), ("age_over_", true), ("age_over_1x", true)]) == nil)
    }

    @Test func theDateOfBirthDecidesByTheCalendar() throws {
        func isAdult(born: String, on day: String, tag: UInt64 = 1004) throws -> Bool? {
            let date = CBOREncoding.tag(tag, CBOREncoding.text(born)), now = Timestamp.seconds(day + "T12:00:00Z") ?? 0
            return try claims([("birth_date", date)]).isAtLeast(18, in: TestDocument.nameSpace, at: now)
        }
        #expect(try isAdult(born: "2008-06-01", on: "2026-06-01") == true)
        #expect(try isAdult(born: "2008-06-02", on: "2026-06-01") == false)
        #expect(try isAdult(born: "2008-02-29", on: "2026-02-28") == false)
        #expect(try isAdult(born: "2008-02-29", on: "2026-03-01") == true)
        #expect(try isAdult(born: "2008-06-01T00:00:00Z", on: "2026-06-01", tag: 0) == true)
        #expect(try isAdult(born: "2007-02-29", on: "2026-06-01") == nil, "there was no such day")
        #expect(try isAdult(born: "1 June 2008", on: "2026-06-01") == nil)
    }

    @Test func aPhotoIDsDateOfBirthMayBeKnownInPart() throws {
        func isAdult(_ mask: [UInt8]?, born: [UInt8] = CBOREncoding.tag(1004, CBOREncoding.text("2008-06-01"))) throws -> Bool? {
            var members = [(key: CBOREncoding.text("birth_date"), value: born)]
            if let mask { members.append((CBOREncoding.text("approximate_mask"), mask)) }
            let now = try #require(Timestamp.seconds("2026-06-01T12:00:00Z"))
            return try claims([("birth_date", CBOREncoding.map(members))]).isAtLeast(18, in: TestDocument.nameSpace, at: now)
        }
        #expect(try isAdult(nil) == true)
        #expect(try isAdult(CBOREncoding.text("00000000")) == true)
        #expect(try isAdult(CBOREncoding.text("00000011")) == nil, "the day is not known")
        #expect(try isAdult(CBOREncoding.unsigned(0)) == nil)
        #expect(try isAdult(nil, born: CBOREncoding.map([(CBOREncoding.text("birth_date"), CBOREncoding.text("2008-06-01"))])) == nil)
        #expect(try isAdult(nil, born: CBOREncoding.text("2008-06-02")) == false)
    }
}
