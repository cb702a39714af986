import JSON
import Testing

@testable import AnonCreds

/// Requests and their restrictions (anoncreds.md section 9).
struct RequestTests {
    private static func request(_ text: String) throws(RequestFault) -> PresentationRequest {
        let octets = Array(text.utf8)
        return try PresentationRequest(parsing: octets.span)
    }

    @Test func whatIsAskedForIsRead() throws {
        let request = try Self.request(
            #"""
            {"nonce":"12","requested_attributes":{"a":{"name":"Full Name"},"g":{"names":["x","Y z"],"restrictions":[],"non_revoked":{"to":9}}},
            "requested_predicates":{"p":{"name":"Years","p_type":"<","p_value":-5}},"non_revoked":{"from":3}}
            """#)
        #expect(request.nonce == "12")
        #expect(request.attributes.map(\.referent).sorted() == ["a", "g"])
        let group = try #require(request.attributes.first { $0.isGroup })
        #expect(group.views.map(\.string) == ["x", "yz"])
        #expect(group.restriction == nil)
        #expect(group.interval == PresentationRequest.Interval(from: 0, to: 9))
        #expect(request.interval == PresentationRequest.Interval(from: 3, to: .max))
        #expect(request.predicates.first?.predicate == Predicate(attribute: ExactText("years"), relation: .less, value: -5))
        #expect(request.predicates.first?.predicate.bound == -6)
    }

    @Test(arguments: [
        ("", ""), ("[]", "nonce"), (#"{"nonce":5}"#, "nonce"), (#"{"nonce":"05"}"#, "nonce"),
        (#"{"nonce":"1","non_revoked":[]}"#, "non_revoked"),
        (#"{"nonce":"1","non_revoked":{"from":-1}}"#, "non_revoked.from"),
        (#"{"nonce":"1","requested_attributes":[]}"#, "requested_attributes"),
        (#"{"nonce":"1","requested_attributes":{"a":{}}}"#, "requested_attributes.a.names"),
        (#"{"nonce":"1","requested_attributes":{"a":{"name":"x","names":["x"]}}}"#, "requested_attributes.a.name"),
        (#"{"nonce":"1","requested_attributes":{"a":{"names":["x","X"]}}}"#, "requested_attributes.a.names"),
        (#"{"nonce":"1","requested_attributes":{"a":{"names":[]}}}"#, "requested_attributes.a.names"),
        (#"{"nonce":"1","requested_predicates":{"p":{"name":"x","p_type":"=","p_value":1}}}"#, "requested_predicates.p.p_type"),
        (#"{"nonce":"1","requested_predicates":{"p":{"name":"x","p_type":">","p_value":2147483648}}}"#, "requested_predicates.p.p_value"),
        (#"{"nonce":"1","requested_predicates":{"p":{"p_type":">","p_value":1}}}"#, "requested_predicates.p.name"),
    ])
    func whatCannotBeAskedForIsNamed(_ text: String, _ member: String) {
        #expect(throws: RequestFault(member)) { try Self.request(text) }
    }

    @Test func boundsDoNotOverflow() {
        #expect(Predicate(attribute: ExactText("a"), relation: .more, value: .max).bound == 1 << 31)
        #expect(Predicate(attribute: ExactText("a"), relation: .less, value: .min).bound == -(1 << 31) - 1)
    }

    private static func isMet(_ restrictions: String, raw: [String: String] = [:], registry: String? = nil) throws -> Bool {
        let definition = try #require(TestBundle.definitions.first { $0.id == TestBundle.resident })
        let schema = try #require(TestBundle.schemas.first { $0.id == definition.schemaID })
        let values = Dictionary(uniqueKeysWithValues: raw.map { (ExactText.view($0.key), $0.value) })
        let credential = RestrictedCredential(
            schema: schema, definition: definition, registryID: registry.map { ExactText($0) }, raw: values)
        return try Restriction.read(JSONDocument(parsing: Array(restrictions.utf8)).root)?.isMet(by: credential) ?? true
    }

    @Test(arguments: [
        "null", "[]", "{}", "[{}]", #"{"issuer_id":"did:web:town.example"}"#, #"{"issuer_did":"did:web:town.example"}"#,
        #"{"schema_name":"resident","schema_version":"1.2"}"#, #"[{"schema_name":"x"},{"schema_name":"resident"}]"#,
        #"{"$not":{"schema_name":"x"}}"#, #"{"schema_name":{"$neq":"x"}}"#, #"{"schema_name":{"$in":["x","resident"]}}"#,
        #"{"$or":[{"unknown":"x"},{"schema_name":"resident"}]}"#, #"{"attr::FULL NAME::value":"Ö"}"#, #"{"attr::Full Name::marker":"1"}"#,
        #"{"$not":{"attr::shoe size::marker":"1"}}"#, #"{"$and":[]}"#, #"{"$and":[{"schema_issuer_id":"did:web:town.example"}]}"#,
    ])
    func restrictionsAreMet(_ text: String) throws {
        #expect(try Self.isMet(text, raw: ["Full Name": "Ö"]))
    }

    @Test(arguments: [
        #"{"issuer_id":"did:web:Town.example"}"#, #"{"schema_name":"resident","schema_version":"1.3"}"#, #"[{"schema_name":"x"}]"#,
        #"{"$not":{"schema_name":"resident"}}"#, #"{"schema_name":{"$neq":"resident"}}"#, #"{"schema_name":{"$in":[]}}"#, #"{"$or":[]}"#,
        #"{"unknown":"x"}"#, #"{"$not":{"unknown":"x"}}"#, #"{"schema_name":{"$like":"x"}}"#, #"{"$not":{"schema_name":{"$like":"x"}}}"#,
        #"{"schema_name":5}"#, #"{"$in":["resident"]}"#, #"["resident"]"#, #""resident""#, #"{"attr::Full Name::value":"O\u0308"}"#,
        #"{"attr::floor::value":"1"}"#, #"{"attr::shoe size::marker":"1"}"#, #"{"attr::floor":"1"}"#, #"{"rev_reg_id":"r"}"#,
        #"{"$not":{"$or":[{"schema_name":"x"},{"unknown":"x"}]}}"#,
    ])
    func restrictionsAreUnmet(_ text: String) throws {
        #expect(try !Self.isMet(text, raw: ["Full Name": "Ö"]))
    }

    @Test func registriesCountWhereTheyAreProven() throws {
        #expect(try Self.isMet(#"{"rev_reg_id":"r"}"#, registry: "r"))
        #expect(try !Self.isMet(#"{"rev_reg_id":"r"}"#, registry: "s"))
    }
}
