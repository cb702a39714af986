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
        "faceThresholds", "faceSettings", "power", "door", "sound", "codes", "resetButton",
    ]

    package static let faceWords = ["required", "when-photo", "off"]
    package static let codeWords = ["off", "always", "motion", "button"]

    public init(contentsOf path: String) throws(BoardProfileError) {
        try self.init(parsing: try Self.read(path))
    }

    /// Reads a profile strictly: nothing unknown, nothing twice, nothing missing.
    public init(parsing octets: [UInt8]) throws(BoardProfileError) {
        let document: JSONDocument
        do throws(JSONError) {
            document = try JSONDocument(parsing: octets)
        } catch {
            throw .notJSON(error.reason, offset: error.offset)
        }
        guard let members = document.root.members else { throw .notAnObject }
        var texts: [String: String] = [:]
        for member in members {
            let name = member.name
            guard Self.members.contains(name) else { throw .unknownMember(name) }
            guard let text = member.value.string, !text.isEmpty else { throw .notAString(name) }
            texts[name] = text
        }
        self.texts = texts
        name = try Self.required("name", in: texts)
        guard Self.isName(name) else { throw .badMember("name") }
        let hci = try Self.required("hci", in: texts)
        let lights = try Self.required("lights", in: texts)
        let screen = try Self.required("screen", in: texts)
        self.hci = try Self.moniker("hci") { () throws(MonikerError) in try HCIMoniker(hci) }
        self.lights = try Self.moniker("lights") { () throws(MonikerError) in try LightsMoniker(lights) }
        self.screen = try Self.moniker("screen") { () throws(MonikerError) in try ScreenMoniker(screen) }
        if let camera = texts["camera"] {
            self.camera = try Self.moniker("camera") { () throws(MonikerError) in try CameraMoniker(camera) }
        } else {
            camera = nil
        }
        if let door = texts["door"] {
            self.door = try Self.moniker("door") { () throws(MonikerError) in try DoorMoniker(door) }
        } else {
            door = nil
        }
        if let sound = texts["sound"] {
            self.sound = try Self.moniker("sound") { () throws(MonikerError) in try SounderMoniker(sound) }
        } else {
            sound = nil
        }
        if let button = texts["resetButton"] {
            resetButton = try Self.moniker("resetButton") { () throws(MonikerError) in try ButtonMoniker(button) }
        } else {
            resetButton = nil
        }
        if let text = texts["languages"] {
            guard let languages = WordFolder.languages(text) else { throw .badMember("languages") }
            self.languages = languages
        } else {
            languages = []
        }
        audit = try Self.path("audit", in: texts)
        // No default: a board without a camera would let copies in because nobody thought of it.
        face = try Self.required("face", in: texts)
        guard Self.faceWords.contains(face) else { throw .badMember("face") }
        faceMatcher = texts["faceMatcher"]
        guard faceMatcher.map(Self.isMatcherName) ?? true else { throw .badMember("faceMatcher") }
        facePlugin = try Self.path("facePlugin", in: texts)
        faceModels = try Self.path("faceModels", in: texts)
        faceThresholds = try Self.path("faceThresholds", in: texts)
        faceSettings = try Self.path("faceSettings", in: texts)
        codes = texts["codes"]
        guard codes.map(Self.codeWords.contains) ?? true else { throw .badMember("codes") }
        guard let power = Power(rawValue: texts["power"] ?? Power.mains.rawValue) else { throw .badMember("power") }
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

    private static func path(_ name: String, in texts: [String: String]) throws(BoardProfileError) -> String? {
        guard let path = texts[name] else { return nil }
        guard path.hasPrefix("/"), !path.hasSuffix("/"), !path.utf8.contains(0) else { throw .badMember(name) }
        return path
    }

    private static func required(_ name: String, in texts: [String: String]) throws(BoardProfileError) -> String {
        guard let text = texts[name] else { throw .missingMember(name) }
        return text
    }

    private static func moniker<Value>(_ member: String, _ read: () throws(MonikerError) -> Value) throws(BoardProfileError) -> Value {
        do throws(MonikerError) {
            return try read()
        } catch {
            throw .badMoniker(member: member, error)
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
