import Devices
import Testing
import Trust
import Visit

@testable import Appliance

@Suite("Who says when the camera looks for codes")
struct CodeConfigurationTests {
    private static let board = #"{"name":"x","hci":"hci:0","lights":"log:","screen":"none:","face":"off""#

    /// The links of a gate whose profile has these members, and whose site file this content.
    private func links(
        profile: String? = nil, site: String? = nil, camera: String? = nil, door: String? = nil, isLost: Bool = false
    ) throws -> DeviceLinks {
        var named = DeviceLinks.Named()
        named.camera = try camera.map { try CameraMoniker($0) }
        named.door = try door.map { try DoorMoniker($0) }
        var loaded = LoadedSite()
        if let site {
            let order = try Order(
                kind: .site, number: 7, gates: .these(["gate-1"]), created: 1, notAfter: 2, content: Array(site.utf8))
            loaded.finding = .installed(
                InstalledSite(
                    number: 7, settings: try SiteSettings(order, for: "gate-1"), standing: isLost ? .previous : .proven))
        }
        let board = try profile.map { try BoardProfile(parsing: Array("\(Self.board)\($0)}".utf8)) }
        return DeviceLinks(named, loaded, board)
    }

    private func word(_ links: DeviceLinks, option: String? = nil, face: Policy.Face = .required) -> String {
        let said = CodeConfiguration(codes: option).policyWord(links, face)
        return "\(said.word) by \(said.place)"
    }

    @Test("an option comes before the site file, that before the profile, that before the default")
    func order() throws {
        let camera = "v4l2:/dev/video0", button = #","codes":"button""#, motion = #"{"codes":"motion"}"#
        #expect(try word(links(profile: button, site: motion, camera: camera), option: "off") == "off by option")
        #expect(try word(links(profile: button, site: motion, camera: camera)) == "motion by site file 7")
        #expect(try word(links(profile: button, camera: camera)) == "button by board profile")
        #expect(try word(links(profile: "", camera: camera)) == "always by default")
    }

    @Test("without a word the camera looks where there is one and a code could be accepted, on a battery seldom")
    func usual() throws {
        let camera = "v4l2:/dev/video0"
        #expect(try word(links()) == "off by default")
        #expect(try word(links(camera: camera)) == "always by default")
        #expect(try word(links(profile: #","power":"battery""#, camera: camera)) == "motion by default")
        #expect(try word(links(camera: camera), face: .whenPhoto) == "always by default")
        #expect(try word(links(camera: camera), face: .off) == "off by default")
        #expect(try word(links(site: #"{"codesWithoutFace":["A"]}"#, camera: camera), face: .off) == "always by default")
        #expect(try word(links(site: #"{"codesWithoutFace":[]}"#, camera: camera), face: .off) == "off by default")
    }

    @Test("a word that is none is refused")
    func refused() throws {
        let links = try links(camera: "v4l2:/dev/video0")
        #expect(throws: ConfigurationError("--codes on: use off, always, motion or button")) {
            try CodeConfiguration(codes: "on").policy(links, .required)
        }
        #expect(CodePolicy.allCases.map(\.rawValue).sorted() == BoardProfile.codeWords.sorted())
    }

    @Test("types that are taken without a face are the option's, else the newest site file's, and none where that is lost")
    func withoutFace() throws {
        let content = #"{"codesWithoutFace":["A","B"]}"#
        let codes = CodeConfiguration()
        #expect(try codes.copiesWithoutFace(links(site: content)) == ["A", "B"])
        #expect(try codes.copiesWithoutFace(links(site: content, isLost: true)).isEmpty)
        #expect(try codes.copiesWithoutFace(links()).isEmpty)
        #expect(try CodeConfiguration(withoutFace: ["C"]).copiesWithoutFace(links(site: content)) == ["C"])
    }

    @Test("what stands before PixelPass is the option's, else the site file's; what it cannot be is refused")
    func prefix() throws {
        let content = #"{"codePrefix":"https://id.example/?q="}"#
        #expect(try CodeConfiguration().prefix(links(site: content)) == Array("https://id.example/?q=".utf8))
        #expect(try CodeConfiguration(prefix: "PP:").prefix(links(site: content)) == Array("PP:".utf8))
        #expect(try CodeConfiguration().prefix(links()) == [])
        for bad in ["", "ä", "a\n", "OPENID4VP://", "mdoc:x", String(repeating: "a", count: 257)] {
            let words = "--code-prefix: use 1 to 256 printable ASCII characters that do not begin with mdoc: or openid4vp:"
            #expect(throws: ConfigurationError(words)) {
                try CodeConfiguration(prefix: bad).prefix(links())
            }
        }
        #expect(try CodeConfiguration(prefix: String(repeating: "a", count: 256)).prefix(links()).count == 256)
    }

    @Test("what keeps codes from being read is named, and nothing is started for them")
    func obstacles() throws {
        let codes = CodeConfiguration(), camera = "v4l2:/dev/video0"
        let button = "gpio:gpiochip0/lock=5,code=13", noButton = "gpio:gpiochip0/lock=5,list=12"
        #expect(try codes.obstacle(links(), .always) == .noCamera && codes.obstacle(links(), .off) == nil)
        #expect(try codes.obstacle(links(camera: camera), .button) == .noButton)
        #expect(try codes.obstacle(links(camera: camera, door: noButton), .button) == .noButton)
        #expect(try codes.obstacle(links(camera: camera, door: "log:"), .button) == .noButton)
        #expect(try codes.obstacle(links(camera: camera, door: button), .button) == nil)
        #expect(try codes.obstacle(links(camera: camera), .motion) == nil)
        let vision = VisionConfiguration(
            faces: FaceConfiguration(face: "off", matcher: nil, plugin: nil, models: nil, thresholds: nil, settings: nil),
            codes: CodeConfiguration(codes: "button"))
        #expect(try vision.wanted(links(camera: camera, door: noButton)).codes == .off)
        #expect(try vision.wanted(links(camera: camera, door: button)).codes == .button)
        #expect(try vision.wanted(links(door: button)).codes == .off)
        #expect(try vision.makeSupervisor(links(), vision.wanted(links())) == nil)
    }
}
