import Glibc
import JSON

/// Why a board profile was refused.
public enum BoardProfileError: Error, Hashable, Sendable {
    /// The file cannot be read.
    case unreadable(errno: Int32)
    /// It is longer than `BoardProfile.capacity`.
    case tooLong
    /// It is not JSON; the octet where it stops being.
    case notJSON(JSONError.Reason, offset: Int)
    /// It is JSON, but not an object.
    case notAnObject
    /// A member the profile does not have: a misspelt one would otherwise be silently without effect.
    case unknownMember(String)
    case missingMember(String)
    /// A member is no string, or an empty one.
    case notAString(String)
    /// A name that is not lower-case letters, digits and hyphens, a path that is not absolute, or a word that is none of those allowed.
    case badMember(String)
    case badMoniker(member: String, MonikerError)
}

/// The links of one board, from `board/<name>/board.json` (`board/board.schema.json` says the same for editors).
public struct BoardProfile: Hashable, Sendable {
    /// Octets of the largest profile.
    public static let capacity = 65_536

    public let name: String
    public let hci: HCIMoniker
    public let lights: LightsMoniker
    public let screen: ScreenMoniker
    public let camera: CameraMoniker?
    /// Of the screen's words, in turn; English where none is named.
    public let languages: [String]
    /// Path of the audit log.
    public let audit: String?
    /// When faces are compared: one of `faceWords`, which mean something to the gate's policy and nothing here.
    public let face: String
    /// Which face matcher, by its name; where it is elsewhere than its name says, paths of it and of the folder with its models; and of the
    /// thresholds measured for it.
    public let faceMatcher: String?
    public let facePlugin: String?
    public let faceModels: String?
    public let faceThresholds: String?
    /// The door's lock and inputs; nil where the board opens nothing.
    public let door: DoorMoniker?
    /// What sounds; nil where nothing does.
    public let sound: SounderMoniker?
    /// A button that resets the board where it is held while the gate starts; nil where there is none.
    public let resetButton: ButtonMoniker?
    /// A button that begins install mode of the reader at a panel, likewise; nil where there is none.
    public let panelButton: ButtonMoniker?
    /// Path of the numbers of the face policy that differ from the standard ones.
    public let faceSettings: String?

    /// When the camera looks for codes: one of `codeWords`, which mean something to the gate's policy and nothing here; nil where
    /// nothing is said.
    public let codes: String?

    /// What the board lives on.
    public let power: Power

    /// Where its power comes from: one on a battery advertises slowly while nobody comes.
    public enum Power: String, Sendable {
        case mains, battery
    }

    /// The members as they are written.
    public let texts: [String: String]

    /// The members of a profile, with `$schema`.
    static let members = [
        "$schema", "name", "hci", "lights", "screen", "languages", "camera", "audit", "face", "faceMatcher", "facePlugin", "faceModels",
        "faceThresholds", "faceSettings", "power", "door", "sound", "codes", "resetButton", "panelButton",
    ]

    package static let faceWords = ["required", "when-photo", "off"]
    package static let codeWords = ["off", "always", "motion", "button"]

    public init(contentsOf path: String) throws(BoardProfileError) {
        try self.init(parsing: try Self.read(path))
    }

    /// Reads a profile strictly: nothing unknown, nothing twice, nothing missing.
    public init(parsing octets: [UInt8]) throws(BoardProfileError) {
        let members = try ProfileMembers(parsing: octets, known: Self.members)
        texts = members.texts
        name = try members.needed("name")
        guard Self.isName(name) else { throw .badMember("name") }
        // What is missing is said before what is wrong.
        for name in ["hci", "lights", "screen"] { _ = try members.needed(name) }
        hci = try members.neededDevice("hci") { (text) throws(MonikerError) in try HCIMoniker(text) }
        lights = try members.neededDevice("lights") { (text) throws(MonikerError) in try LightsMoniker(text) }
        screen = try members.neededDevice("screen") { (text) throws(MonikerError) in try ScreenMoniker(text) }
        camera = try members.device("camera") { (text) throws(MonikerError) in try CameraMoniker(text) }
        door = try members.device("door") { (text) throws(MonikerError) in try DoorMoniker(text) }
        sound = try members.device("sound") { (text) throws(MonikerError) in try SounderMoniker(text) }
        resetButton = try members.device("resetButton") { (text) throws(MonikerError) in try ButtonMoniker(text) }
        panelButton = try members.device("panelButton") { (text) throws(MonikerError) in try ButtonMoniker(text) }
        // Whoever resets the board does not want the panel's key set anew, nor the other way round.
        guard panelButton?.isTheSameLine(as: resetButton) != true else { throw .badMember("panelButton") }
        guard let languages = members.texts["languages"].map({ WordFolder.languages($0) }) ?? [] else { throw .badMember("languages") }
        self.languages = languages
        audit = try members.path("audit")
        // No default: a board without a camera would let copies in because nobody thought of it.
        face = try members.needed("face")
        guard Self.faceWords.contains(face) else { throw .badMember("face") }
        faceMatcher = try members.text("faceMatcher", Self.isMatcherName)
        facePlugin = try members.path("facePlugin")
        faceModels = try members.path("faceModels")
        faceThresholds = try members.path("faceThresholds")
        faceSettings = try members.path("faceSettings")
        codes = try members.text("codes") { Self.codeWords.contains($0) }
        guard let power = Power(rawValue: members.texts["power"] ?? Power.mains.rawValue) else { throw .badMember("power") }
        self.power = power
    }

    /// 1 to 32 of `a` to `z`, digits and hyphens.
    package static func isMatcherName(_ text: String) -> Bool {
        (1...32).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || $0 == UInt8(ascii: "-")
            }
    }

    private static func isName(_ text: String) -> Bool {
        text.utf8.count <= 64 && text.utf8.first != UInt8(ascii: "-")
            && text.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-") }
    }

    private static func read(_ path: String) throws(BoardProfileError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .unreadable(errno: errno) }
        defer { close(descriptor) }
        var octets = [UInt8](repeating: 0, count: capacity + 1)
        var filled = 0
        while filled < octets.count {
            let count = octets.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress.map { $0 + filled }, $0.count - filled) }
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw .unreadable(errno: errno) }
            if count == 0 { break }
            filled += count
        }
        guard filled <= capacity else { throw .tooLong }
        return Array(octets[..<filled])
    }
}
