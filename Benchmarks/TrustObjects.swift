import CMallocCount
import COpenSSL
import Cryptography
import Envelopes
import Foundation
import JSON
import TestSupport
import Trust

/// What a gate pays for AnonCreds objects when it loads a bundle: numbers, points and tables are checked and made each time.
struct TrustObjectFigures {
    /// Nanoseconds for a bundle with one definition: of credentials that cannot be revoked, and that can, with its registry.
    let plain: Double
    let revocable: Double
    /// The same bundle read again by a gate that believes it already.
    let again: Double
    /// Nanoseconds of one power by libcrypto with this modulus and an exponent as long.
    let floor: Double
    /// Octets that stay allocated for the revocable one.
    let resident: UInt64

    private static let town = "did:web:town.example"

    /// Nil where the vectors are not there.
    init?() throws {
        let path = Repository.root + "/Tests/Support/Vectors/anoncreds/context.json"
        guard let octets = FileManager.default.contents(atPath: path) else { return nil }
        let context = try JSONDocument(parsing: Array(octets), limits: JSONLimits(nodes: 100_000)).root
        guard let one = try Self.contents(context, canBeRevoked: false), let other = try Self.contents(context, canBeRevoked: true),
            let n = Self.modulus(context)
        else { return nil }
        plain = try Self.median { keep(try TrustStore(one)) }
        revocable = try Self.median { keep(try TrustStore(other)) }
        let known = try TrustStore(other)
        again = try Self.median { keep(try TrustStore(other, after: known)) }
        floor = try Self.median { Self.power(n) }
        malloc_peak_begin()
        let store = try TrustStore(other)
        resident = malloc_peak_end()
        keep(store)
    }

    private static func median(_ body: () throws -> Void) throws -> Double {
        var times: [Double] = []
        for _ in 0..<15 {
            let time = try ContinuousClock().measure(body)
            times.append(Double(time.components.seconds) * 1e9 + Double(time.components.attoseconds) / 1e9)
        }
        return times.sorted()[times.count / 2]
    }

    private static func definition(_ context: JSONValue, _ canBeRevoked: Bool) -> (id: String, value: JSONValue)? {
        let members = context["cred_defs"]?.members.map(Array.init) ?? []
        return members.first { $0.name.hasPrefix(town) && ($0.value["value"]?["revocation"] != nil) == canBeRevoked }
            .map { ($0.name, $0.value) }
    }

    private static func modulus(_ context: JSONValue) -> String? {
        definition(context, true)?.value["value"]?["primary"]?["n"]?.string
    }

    /// One definition with its schema and, where it has one, its registry, as a bundle has them.
    private static func contents(_ context: JSONValue, canBeRevoked: Bool) throws -> TrustContents? {
        func text(_ value: JSONValue?) -> String { String(decoding: value?.source ?? [], as: UTF8.self) }
        guard let (id, definition) = definition(context, canBeRevoked), let schemaID = definition["schemaId"]?.string,
            let schema = context["schemas"]?[schemaID], let value = definition["value"]
        else { return nil }
        let revocation = canBeRevoked ? ",\"revocation\":\(text(value["revocation"]))" : ""
        let registries = (context["rev_reg_defs"]?.members.map(Array.init) ?? []).filter {
            canBeRevoked && $0.value["credDefId"]?.isString(id) == true
        }
        .map { "{\"id\":\"\($0.name)\",\"definition\":\"\(id)\",\"z\":\(text($0.value["value"]?["publicKeys"]?["accumKey"]?["z"]))}" }
        let file = Array(
            """
            {"gatehouse-anoncreds":1,"schemas":[{"id":"\(schemaID)","issuerId":"\(town)","name":"n","version":"1","attrNames":\(text(schema["attrNames"]))}],\
            "definitions":[{"id":"\(id)","schemaId":"\(schemaID)","issuerId":"\(town)","tag":"t","primary":\(text(value["primary"]))\(revocation)}],\
            "registries":[\(registries.joined(separator: ","))]}
            """.utf8)
        let digest = Hexadecimal.text(try Digest.hash(file.span, .sha256))
        let entry = """
            {"gatehouse-trust":1,"ids":["\(town)"],"forms":["anoncreds"],"types":["\(schemaID)"],\
            "anoncreds":{"file":"f","sha256":"\(digest)"}}
            """
        return TrustContents(
            issuers: [.init(name: "town.json", bytes: Array(entry.utf8))],
            anoncreds: AnonCredsContents(files: [.init(name: "f", bytes: file)]))
    }

    private static func power(_ n: String) {
        let work = BN_CTX_new(), base = BN_new(), result = BN_new()
        var modulus: OpaquePointer?
        BN_dec2bn(&modulus, n)
        BN_sub(base, modulus, BN_value_one())
        BN_rshift1(base, base)
        BN_mod_exp(result, base, base, modulus, work)
        for number in [modulus, base, result] { BN_free(number) }
        BN_CTX_free(work)
    }
}

func benchTrustObjects() throws {
    guard let figures = try TrustObjectFigures() else { return print("AnonCreds objects of a bundle: skipped, the vectors are not here") }
    func ratio(_ time: Double) -> String { "\(text(time / 1e6)) ms, \(text(time / figures.floor, 1)) times" }
    print(
        "loading a bundle with one AnonCreds definition: \(ratio(figures.plain)) one power of that size (\(text(figures.floor / 1e6)) ms); "
            + "with revocation and its registry \(ratio(figures.revocable)); read again \(text(figures.again / 1e6)) ms; "
            + "memory \(figures.resident / 1024) kB at most")
}
