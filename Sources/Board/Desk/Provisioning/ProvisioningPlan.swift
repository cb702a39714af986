import Appliance
import Envelopes
import JSON
import Trust

/// What a row of boards is to become: one template, the gates, and what is different with each of them.
///
/// ```
/// { "gatehouse-plan": 1, "number": 1, "created": "2026-11-28T10:00:00Z", "notAfter": "2027-01-31T00:00:00Z",
///   "template": { "languages": "fr,ar" },
///   "gates": [ { "id": "10000000abcdef01", "title": "North door", "settings": { "name": "NORTH" } } ] }
/// ```
///
/// Everything that goes into a site file is in it, the time it was made too: the same plan makes the same orders, octet for octet.
package struct ProvisioningPlan: Hashable, Sendable {
    /// Octets of a plan.
    package static let largest = 8 << 20
    /// More would be a slip, and a folder in which nobody finds anything.
    package static let mostGates = 10_000
    private static let version: Int64 = 1
    /// Values and names of a gate at most, and of the rest: JSON is read into a table that they take room in.
    private static let nodesOfGate = 64, nodesOfRest = 20_000

    /// One gate, and what its signers are asked to sign.
    package struct Gate: Hashable, Sendable {
        /// As orders name it, and a file's name too: 1 to 32 of `a-z 0-9 -`, the first no hyphen.
        package let id: String
        /// For people, on the label; nil where nobody gave one.
        package let title: String?
        package let order: Order
    }

    /// Of every site file that is made.
    package let number: Int64
    package let created: Seconds
    package let notAfter: Seconds
    /// In the plan's order; no id twice.
    package let gates: [Gate]

    /// Reads a plan strictly: nothing unknown, nothing twice, nothing missing, and no site file that its gate would refuse.
    package init(parsing octets: [UInt8]) throws(ProvisioningError) {
        let plan = try Self.plan { () throws(TrustError) in try PlanText(octets, version: Self.version, limits: Self.limits) }
        (number, created, notAfter) = (plan.number, plan.created, plan.notAfter)
        guard !plan.gates.isEmpty else { throw .noGates }
        guard plan.gates.count <= Self.mostGates else { throw .tooManyGates(plan.gates.count) }
        var places: [String: Int] = [:], gates: [Gate] = []
        for (place, text) in plan.gates.enumerated() {
            guard Self.isID(text.id) else { throw .badID(place: place, id: text.id) }
            if let first = places.updateValue(place, forKey: text.id) { throw .idTwice(text.id, places: [first, place]) }
            if let title = text.title, !GateLabel.isTitle(title) { throw .badTitle(gate: text.id) }
            gates.append(Gate(id: text.id, title: text.title, order: try Self.order(of: text, plan)))
        }
        self.gates = gates
    }

    private static var limits: JSONLimits { JSONLimits(bytes: largest, nodes: nodesOfRest + mostGates * nodesOfGate) }

    /// Lower case alone: two names that differ in nothing else are one file on a stick.
    static func isID(_ id: String) -> Bool {
        guard 1...32 ~= id.utf8.count, id.utf8.first != UInt8(ascii: "-"), id != "all", GateID.isWellFormed(id) else { return false }
        return id.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-") }
    }

    private static func order(of text: PlanText.Gate, _ plan: PlanText) throws(ProvisioningError) -> Order {
        let order: Order
        do throws(OrderError) {
            order = try Order(
                kind: .site, number: plan.number, gates: .these([text.id]), created: plan.created, notAfter: plan.notAfter,
                content: plan.content(of: text))
        } catch {
            throw .order(gate: text.id, error)
        }
        do throws(SiteSettingsError) {
            _ = try SiteSettings(order, for: text.id)
        } catch {
            throw .settings(gate: text.id, error)
        }
        return order
    }

    private static func plan<Value>(_ body: () throws(TrustError) -> Value) throws(ProvisioningError) -> Value {
        do throws(TrustError) { return try body() } catch { throw .plan(error) }
    }
}

/// The members of a plan, with names and types checked and nothing else.
private struct PlanText {
    struct Gate {
        let id: String
        let title: String?
        let settings: JSONValue?
    }

    let number: Int64
    let created: Seconds
    let notAfter: Seconds
    let template: JSONValue?
    let gates: [Gate]

    private static let file = "plan"
    /// A section for gates by their ids, which a plan is itself.
    private static let perGate = "perGate"

    init(_ octets: [UInt8], version: Int64, limits: JSONLimits) throws(TrustError) {
        let root: JSONValue
        do throws(JSONError) {
            root = try JSONDocument(parsing: octets, limits: limits).root
        } catch {
            throw TrustError(file: Self.file, reason: error.reason == .tooLong ? .tooLarge : .malformed(error))
        }
        let file = TrustMember(file: Self.file, path: "", value: root)
        let members = try file.object(known: ["gatehouse-plan", "number", "created", "notAfter", "template", "gates"])
        guard try members.required("gatehouse-plan", of: file).value.int64 == version else {
            throw TrustError(file: Self.file, member: "gatehouse-plan", reason: .unsupportedVersion)
        }
        let number = try members.required("number", of: file)
        guard let value = number.value.int64 else { throw number.fault(.wrongType) }
        self.number = value
        created = try members.required("created", of: file).time()
        notAfter = try members.required("notAfter", of: file).time()
        template = try members["template"].map { (member) throws(TrustError) in try Self.settings(member) }
        let gates = try members.required("gates", of: file)
        guard let elements = gates.value.elements else { throw gates.fault(.wrongType) }
        self.gates = try elements.enumerated().map { (place, element) throws(TrustError) in
            let gate = TrustMember(file: Self.file, path: "gates[\(place)]", value: element)
            let members = try gate.object(known: ["id", "title", "settings"])
            return Gate(
                id: try members.required("id", of: gate).text(),
                title: try members["title"].map { (member) throws(TrustError) in try member.text() },
                settings: try members["settings"].map { (member) throws(TrustError) in try Self.settings(member) })
        }
    }

    private static func settings(_ member: TrustMember) throws(TrustError) -> JSONValue {
        guard let members = member.value.members else { throw member.fault(.wrongType) }
        for inside in members where inside.key.isString(perGate) {
            throw TrustError(file: file, member: "\(member.path).\(perGate)", reason: .unknown)
        }
        return member.value
    }

    /// What the template says, but for what this gate says itself.
    func content(of gate: Gate) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        if let common = template?.members {
            for member in common where gate.settings?[member.name] == nil {
                writer.name(copying: member.key)
                writer.copy(member.value)
            }
        }
        if let own = gate.settings?.members {
            for member in own {
                writer.name(copying: member.key)
                writer.copy(member.value)
            }
        }
        writer.endObject()
        return writer.bytes
    }
}
