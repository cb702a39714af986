import Appliance
import Testing
import Trust

@testable import Desk

@Suite struct ProvisioningPlanTests {
    static let gate = #"{"id":"10000000abcdef01","title":"North door","settings":{"name":"NORTH"}}"#

    static func plan(
        _ gates: [String] = [gate], template: String = #"{"languages":"fr,ar","name":"GATE"}"#, number: String = "3", head: String = ""
    ) -> [UInt8] {
        Array(
            (#"{"gatehouse-plan":1,"number":\#(number),"created":"2026-11-28T10:00:00Z","notAfter":"2027-01-31T00:00:00Z",\#(head)"#
                + #""template":\#(template),"gates":[\#(gates.joined(separator: ","))]}"#).utf8)
    }

    private func fault(_ octets: [UInt8]) -> ProvisioningError? {
        do throws(ProvisioningError) {
            _ = try ProvisioningPlan(parsing: octets)
            return nil
        } catch {
            return error
        }
    }

    private func content(_ octets: [UInt8], _ place: Int = 0) throws -> String {
        String(decoding: try ProvisioningPlan(parsing: octets).gates[place].order.content, as: UTF8.self)
    }

    @Test("a gate gets what the template says, but for what it says itself")
    func merged() throws {
        let plan = try ProvisioningPlan(parsing: Self.plan([Self.gate, #"{"id":"b-2"}"#]))
        #expect(plan.number == 3 && plan.created == 1_795_860_000 && plan.notAfter == 1_801_353_600)
        #expect(plan.gates.map(\.id) == ["10000000abcdef01", "b-2"] && plan.gates.map(\.title) == ["North door", nil])
        #expect(try content(Self.plan()) == #"{"languages":"fr,ar","name":"NORTH"}"#)
        #expect(try content(Self.plan([#"{"id":"b-2"}"#])) == #"{"languages":"fr,ar","name":"GATE"}"#)
        let order = try #require(plan.gates.first?.order)
        #expect(order.kind == .site && order.number == 3 && order.gates == .these(["10000000abcdef01"]))
        #expect(order.created == plan.created && order.notAfter == plan.notAfter)
    }

    @Test("an object of the template is replaced as a whole, and no template is an empty one")
    func objects() throws {
        let template = #"{"documents":{"gatehouse-documents":1,"age":18}}"#
        let own = #"{"id":"a","settings":{"documents":{"gatehouse-documents":1,"ask":["org.iso.18013.5.1.mDL"]}}}"#
        #expect(
            try content(Self.plan([own], template: template))
                == #"{"documents":{"ask":["org.iso.18013.5.1.mDL"],"gatehouse-documents":1}}"#)
        let bare =
            #"{"gatehouse-plan":1,"number":1,"created":"2026-11-28T10:00:00Z","notAfter":"2027-01-31T00:00:00Z","gates":[{"id":"a"}]}"#
        #expect(try content(Array(bare.utf8)) == "{}")
    }

    @Test(
        "an id that is no gate's and no file's name is refused by its place",
        arguments: [
            "", "A", "10000000ABCDEF01", "-a", "a_b", "a.b", "a/b", "..", "all", "a b", "a\\u0000", "é", String(repeating: "a", count: 33),
        ])
    func badIDs(_ id: String) {
        let found = fault(Self.plan([#"{"id":"a"}"#, #"{"id":"\#(id)"}"#]))
        guard !id.isEmpty else {
            #expect(found == .plan(TrustError(file: "plan", member: "gates[1].id", reason: .wrongType)))
            return
        }
        guard case .badID(place: 1, _) = found else {
            Issue.record("\(id): \(String(describing: found))")
            return
        }
    }

    @Test("near them are ids that are taken", arguments: ["a", "0", "a-", "10000000abcdef01", "alls", String(repeating: "a", count: 32)])
    func goodIDs(_ id: String) {
        #expect(fault(Self.plan([#"{"id":"\#(id)"}"#])) == nil)
    }

    @Test("no id twice, and no plan without a gate")
    func twice() {
        #expect(fault(Self.plan([#"{"id":"a"}"#, #"{"id":"b"}"#, #"{"id":"a"}"#])) == .idTwice("a", places: [0, 2]))
        #expect(fault(Self.plan([])) == .noGates)
    }

    @Test("what no plan has is refused, and named")
    func strict() {
        func member(_ octets: [UInt8]) -> String? {
            if case .plan(let error) = fault(octets) { error.member } else { nil }
        }
        #expect(member(Self.plan(head: #""gate":[],"#)) == "gate")
        #expect(member(Self.plan([#"{"id":"a","name":"X"}"#])) == "gates[0].name")
        #expect(member(Self.plan([#"{"title":"a"}"#])) == "gates[0].id")
        #expect(member(Self.plan(["7"])) == "gates[0]")
        #expect(member(Self.plan([#"{"id":7}"#])) == "gates[0].id")
        #expect(member(Self.plan([#"{"id":"a","settings":[]}"#])) == "gates[0].settings")
        #expect(member(Self.plan(template: "[]")) == "template")
        #expect(member(Self.plan(number: #""3""#)) == "number")
        // A plan says for which gate by itself.
        #expect(member(Self.plan(template: #"{"perGate":{}}"#)) == "template.perGate")
        #expect(member(Self.plan([#"{"id":"a","settings":{"perGate":{}}}"#])) == "gates[0].settings.perGate")
        #expect(member(Array("[]".utf8)) == "")
        #expect(member(Array(#"{"gatehouse-plan":2}"#.utf8)) == "gatehouse-plan")
        for missing in ["number", "created", "notAfter", "gates"] {
            let text = String(decoding: Self.plan(), as: UTF8.self).replacing("\"\(missing)\"", with: "\"template\"")
            #expect(fault(Array(text.utf8)) != nil, "\(missing)")
        }
        // A name that stands twice could be read either way.
        #expect(fault(Self.plan(head: #""number":4,"#)) != nil)
    }

    @Test("what a gate would refuse is refused at the desk, by the gate's id")
    func settings() {
        let bad = #"{"id":"b","settings":{"nam":"NORTH"}}"#
        #expect(fault(Self.plan([Self.gate, bad])) == .settings(gate: "b", .unknownMember("nam")))
        #expect(fault(Self.plan([#"{"id":"b","settings":{"camera":"cmd:sh"}}"#])) == .settings(gate: "b", .linkNotAllowed("camera")))
        #expect(fault(Self.plan(template: #"{"doorPulse":1}"#)) == .settings(gate: "10000000abcdef01", .outOfBounds("doorPulse", 1)))
        #expect(fault(Self.plan(number: "0")) == .order(gate: "10000000abcdef01", .numberRefused))
        let late = String(decoding: Self.plan(), as: UTF8.self).replacing("2027-01-31", with: "2026-11-27")
        #expect(fault(Array(late.utf8)) == .order(gate: "10000000abcdef01", .windowRefused))
    }

    @Test(
        "a title is what one reads",
        arguments: [("\\n", false), ("\\u202e", false), ("\\u200b", false), ("\\uffff", false), ("&<>\\\"", true), ("Porte é", true)])
    func titles(_ title: String, _ isGood: Bool) {
        let plan = Self.plan([#"{"id":"a","title":"x\#(title)"}"#])
        #expect(fault(plan) == (isGood ? nil : .badTitle(gate: "a")))
    }

    @Test("and has room on the label")
    func longTitles() {
        #expect(fault(Self.plan([#"{"id":"a","title":"\#(String(repeating: "x", count: 40))"}"#])) == nil)
        #expect(fault(Self.plan([#"{"id":"a","title":"\#(String(repeating: "x", count: 41))"}"#])) == .badTitle(gate: "a"))
    }

    @Test("ten thousand gates are a plan, and one more is none")
    func many() throws {
        let gates = (0...ProvisioningPlan.mostGates).map { #"{"id":"gate-\#($0)","settings":{"name":"G\#($0)"}}"# }
        #expect(try ProvisioningPlan(parsing: Self.plan(gates.dropLast())).gates.count == 10_000)
        #expect(fault(Self.plan(gates)) == .tooManyGates(10_001))
    }

    @Test("a plan cut off anywhere is refused")
    func cut() {
        let whole = Self.plan()
        for length in 0..<whole.count { #expect(fault(Array(whole[..<length])) != nil, "\(length)") }
        #expect(fault(whole) == nil)
    }
}
