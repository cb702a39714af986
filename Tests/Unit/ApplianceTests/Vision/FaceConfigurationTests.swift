import Devices
import Faces
import Testing
import Trust
import VisionProtocol

@testable import Appliance

@Suite("Which face matcher")
struct FaceConfigurationTests {
    private static let board = #"{"name":"x","hci":"hci:0","lights":"log:","screen":"none:","face":"off""#

    private func links(profile: String = "", site: String? = nil) throws -> DeviceLinks {
        var loaded = LoadedSite()
        if let site {
            let order = try Order(
                kind: .site, number: 7, gates: .these(["gate-1"]), created: 1, notAfter: 2, content: Array(site.utf8))
            loaded.finding = .installed(
                InstalledSite(number: 7, settings: try SiteSettings(order, for: "gate-1"), standing: .proven))
        }
        return DeviceLinks(DeviceLinks.Named(), loaded, try BoardProfile(parsing: Array("\(Self.board)\(profile)}".utf8)))
    }

    private func places(_ links: DeviceLinks, matcher: String? = nil, plugin: String? = nil, models: String? = nil) -> [String] {
        let configuration = FaceConfiguration(
            face: nil, matcher: matcher.flatMap(MatcherName.init), plugin: plugin, models: models, thresholds: nil, settings: nil)
        let places = configuration.places(links)
        return [places.plugin, places.models]
    }

    private func usual(_ name: String) -> [String] { ["/usr/lib/gatehouse/face-\(name).so", "/usr/share/gatehouse/models/\(name)"] }

    @Test("by the option's name, the site file's, the profile's, in this order, and dlib where nobody says")
    func names() throws {
        let board = #","faceMatcher":"board""#, site = #"{"faceMatcher":"site"}"#
        #expect(places(try links()) == usual("dlib"))
        #expect(places(try links(profile: board)) == usual("board"))
        #expect(places(try links(profile: board, site: site)) == usual("site"))
        #expect(places(try links(profile: board, site: site), matcher: "option") == usual("option"))
        #expect(places(try links(site: #"{"face":"off"}"#)) == usual("dlib"))
    }

    @Test("a path is taken before the name that was said in the same place, and not where another place says another name")
    func paths() throws {
        let board = #","faceMatcher":"board","facePlugin":"/a.so","faceModels":"/a""#
        #expect(places(try links(profile: board)) == ["/a.so", "/a"])
        #expect(places(try links(profile: #","facePlugin":"/a.so""#)) == ["/a.so", "/usr/share/gatehouse/models/dlib"])
        #expect(places(try links(profile: board, site: #"{"faceMatcher":"site"}"#)) == usual("site"))
        #expect(places(try links(profile: board), matcher: "option") == usual("option"))
        #expect(places(try links(profile: board), plugin: "/o.so", models: "/o") == ["/o.so", "/o"])
        #expect(places(try links(), matcher: "option", plugin: "/o.so") == ["/o.so", "/usr/share/gatehouse/models/option"])
    }

    @Test("the worker is told the gates that the site's numbers set, and the standard ones where it sets none; none for codes alone")
    func gates() throws {
        let standard = FaceSettings.standard.gates
        let site = #"{"camera":"v4l2:/dev/video1","faceSettings":{"gatehouse-face-settings":1,"yaw":15,"eyeDistance":70}}"#
        let configuration = VisionConfiguration(
            faces: FaceConfiguration(face: nil, matcher: nil, plugin: "/dev/null", models: "/", thresholds: nil, settings: nil))
        func told(_ site: String, faces: Bool) throws -> FrameGates? {
            try #require(
                try configuration.supervisorSettings(try links(site: site), VisionConfiguration.Wanted(faces: faces, codes: .motion))
            )
            .gates
        }
        #expect(try told(#"{"camera":"v4l2:/dev/video1"}"#, faces: true) == standard)
        let changed = try #require(try told(site, faces: true))
        #expect(changed != standard && changed.yaw == 15 && changed.eyeDistance == 70 && changed.pitch == standard.pitch)
        #expect(try told(site, faces: false) == nil)
    }

    @Test("another one may be why nobody can enter, unless an option overrules it")
    func trial() throws {
        let causes = [ClosedCause.noCamera, .noMatcher, .noThreshold]
        for (profile, site, isChanged) in [
            ("", #"{"faceMatcher":"sface"}"#, true), (#","faceMatcher":"sface""#, #"{"faceMatcher":"sface"}"#, false),
            ("", #"{"name":"NORTH"}"#, false),
        ] {
            let made = try links(profile: profile, site: site)
            #expect(made.site.changes(made.profile, overruled: []).causes.list == (isChanged ? causes : []))
            #expect(made.site.changes(made.profile, overruled: [.faceMatcher]).causes.list == [])
        }
    }

    @Test("a name is no path", arguments: ["", ".", "..", "a/b", "A", "dlib.so", "é", "a b", String(repeating: "a", count: 33)])
    func hostileNames(_ name: String) { #expect(MatcherName(name) == nil) }

    @Test("a name is 1 to 32 small letters, digits and hyphens", arguments: ["dlib", "a", "0-9", String(repeating: "z", count: 32)])
    func goodNames(_ name: String) { #expect(MatcherName(name)?.text == name) }
}
