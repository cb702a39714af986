import Foundation
import JSON
import Testing

@testable import AnonCreds

/// What the trust bundle's objects have to be (anoncreds.md section 8).
struct BundleTests {
    /// A definition's value with one member replaced, or removed.
    private static func changed(_ id: String, _ path: [Any], _ value: Any?) throws -> JSONValue {
        let stated = TestBundle.file["cred_defs"]?[id]?["value"]?.source ?? []
        let tree = try JSONSerialization.jsonObject(with: Data(stated))
        return try JSONDocument(parsing: [UInt8](JSONSerialization.data(withJSONObject: Vectors.edited(tree, path[...], value)))).root
    }

    private static func fault(_ id: String, _ path: [Any], _ value: Any?) throws -> ContextFault? {
        let value = try changed(id, path, value)
        do { _ = try TestBundle.definition(id, value) } catch let fault as ContextFault { return fault }
        return nil
    }

    private static func text(_ path: [String]) -> String {
        TestBundle.file["cred_defs"]?[TestBundle.permit]?["value"]?.value(at: path)?.string ?? ""
    }

    @Test func whatTheIssuersHaveIsTaken() throws {
        #expect(TestBundle.schemas.count == 3)
        #expect(TestBundle.definitions.count == 3)
        #expect(try Self.fault(TestBundle.permit, ["unknown"], 1) == nil)
    }

    @Test(arguments: ["n", "s", "rctxt", "z"]) func numbersAreCanonical(_ name: String) throws {
        let member = "primary." + name, text = Self.text(["primary", name])
        for (value, problem) in [
            (nil, ContextFault.Problem.missing), (5, .wrongType), ("", .notCanonical), ("0" + text, .notCanonical),
            ("-" + text, .notCanonical),
            (text + " ", .notCanonical), ("0x10", .notCanonical), (String(repeating: "7", count: 1201), .notCanonical), ("1", .outOfRange),
            ("0", .outOfRange), (text + "00", .outOfRange),
        ] as [(Any?, ContextFault.Problem)] {
            #expect(try Self.fault(TestBundle.permit, ["primary", name], value) == ContextFault(TestBundle.permit, member, problem))
        }
    }

    @Test func theModulusIsOddAndOfItsSize() throws {
        let n = Self.text(["primary", "n"]), last = n.last?.wholeNumberValue ?? 0
        let even = String(n.dropLast()) + String(last - 1)
        #expect(try Self.fault(TestBundle.permit, ["primary", "n"], even)?.problem == .outOfRange)
        #expect(try Self.fault(TestBundle.permit, ["primary", "n"], String(n.dropLast(10)))?.problem == .outOfRange)
    }

    @Test func basesAreBelowTheModulusAndCoprime() throws {
        let n = Self.text(["primary", "n"])
        #expect(try Self.fault(TestBundle.permit, ["primary", "s"], n) == ContextFault(TestBundle.permit, "primary.s", .outOfRange))
        // Divisible by 1000003, and of the same size.
        let divisible = n.dropLast(7) + "1640583"
        #expect(try Self.fault(TestBundle.permit, ["primary", "n"], String(divisible)) == nil)
        var value = try Self.changed(TestBundle.permit, ["primary", "n"], String(divisible))
        let tree = Vectors.edited(try JSONSerialization.jsonObject(with: Data(value.source)), ["primary", "r", "zone"], "3000009")
        value = try JSONDocument(parsing: [UInt8](JSONSerialization.data(withJSONObject: tree))).root
        #expect(throws: ContextFault(TestBundle.permit, "primary.r.zone", .notCoprime)) {
            try TestBundle.definition(TestBundle.permit, value)
        }
    }

    @Test func basesAreThoseOfTheSchema() throws {
        let s = Self.text(["primary", "s"]), wrong = ContextFault(TestBundle.permit, "primary.r", .wrongKeys)
        #expect(try Self.fault(TestBundle.permit, ["primary", "r", "zone"], nil) == wrong)
        #expect(try Self.fault(TestBundle.permit, ["primary", "r", "master_secret"], nil) == wrong)
        #expect(try Self.fault(TestBundle.permit, ["primary", "r", "shoesize"], s) == wrong)
        #expect(try Self.fault(TestBundle.permit, ["primary", "r"], nil)?.problem == .missing)
        #expect(try Self.fault(TestBundle.permit, ["primary", "r"], [Any]())?.problem == .wrongType)
    }

    @Test(arguments: ["g", "h", "h0", "h1", "h2", "htilde", "pk", "g_dash", "h_cap", "u", "y"])
    func pointsAreInTheirGroups(_ name: String) throws {
        let member = "revocation." + name
        #expect(try Self.fault(TestBundle.permit, ["revocation", name], nil) == ContextFault(TestBundle.permit, member, .missing))
        #expect(try Self.fault(TestBundle.permit, ["revocation", name], 5) == ContextFault(TestBundle.permit, member, .wrongType))
        // Of the other group, and infinity.
        let isSecond = ["g_dash", "h_cap", "u", "y"].contains(name)
        let other = Self.text(["revocation", isSecond ? "g" : "y"]), infinity = Array(repeating: "1 0", count: isSecond ? 6 : 3)
        for text in [other, infinity.joined(separator: " "), ""] {
            #expect(try Self.fault(TestBundle.permit, ["revocation", name], text) == ContextFault(TestBundle.permit, member, .notInGroup))
        }
    }

    @Test func zIsOfOrderRAndNotOne() throws {
        let z = TestBundle.file["rev_reg_defs"]?[TestBundle.registry]?["value"]?["publicKeys"]?["accumKey"]?["z"]?.string ?? ""
        var words = z.split(separator: " ").map(String.init)
        words[1] = String(words[1].dropLast()) + (words[1].hasSuffix("0") ? "1" : "0")
        // 1 in Montgomery's form: 2^280 mod p.
        let one = "1 095E45DDF417D05FB10933FFC63D474548B7FFFF7888802F07FFFFFF7D07A8A8"
        for text in [words.joined(separator: " "), "", ([one] + Array(repeating: "1 0", count: 11)).joined(separator: " ")] {
            #expect(throws: ContextFault("r", "z", .notInGroup)) {
                try RevocationRegistry(id: "r", definitionID: TestBundle.permit, z: TestBundle.text(text))
            }
        }
        #expect(Fp12.one.power(Scalar.order) == .one)
    }

    @Test func idsAreUniqueAndLeadSomewhere() throws {
        #expect(throws: ContextFault(TestBundle.resident, "id", .duplicate)) {
            let one = try #require(TestBundle.definitions.first { $0.id == TestBundle.resident })
            return try AnonCredsContext(schemas: TestBundle.schemas, definitions: [one, one])
        }
        #expect(throws: ContextFault.self) { try AnonCredsContext(schemas: [], definitions: TestBundle.definitions) }
        let vector = Vectors.vector("a14_not_revoked"), registries = try TestBundle.registries(vector.document("rev_reg_defs"))
        #expect(throws: ContextFault(TestBundle.registry, "definition", .unknown)) {
            try AnonCredsContext(schemas: [], definitions: [], registries: registries)
        }
        let lists = try TestBundle.lists(vector.document("rev_status_lists"))
        #expect(throws: ContextFault(TestBundle.registry, "timestamp", .duplicate)) {
            try AnonCredsContext(schemas: [], definitions: [], lists: lists + lists)
        }
    }

    @Test func attributesOfOneViewAreRefused() {
        func schema(_ names: [String]) throws(ContextFault) -> CredentialSchema {
            try CredentialSchema(id: "s", issuerID: "i", name: "n", version: "1", attributeNames: names)
        }
        #expect(throws: ContextFault("s", "attrNames", .duplicate)) { try schema(["Full Name", "fullname"]) }
        #expect(throws: ContextFault("s", "attrNames", .duplicate)) { try schema(["Master_Secret"]) }
        #expect(throws: ContextFault("s", "attrNames", .tooMany)) { try schema([]) }
        #expect(throws: ContextFault("s", "attrNames", .tooMany)) { try schema((0..<126).map { "a\($0)" }) }
        #expect(throws: Never.self) { try schema((0..<125).map { "a\($0)" }) }
    }

    @Test func definitionsHaveTheirTime() throws {
        let vector = Vectors.vector("a01_revealed"), presentation = vector.presentation, now = vector.now
        let value = try #require(TestBundle.file["cred_defs"]?[TestBundle.resident]?["value"])
        for (from, to, reason) in [(now + 1, nil, true), (nil, now - 1, true), (now, now, false)] as [(Int64?, Int64?, Bool)] {
            let definition = try TestBundle.definition(TestBundle.resident, value, notBefore: from, notAfter: to)
            let verifier = AnonCredsVerifier(context: try AnonCredsContext(schemas: TestBundle.schemas, definitions: [definition]))
            let found = Result { try verifier.verify(presentation.span, for: vector.request(), now: now) }
            if reason {
                #expect(throws: PresentationReason.definitionNotCurrent) { try found.get() }
            } else {
                #expect(throws: Never.self) { try found.get() }
            }
        }
    }

    @Test func listsHaveTheirAge() throws {
        let vector = Vectors.vector("a15_not_revoked_by_item"), registry = ExactText(TestBundle.registry), time: Int64 = 1_790_172_800
        func list(_ policy: AnonCredsContext.StatusPolicy, now: Int64, fetched: Int64) throws -> Bool {
            let context = try AnonCredsContext(
                schemas: [], definitions: [], lists: TestBundle.lists(vector.document("rev_status_lists"), fetched: fetched),
                statusPolicy: policy)
            return try context.list(registry, time, now: now).isStale
        }
        let any = AnonCredsContext.StatusPolicy(softAge: 10, hardAge: 20, grace: nil)
        #expect(try list(any, now: time, fetched: time) == false)
        #expect(try list(any, now: time + 11, fetched: time) == true)
        #expect(throws: PresentationReason.statusUnknown) { try list(any, now: time + 21, fetched: time) }
        // Superseded one day later.
        let grace = AnonCredsContext.StatusPolicy(softAge: .max, hardAge: .max, grace: 60)
        #expect(throws: Never.self) { try list(grace, now: time + 86_400 + 59, fetched: time) }
        #expect(throws: PresentationReason.statusUnknown) { try list(grace, now: time + 86_400 + 60, fetched: time) }
        #expect(throws: PresentationReason.statusUnknown) { try list(AnonCredsContext.StatusPolicy(), now: time + 86_400, fetched: time) }
        #expect(throws: Never.self) { try list(grace, now: .min, fetched: .max) }
    }
}
