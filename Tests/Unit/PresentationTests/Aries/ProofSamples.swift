import AriesTransport
import Bluetooth
import Cryptography
import DIDComm
import Envelopes
import Foundation
import JSON
import TestSupport

@testable import AnonCreds
@testable import Presentation
@testable import Trust

/// Whom the vectors of AnonCreds believe, and presentations made by another implementation.
enum ProofSamples {
    static let resident = "did:web:town.example/anoncreds/cred-def/resident-2026"
    static let permit = "did:web:town.example/anoncreds/cred-def/permit-north"
    static let registry = "did:web:town.example/anoncreds/rev-reg/permit-north-4"
    /// The gate's clock of every vector.
    static let now: Int64 = 1_790_262_800
    /// When those who were born on the day that is asked for in them have been so for eighteen years: two days later.
    static let grownUp: Int64 = 1_790_380_800

    private static func file(_ name: String) throws -> [String: Any] {
        let path = Repository.root + "/Tests/Support/Vectors/anoncreds/" + name
        let data = FileManager.default.contents(atPath: path) ?? Data("{}".utf8)
        return try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
    }

    private static func octets(_ value: Any) throws -> [UInt8] {
        [UInt8](try JSONSerialization.data(withJSONObject: value, options: [.fragmentsAllowed]))
    }

    private static func read(_ value: Any) throws -> JSONValue {
        try JSONDocument(parsing: octets(value), limits: JSONLimits(nodes: 1_000_000)).root
    }

    /// An accepted vector's request and presentation.
    static func vector(_ name: String) throws -> (request: [UInt8], presentation: [UInt8]) {
        let all = try file("vectors.json")["accepted"] as? [[String: Any]] ?? []
        let vector = all.first { $0["name"] as? String == name } ?? [:]
        return (try octets(vector["pres_req"] ?? [:]), try octets(vector["presentation"] ?? [:]))
    }

    /// Checked once: points take long in a debug build.
    private static let checked = Result { try context() }

    private static func context() throws -> AnonCredsContext {
        let context = try read(file("context.json"))
        let schemas = try (context["schemas"]?.members.map(Array.init) ?? []).map { member in
            try CredentialSchema(
                id: member.name, issuerID: member.value["issuerId"]?.string ?? "", name: member.value["name"]?.string ?? "",
                version: member.value["version"]?.string ?? "",
                attributeNames: (member.value["attrNames"]?.elements.map(Array.init) ?? []).compactMap(\.string))
        }
        let definitions: [CredentialDefinition] = try (context["cred_defs"]?.members.map(Array.init) ?? []).compactMap { member in
            let value = member.value["value"]
            guard let schema = schemas.first(where: { $0.id == member.value["schemaId"]?.string }), let primary = value?["primary"] else {
                return nil
            }
            return try CredentialDefinition(
                id: member.name, schema: schema, issuerID: member.value["issuerId"]?.string ?? "", tag: "", notBefore: nil, notAfter: nil,
                primary: primary, revocation: value?["revocation"])
        }
        return try AnonCredsContext(schemas: schemas, definitions: definitions)
    }

    /// An entry for residents of a town.
    static func definition(
        _ id: String = resident, attributes: [String] = ["Full Name", "family name", "birth_date", "Years", "floor", "portrait"],
        types: [String] = ["resident"], roles: [ClaimRole: String] = [.birthDate: "birth_date", .portrait: "portrait"],
        requires: Set<ClaimRole> = [], expiry: String? = nil, registries: [BelievedDefinition.Registry]? = nil,
        status: StatusPolicy = StatusPolicy(), notAfter: Seconds? = nil
    ) -> BelievedDefinition {
        BelievedDefinition(
            id: id, issuerID: "did:web:town.example", issuer: 0, schemaID: "schema", schemaIssuerID: "did:web:town.example",
            schemaName: "resident", schemaVersion: "1.2", modulusBits: 2048, attributes: attributes, types: types, roles: roles,
            requires: requires, expiry: expiry, canBeRevoked: registries != nil, registries: registries ?? [], status: status,
            notBefore: nil,
            notAfter: notAfter)
    }

    static func belief(_ definitions: [BelievedDefinition] = [definition()]) throws -> AnonCredsBelief {
        AnonCredsBelief(
            context: try checked.get(), definitions: definitions, contents: AnonCredsContents(), checked: CheckedObjects())
    }

    // MARK: a wallet

    /// A message that answers `thread`.
    static func message(_ presentation: [UInt8], thread: String, type: String = "present-proof/2.0/presentation") -> [UInt8] {
        let base64 = String(decoding: Base64.encodeStandard(presentation), as: UTF8.self)
        return Array(
            #"{"@type":"https://didcomm.org/\#(type)","@id":"m-1","~thread":{"thid":"\#(thread)"},"formats":[{"attach_id":"a","format":"anoncreds/proof@v1.0"}],"presentations~attach":[{"@id":"a","data":{"base64":"\#(base64)"}}]}"#
                .utf8)
    }

    static func envelope(_ message: [UInt8], for key: EnvelopeRecipient) throws -> [UInt8] {
        try Envelope.anoncrypt(message.span, for: [key])
    }
}

/// A presentation with its memory, as a gate has it.
final class ProofDesk {
    let storage = UnsafeMutablePointer<AriesLinkStorage>.allocate(capacity: 1)
    let incoming = UnsafeMutableRawBufferPointer.allocate(byteCount: PieceSize.longest, alignment: 16)
    let outgoing = UnsafeMutableRawBufferPointer.allocate(byteCount: AriesLink.longestOutgoing, alignment: 16)
    var aries: AriesPresentation

    init(_ wishes: ProofWishes = ProofDesk.adult, needsPortrait: Bool = false) {
        storage.initialize(to: AriesLinkStorage())
        incoming.initializeMemory(as: UInt8.self, repeating: 0)
        outgoing.initializeMemory(as: UInt8.self, repeating: 0)
        aries = AriesPresentation(
            storage: storage, incoming: incoming, outgoing: outgoing, wishes: wishes, needsPortrait: needsPortrait)
    }

    deinit {
        storage.deinitialize(count: 1)
        storage.deallocate()
        incoming.deallocate()
        outgoing.deallocate()
    }

    static var adult: ProofWishes {
        var wishes = ProofWishes()
        wishes.leastAge = 18
        return wishes
    }

    func ask(_ belief: AnonCredsBelief, at now: Seconds = ProofSamples.now) { aries.renew(belief, at: now) }

    func withQuestion<Result>(_ body: (borrowing AriesQuestion) -> Result) -> Result? {
        switch aries.question {
        case .some(let question): body(question)
        case .none: nil
        }
    }

    var request: JSONValue? {
        withQuestion { question in (try? JSONDocument(parsing: question.content))?.root } ?? nil
    }

    var code: String { aries.withCode { text in String(decoding: text.withUnsafeBufferPointer { Array($0) }, as: UTF8.self) } ?? "" }
    var nonce: String { request?["nonce"]?.string ?? "" }
    var thread: String { withQuestion { $0.thread.request } ?? "" }
    var recipient: EnvelopeRecipient? { withQuestion { $0.key.recipient } }

    /// The question is what another verifier asked, so that what another wallet answered is its answer.
    func substitute(_ content: [UInt8], demands: [ProofWishes.Predicate]) {
        guard let question = aries.question.take() else { return }
        aries.question = Self.changed(question, content, demands)
    }

    private static func changed(
        _ question: consuming AriesQuestion, _ content: [UInt8], _ demands: [ProofWishes.Predicate]
    ) -> AriesQuestion {
        question.substitute(content, demands)
        return question
    }

    func finding(by belief: AnonCredsBelief, at now: Seconds = ProofSamples.grownUp, hasEnded: Bool = false) -> ProofFinding {
        aries.finding(by: belief, at: now, hasEnded: { hasEnded })
    }

    func begin(at now: Instant) -> Bool { aries.begin(at: now) }
    func tell(_ isAccepted: Bool, at now: Instant) -> Bool { aries.tell(isAccepted, at: now) }
    func takeReply() -> PostReply? { aries.takeReply() }
    var awaitsPost: Bool { aries.awaitsPost }
    var hasPost: Bool { aries.hasPost }
    var deadline: Instant? { aries.deadline }
    var unopened: UInt64 { aries.counters.unopened }
    var service: Bluetooth.UUID? { aries.service }
    var obstacle: ProofObstacle? { aries.obstacle }

    func open(_ octets: [UInt8]) -> AriesPresentation.Opening { aries.open(octets.span) }
    func post(_ octets: [UInt8], at now: Instant = Instant(nanoseconds: 1)) -> AriesPresentation.Opening {
        aries.take(post: octets.span, at: now)
    }

    var isWiped: Bool {
        incoming.allSatisfy { $0 == 0 } && outgoing.allSatisfy { $0 == 0 } && aries.isForgotten && code.isEmpty
    }
}
