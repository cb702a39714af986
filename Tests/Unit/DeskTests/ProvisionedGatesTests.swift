import Appliance
import BoardTestSupport
import Cryptography
import Foundation
import JSON
import Linux
import Testing
import Trust

@testable import Desk

@Suite struct ProvisionedGatesTests {
    private let stage = Stage()
    /// After the plans were made.
    private let latest: Int64 = 1_795_860_300
    private let gates = [ProvisioningPlanTests.gate, #"{"id":"b-2"}"#, #"{"id":"c","title":"<&>"}"#]

    private func made(
        _ number: UInt8 = 1, after earlier: String? = nil, plan: [UInt8]? = nil, latest: Int64? = nil, root: TrustRoot? = nil
    ) throws -> ProvisionedGates {
        let key = try SigningKey(seed: [UInt8](repeating: number, count: 32).span)
        return try ProvisionedGates(
            ProvisioningPlan(parsing: plan ?? ProvisioningPlanTests.plan(gates)), signedBy: "signer \(number)", with: key,
            latest: latest ?? self.latest, after: earlier, root: root)
    }

    private func fault(_ body: () throws -> Void) -> ProvisioningError? {
        do {
            try body()
            return nil
        } catch {
            return error as? ProvisioningError
        }
    }

    private func contents(_ folder: String) -> [String: Data] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.reduce(into: [:]) { $0[$1] = FileManager.default.contents(atPath: "\(folder)/\($1)") }
    }

    @Test("two signers make what each gate takes, and no other gate does")
    func cosigned() throws {
        let root = try TestBundle.root(), one = stage.path("one"), two = stage.path("two")
        let first = try made(root: root)
        #expect(first.isTaken == false && first.signerIDs == ["signer 1"])
        try first.write(to: one)
        let second = try made(2, after: one, root: root)
        #expect(second.isTaken == true && second.signerIDs == ["signer 1", "signer 2"])
        try second.write(to: two)
        for gate in second.gates {
            let trust = Stage()
            let octets = Array(try #require(contents(two)[gate.siteFile]))
            for other in second.gates where other.id != gate.id {
                #expect(throws: SiteError.order(.order(.forOthers(this: other.id)))) {
                    try SiteInstallation(trust.folder).install(octets, root: root, gate: other.id, now: latest)
                }
            }
            let site = try SiteInstallation(trust.folder).install(octets, root: root, gate: gate.id, now: latest).site
            #expect(site.number == 3 && site.settings.name == (gate.id == "10000000abcdef01" ? "NORTH" : "GATE"))
        }
        // One signature alone is worth nothing.
        let octets = Array(try #require(contents(one)["site-b-2.cose"])), trust = Stage()
        #expect(throws: SiteError.order(.order(.signature(.thresholdNotMet)))) {
            try SiteInstallation(trust.folder).install(octets, root: root, gate: "b-2", now: latest)
        }
    }

    @Test("the same plan and key make the same octets, and the manifest says what they are")
    func reproducible() throws {
        try made().write(to: stage.path("one"))
        try made().write(to: stage.path("two"))
        let one = contents(stage.path("one"))
        #expect(one == contents(stage.path("two")))
        let names = ["10000000abcdef01", "b-2", "c"].flatMap { ["site-\($0).cose", "label-\($0).svg"] }
        #expect(Set(one.keys) == Set(names + ["manifest.json"]))
        let manifest = try JSONDocument(parsing: Array(try #require(one["manifest.json"]))).root
        let listed = try #require(manifest["gates"]?.elements)
        #expect(manifest["number"]?.int64 == 3 && manifest["signers"]?.elements?.map(\.string) == ["signer 1"] && listed.count == 3)
        for gate in listed {
            let file = try #require(gate["site"]?.string), octets = Array(try #require(one[file]))
            let digest = try Digest.hash(octets.span, .sha256)
            #expect(gate["sha256"]?.string == digest.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined())
            let label = try #require(gate["label"]?.string)
            #expect(gate["number"]?.int64 == 3 && one[label] != nil)
        }
        #expect(listed.map { $0["title"]?.string } == ["North door", nil, "<&>"])
    }

    @Test("nothing that is there is overwritten, whatever it is, and nothing is left beside it")
    func neverOverwrites() throws {
        let gates = try made(), folder = stage.path("out")
        try gates.write(to: folder)
        let before = contents(folder)
        let again = try made(2)
        #expect(fault { try again.write(to: folder) } == .isThere)
        #expect(fault { try again.write(to: folder + "/") } == .isThere)
        #expect(contents(folder) == before)
        try FileManager.default.createDirectory(atPath: stage.path("empty"), withIntermediateDirectories: false)
        #expect(fault { try gates.write(to: stage.path("empty")) } == .isThere)
        stage.write([1], to: "file")
        #expect(fault { try gates.write(to: stage.path("file")) } == .isThere)
        try FileManager.default.createSymbolicLink(atPath: stage.path("link"), withDestinationPath: stage.path("nowhere"))
        #expect(fault { try gates.write(to: stage.path("link")) } == .isThere)
        #expect(fault { try gates.write(to: stage.path("missing/out")) } == .output(.notFound))
        #expect(fault { try gates.write(to: "") } == .isThere && fault { try gates.write(to: "/") } == .isThere)
        let left = try FileManager.default.contentsOfDirectory(atPath: stage.folder)
        #expect(Set(left) == ["out", "empty", "file", "link"])
    }

    @Test("who signs after others signs what the plan in hand says, and nothing else")
    func otherPlan() throws {
        let one = stage.path("one")
        try made().write(to: one)
        let other = ProvisioningPlanTests.plan(gates, template: #"{"languages":"fr","name":"GATE"}"#)
        #expect(fault { _ = try made(2, after: one, plan: other) } == .otherPlan(gate: "10000000abcdef01"))
        #expect(fault { _ = try made(1, after: one) } == .signature(gate: "10000000abcdef01", .signature(.alreadySigned)))
        #expect(fault { _ = try made(2, after: stage.path("none")) } == .earlier(file: "site-10000000abcdef01.cose", .notFound))
        // One file of another run, by another signer.
        try made(3).write(to: stage.path("three"))
        try FileManager.default.removeItem(atPath: one + "/site-c.cose")
        try FileManager.default.copyItem(atPath: stage.path("three/site-c.cose"), toPath: one + "/site-c.cose")
        #expect(fault { _ = try made(2, after: one) } == .otherSigners(gate: "c"))
        try Data([0x84, 0x40]).write(to: URL(fileURLWithPath: one + "/site-b-2.cose"))
        guard case .signature(gate: "b-2", .signature) = fault({ _ = try made(2, after: one) }) else {
            Issue.record("garbage was signed")
            return
        }
    }

    @Test("nobody signs for the future, by the clock of the desk")
    func future() throws {
        #expect(fault { _ = try made(latest: 1_795_859_999) } == .madeInFuture(1_795_860_000))
        #expect(fault { _ = try made(latest: 1_795_860_000) } == nil)
    }

    @Test("a label's text cannot end the picture")
    func label() throws {
        let svg = String(decoding: try #require(GateLabel(id: "c", title: "<&\">").svg()), as: UTF8.self)
        #expect(svg.contains(">&lt;&amp;&quot;&gt;</text>") && svg.contains(">c</text>"))
        #expect(svg.hasPrefix("<svg ") && svg.hasSuffix("</svg>\n"))
        let long = String(decoding: try #require(GateLabel(id: String(repeating: "a", count: 32), title: nil).svg()), as: UTF8.self)
        #expect(long.components(separatedBy: ">\(String(repeating: "a", count: 16))</text>").count == 3)
    }
}
