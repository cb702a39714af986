import BoardTestSupport
import Door
import Foundation
import JSON
import Synchronization
import TestSupport
import Testing
import Trust

@testable import Appliance

func site(_ content: String, _ number: Int64 = 1, _ gates: Order.Gates = .these(["gate-1", "gate-2"])) -> TestOrder {
    TestOrder(kind: .site, number: number, gates: gates, content: content)
}

@Suite struct SiteSettingsTests {
    private func read(_ content: String, for gate: String? = "gate-1", _ kind: Order.Kind = .site) throws -> Result<
        SiteSettings, SiteSettingsError
    > {
        let order = try Order(
            kind: kind, number: 1, gates: .these(["gate-1", "gate-2"]), created: TestBundle.now, notAfter: TestBundle.now + 1,
            content: Array(content.utf8))
        return Result { () throws(SiteSettingsError) in try SiteSettings(order, for: gate) }
    }

    private func fault(_ content: String, for gate: String? = "gate-1") throws -> SiteSettingsError? {
        if case .failure(let error) = try read(content, for: gate) { error } else { nil }
    }

    /// A certificate as the text of a JSON string.
    private static let authority = (CurveKey.p256.certificate + "\n").replacingOccurrences(of: "\n", with: "\\n")
    private static let whole =
        #"{"name":"NORTH","wire":"0.4","hci":"hci:1","lights":"gpio:gpiochip0/accept=17,reject=27","screen":"fb:/dev/fb1","#
        + #""camera":"v4l2:/dev/video1","face":"required","faceMatcher":"sface","faceThresholds":{"gatehouse-face-thresholds":1,"entries":[]},"#
        + #""faceSettings":{"gatehouse-face-settings":1,"yaw":15},"auditSize":512,"languages":"fr,ar","auditFull":"drop-oldest","timeSync":true,"timeServers":["a.example","2001:db8::1","nts:b.example","nts:2001:db8::2"],"#
        + "\"timeAuthorities\":\"\(authority)\","
        + #""doorPulse":5000,"doorHeld":60000,"exitOpens":false,"supervisorKey":true,"codes":"motion","codesWithoutFace":["FarmerCredential","urn:ä"],"codePrefix":"https://id.example/?q=","#
        + #""documents":{"gatehouse-documents":1,"age":18,"name":true},"#
        + #""offer":["aries","tuvali"],"codeTurn":5000,"proofs":{"gatehouse-proofs":1,"age":18,"attributes":["name"]},"#
        + #""trustedKey":{"gatehouse-trusted-key":1,"callback":"http://gate.local/tk/answer?lane=5","message":"North"},"#
        + #""update":{"url":"https://updates.example","id":"gate-1","poll":60,"targetToken":"abc"},"http":"192.168.7.1:80","#
        + #""outlets":{"mqtt.json":{"gate":"east-1","host":"b.example"},"broker-ca.pem":"-----BEGIN\n","password":"ü"}}"#

    @Test("every member of the table is read, and nothing else is set")
    func everything() throws {
        let settings = try read(Self.whole).get()
        #expect(settings.name == "NORTH" && settings.wire == "0.4" && settings.face == .required && settings.timeSync == true)
        #expect(settings.hci == .userChannel(index: 1) && settings.screen == .framebuffer(path: "/dev/fb1"))
        #expect(
            settings.lights != nil && settings.camera != nil && settings.faceMatcher == MatcherName("sface")
                && settings.faceThresholds?.entries == [] && settings.faceSettings?.gates.yaw == 15)
        #expect(settings.languages == ["fr", "ar"])
        #expect(settings.doorPulse == 5000 && settings.doorHeld == 60_000 && settings.exitOpens == false && settings.supervisorKey == true)
        #expect(settings.codes == .motion && settings.codesWithoutFace == ["FarmerCredential", "urn:ä"])
        #expect(settings.codePrefix == "https://id.example/?q=")
        #expect(settings.documents?.documents.map(\.leastAge) == [18, 18, 18])
        #expect(settings.offer.map(Set.init) == [.aries, .tuvali] && settings.codeTurn == 5000 && settings.proofs != nil)
        #expect(settings.trustedKey?.callback == "http://gate.local/tk/answer?lane=5" && settings.trustedKey?.message == "North")
        #expect(settings.auditSize == 512 && settings.auditFull == .dropOldest)
        #expect(settings.timeServers?.map(\.host) == ["a.example", "2001:db8::1", "b.example", "2001:db8::2"])
        #expect(settings.timeServers?.map(\.isAuthenticated) == [false, false, true, true])
        #expect(settings.timeAuthorities?.certificates.map(\.count) == [434])
        #expect(settings.update?.values == ["url": "https://updates.example", "id": "gate-1", "poll": "60", "targetToken": "abc"])
        #expect(settings.http == "192.168.7.1:80")
        #expect(
            settings.outlets?.files
                == [
                    "mqtt.json": Array(#"{"gate":"east-1","host":"b.example"}"#.utf8), "broker-ca.pem": Array("-----BEGIN\n".utf8),
                    "password": Array("ü".utf8),
                ])
        #expect(Set(settings.texts.keys) == Set(SiteMember.allCases))
        #expect(try read("{}").get() == .none)
    }

    @Test("the schema for editors knows the same members")
    func schema() throws {
        let path = Repository.root + "/board/site.schema.json"
        let root = try JSONDocument(parsing: Array(#require(FileManager.default.contents(atPath: path)))).root
        func names(_ value: JSONValue?) throws -> Set<String> { Set(try #require(value?.members).map(\.name)) }
        let members = Set(SiteMember.allCases.map(\.rawValue))
        #expect(try names(root["properties"]) == members.union([SiteSettings.perGate]))
        #expect(try names(root.value(at: ["$defs", "gate", "properties"])) == members)
        #expect(try names(root.value(at: ["properties", "update", "properties"])) == Set(SiteSettings.UpdateServer.members))
    }

    @Test("what is said for one gate comes before what is said for all, and is nobody else's")
    func perGate() throws {
        let content = #"{"name":"ALL","face":"required","perGate":{"gate-1":{"name":"NORTH"},"gate-2":{"face":"off"}}}"#
        #expect(try read(content, for: "gate-1").get().name == "NORTH" && read(content, for: "gate-1").get().face == .required)
        #expect(try read(content, for: "gate-2").get().name == "ALL" && read(content, for: "gate-2").get().face == .off)
        #expect(try read(content, for: nil).get().name == "ALL" && read(content, for: nil).get().face == .required)
        // A fault in another gate's part is a fault of the file.
        #expect(try fault(#"{"perGate":{"gate-2":{"nam":1}}}"#) == .unknownMember("perGate.gate-2.nam"))
        #expect(try fault(#"{"perGate":{"gate-2":{"perGate":{}}}}"#) == .unknownMember("perGate.gate-2.perGate"))
        #expect(try fault(#"{"perGate":{"gate-3":{}}}"#) == .notAddressed("perGate.gate-3"))
        #expect(try fault(#"{"perGate":{"a b":{}}}"#) == .badGateID("perGate.a b"))
        #expect(
            try fault(#"{"perGate":[]}"#) == .notAnObject("perGate")
                && fault(#"{"perGate":{"gate-1":1}}"#) == .notAnObject("perGate.gate-1"))
    }

    @Test(
        "links that start programs, read files or leave the board are refused",
        arguments: [
            ("camera", "cmd:rpicam-vid -o -"), ("camera", "dir:/tmp"), ("camera", "file:/etc/shadow"), ("camera", "stdin:"),
            ("hci", "tcp:10.0.0.1:6402"),
            ("hci", "unix:/tmp/air"), ("lights", "terminal:"),
        ])
    func links(_ member: String, _ link: String) throws {
        #expect(try fault("{\"\(member)\":\"\(link)\"}") == .linkNotAllowed(member))
    }

    @Test("a kind of link that is unknown is answered by those that a site file may name")
    func unknownLinks() throws {
        #expect(try fault(#"{"camera":"rtsp:x"}"#) == .badMoniker("camera", .unknownScheme("rtsp", known: ["v4l2"])))
    }

    @Test(
        "values that cannot be are refused by their path",
        arguments: [
            (#"{"name":""}"#, SiteSettingsError.badValue("name")), (#"{"name":"TWELVE-CHARS"}"#, .badValue("name")),
            (#"{"name":"Ä"}"#, .badValue("name")),
            (#"{"name":1}"#, .wrongType("name")), (#"{"wire":"0.6"}"#, .badValue("wire")), (#"{"wire":0.5}"#, .wrongType("wire")),
            (#"{"face":"maybe"}"#, .badValue("face")), (#"{"hci":"hci:x"}"#, .badMoniker("hci", .badNumber("x"))),
            (#"{"screen":"fb:/dev/fb0\n"}"#, .badValue("screen")), (#"{"timeSync":1}"#, .wrongType("timeSync")),
            (#"{"auditSize":15}"#, .outOfBounds("auditSize", 15)),
            (#"{"auditSize":1048577}"#, .outOfBounds("auditSize", 1_048_577)), (#"{"auditSize":16.5}"#, .wrongType("auditSize")),
            (#"{"auditSize":"64"}"#, .wrongType("auditSize")),
            (#"{"doorPulse":199}"#, .outOfBounds("doorPulse", 199)), (#"{"doorPulse":30001}"#, .outOfBounds("doorPulse", 30_001)),
            (#"{"doorPulse":-1}"#, .outOfBounds("doorPulse", -1)), (#"{"doorPulse":"3000"}"#, .wrongType("doorPulse")),
            (#"{"doorHeld":999}"#, .outOfBounds("doorHeld", 999)), (#"{"doorHeld":3600001}"#, .outOfBounds("doorHeld", 3_600_001)),
            (#"{"doorHeld":1.5}"#, .wrongType("doorHeld")), (#"{"supervisorKey":"true"}"#, .wrongType("supervisorKey")),
            (#"{"supervisorKey":1}"#, .wrongType("supervisorKey")), (#"{"exitOpens":"false"}"#, .wrongType("exitOpens")),
            (#"{"exitOpens":0}"#, .wrongType("exitOpens")),
            (#"{"http":"gate.local:80"}"#, .badValue("http")), (#"{"http":8080}"#, .wrongType("http")),
            (#"{"codes":"on"}"#, .badValue("codes")), (#"{"codes":true}"#, .wrongType("codes")),
            (#"{"codePrefix":1}"#, .wrongType("codePrefix")), (#"{"codePrefix":""}"#, .badValue("codePrefix")),
            (#"{"codePrefix":"OpenID4VP://x"}"#, .badValue("codePrefix")), (#"{"codePrefix":"mdoc:"}"#, .badValue("codePrefix")),
            (#"{"codePrefix":"ä"}"#, .badValue("codePrefix")), (#"{"codePrefix":"a\tb"}"#, .badValue("codePrefix")),
            ("{\"codePrefix\":\"\(String(repeating: "a", count: 257))\"}", .badValue("codePrefix")),
            (#"{"codesWithoutFace":"*"}"#, .wrongType("codesWithoutFace")), (#"{"codesWithoutFace":[1]}"#, .wrongType("codesWithoutFace")),
            (#"{"codesWithoutFace":[""]}"#, .badValue("codesWithoutFace")),
            (#"{"codesWithoutFace":["a","a"]}"#, .badValue("codesWithoutFace")),
            (#"{"codesWithoutFace":["a","*"]}"#, .badValue("codesWithoutFace")),
            (#"{"codesWithoutFace":["*","a"]}"#, .badValue("codesWithoutFace")),
            (#"{"codesWithoutFace":["Farmer*"]}"#, .badValue("codesWithoutFace")),
            (#"{"codesWithoutFace":["a b"]}"#, .badValue("codesWithoutFace")),
            ("{\"codesWithoutFace\":[\"\(String(repeating: "a", count: 257))\"]}", .badValue("codesWithoutFace")),
            ("{\"codesWithoutFace\":[\((0..<33).map { "\"\($0)\"" }.joined(separator: ","))]}", .badValue("codesWithoutFace")),
            (#"{"auditFull":"drop"}"#, .badValue("auditFull")), (#"{"auditFull":true}"#, .wrongType("auditFull")),
            (#"{"timeServers":"a"}"#, .wrongType("timeServers")),
            (#"{"languages":"../x"}"#, .badValue("languages")), (#"{"languages":"a,b,c,d,e"}"#, .badValue("languages")),
            (#"{"timeServers":["a","a"]}"#, .badValue("timeServers")), (#"{"timeServers":["-a"]}"#, .badValue("timeServers")),
            (#"{"timeServers":["a b"]}"#, .badValue("timeServers")),
            (#"{"timeServers":["1","2","3","4","5","6","7","8","9"]}"#, .badValue("timeServers")),
            (#"{"timeServers":["nts:"]}"#, .badValue("timeServers")), (#"{"timeServers":["nts:-a"]}"#, .badValue("timeServers")),
            (#"{"timeServers":["NTS:a"]}"#, .badValue("timeServers")), (#"{"timeServers":["nts:nts:a"]}"#, .badValue("timeServers")),
            (#"{"timeServers":["nts:a b"]}"#, .badValue("timeServers")), (#"{"timeServers":["a","nts:a"]}"#, .badValue("timeServers")),
            (#"{"timeServers":[{"host":"a"}]}"#, .wrongType("timeServers")),
            (#"{"timeServers":["nts:a"]}"#, .noTimeAuthority("timeServers")),
            (#"{"perGate":{"gate-1":{"timeServers":["b","nts:a"]}}}"#, .noTimeAuthority("perGate.gate-1.timeServers")),
            (#"{"timeAuthorities":[]}"#, .wrongType("timeAuthorities")), (#"{"timeAuthorities":""}"#, .badValue("timeAuthorities")),
            (#"{"timeAuthorities":"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"}"#, .badValue("timeAuthorities")),
            ("{\"timeAuthorities\":\"\(String(repeating: " ", count: 32_768))\(authority)\"}", .badValue("timeAuthorities")),
            ("{\"timeAuthorities\":\"\(String(repeating: authority, count: 17))\"}", .badValue("timeAuthorities")),
            (#"{"update":{}}"#, .badValue("update.url")), (#"{"update":{"url":"file:///etc"}}"#, .badValue("update.url")),
            (#"{"update":{"url":"https://a\"; x"}}"#, .badValue("update.url")),
            (#"{"update":{"url":"https://a","poll":1}}"#, .outOfBounds("update.poll", 1)),
            ("{\"update\":{\"url\":\"https://a/\(String(repeating: "a", count: 491))\"}}", .badValue("update.url")),
            (#"{"update":{"url":"https://a","user":"x"}}"#, .unknownMember("update.user")), (#"{"names":"x"}"#, .unknownMember("names")),
            (#"{"Name":"x"}"#, .unknownMember("Name")),
            (#"{"faceSettings":{}}"#, .badFaceSettings("faceSettings", .file(.missingMember("gatehouse-face-settings")))),
            (#"{"faceMatcher":"../dlib"}"#, .badValue("faceMatcher")), (#"{"faceMatcher":""}"#, .badValue("faceMatcher")),
            (#"{"faceThresholds":[]}"#, .badThresholds("faceThresholds", .notAnObject)),
            (#"{"outlets":[]}"#, .wrongType("outlets")), (#"{"outlets":{"mqtt":{}}}"#, .wrongType("outlets.mqtt")),
            (#"{"outlets":{"mqtts.json":{}}}"#, .unknownMember("outlets.mqtts.json")),
            (#"{"outlets":{".json":{}}}"#, .unknownMember("outlets..json")),
            (#"{"outlets":{"mqtt.json":"{}"}}"#, .notAnObject("outlets.mqtt.json")),
            (#"{"outlets":{"a":1}}"#, .wrongType("outlets.a")), (#"{"outlets":{"a":""}}"#, .badValue("outlets.a")),
            (#"{"outlets":{"../a":"x"}}"#, .unknownMember("outlets.../a")), (#"{"outlets":{"..":"x"}}"#, .unknownMember("outlets...")),
            (#"{"outlets":{"":"x"}}"#, .unknownMember("outlets.")), (#"{"outlets":{"A":"x"}}"#, .unknownMember("outlets.A")),
            (#"{"outlets":{"a b":"x"}}"#, .unknownMember("outlets.a b")), (#"{"outlets":{"a=b":"x"}}"#, .unknownMember("outlets.a=b")),
            ("{\"outlets\":{\"a\":\"\(String(repeating: "x", count: 32_769))\"}}", .badValue("outlets.a")),
            ("{\"outlets\":{\((0..<25).map { "\"f\($0)\":\"x\"" }.joined(separator: ","))}}", .badValue("outlets")),
        ])
    func values(_ content: String, _ error: SiteSettingsError) throws {
        #expect(try fault(content) == error)
    }

    @Test("a gate's own servers prove who they are to what is said for all")
    func timeAuthorities() throws {
        let two = Self.authority + Self.authority
        let content = #"{"timeServers":["a"],"timeAuthorities":"\#(two)","perGate":{"gate-1":{"timeServers":["nts:b"]}}}"#
        let settings = try read(content).get()
        #expect(settings.timeServers?.map(\.host) == ["b"] && settings.timeAuthorities?.certificates.count == 2)
        #expect(try read(content, for: "gate-2").get().timeServers?.map(\.isAuthenticated) == [false])
    }

    @Test("as many files of outlets as there may be, and as large, are accepted; their kinds are those that the relay has")
    func outlets() throws {
        let files = (0..<24).map { "\"f\($0)\":\"\(String(repeating: "x", count: $0 == 0 ? 32_768 : 1))\"" }
        #expect(try read("{\"outlets\":{\(files.joined(separator: ","))}}").get().outlets?.files.count == 24)
        #expect(try read(#"{"outlets":{}}"#).get().outlets?.files.isEmpty == true)
        let source = try #require(FileManager.default.contents(atPath: Repository.root + "/Sources/Board/RelayState/OutletKind.swift"))
        let cases = String(decoding: source, as: UTF8.self).split(separator: "\n").filter { $0.hasPrefix("    case ") }
        #expect(Set(cases.map { String($0.dropFirst(9)) }) == Set(SiteOutlets.kinds))
    }

    @Test("the smallest and the largest log there may be are accepted", arguments: [Int64(16), 1_048_576])
    func auditSizes(_ size: Int64) throws {
        #expect(try read("{\"auditSize\":\(size)}").get().auditSize == size)
    }

    @Test("a door is as the site file says, and else as ever")
    func door() throws {
        var site = LoadedSite()
        #expect(site.door == DoorSettings() && site.door.exitOpens)
        for (content, isOpening) in [(#"{"exitOpens":false,"doorPulse":5000}"#, false), (#"{"exitOpens":true}"#, true), ("{}", true)] {
            site.finding = .installed(InstalledSite(number: 1, settings: try read(content).get(), standing: .proven))
            #expect(site.door.exitOpens == isOpening && site.door.pulse == (isOpening ? 3000 : 5000))
        }
    }

    @Test("a number out of its bounds is answered by what was found and what is allowed, whose part of the file it is in")
    func bounds() throws {
        for (content, sentence) in [
            (#"{"doorPulse":199}"#, "doorPulse is 199: it can be from 200 to 30000 milliseconds"),
            (
                #"{"perGate":{"gate-1":{"doorHeld":3600001}}}"#,
                "perGate.gate-1.doorHeld is 3600001: it can be from 1000 to 3600000 milliseconds"
            ),
            (#"{"auditSize":15}"#, "auditSize is 15: it can be from 16 to 1048576 MiB"),
            (#"{"update":{"url":"https://a","poll":86401}}"#, "update.poll is 86401: it can be from 10 to 86400 seconds"),
            (#"{"doorPulse":0.5}"#, "doorPulse is not a whole number from 200 to 30000 milliseconds"),
            (#"{"doorPulse":"3000"}"#, "doorPulse is not a whole number from 200 to 30000 milliseconds"),
            (#"{"supervisorKey":1}"#, "supervisorKey has the wrong type"),
            (
                #"{"faceMatcher":"SFace"}"#,
                "faceMatcher has a value it cannot have: lower-case letters, digits and hyphens, at most 32"
            ),
        ] { #expect(try fault(content)?.description == sentence) }
        for content in [#"{"doorPulse":200,"doorHeld":1000}"#, #"{"doorPulse":30000,"doorHeld":3600000}"#] {
            #expect(try fault(content) == nil)
        }
    }

    @Test("an order of another kind is no site file")
    func kinds() throws {
        #expect(try read("{}", .export) == .failure(.notASiteFile))
    }
}
