import Audit
import Bluetooth
import Devices
import Door
import Faces
import JSON
import Presentation
import Trust
import Visit

/// Why the content of a site file is refused. Members are named by their path, for example `perGate.10000000abcdef01.name`.
public enum SiteSettingsError: Error, Hashable, Sendable {
    case notAnObject(String)
    /// A member a site file does not have: a misspelt one would otherwise be silently without effect.
    case unknownMember(String)
    case wrongType(String)
    /// A value it cannot have.
    case badValue(String)
    /// A number that is not within the bounds of its member.
    case outOfBounds(String, Int64)
    case badMoniker(String, MonikerError)
    /// A link of a kind that only the board's own profile and the command line may name.
    case linkNotAllowed(String)
    case badThresholds(String, FaceFileError)
    case badFaceSettings(String, FaceSettingsError)
    /// What is asked of documents in phones; the error has the member inside.
    case badDocuments(TrustError)
    /// The same of AnonCreds credentials.
    case badProofs(TrustError)
    /// The same of what is asked of Trusted Key wallets.
    case badTrustedKey(TrustError)
    /// A server that proves who it is, and nobody whose certificate that could be.
    case noTimeAuthority(String)
    /// Settings for a gate that the order is not for.
    case notAddressed(String)
    case badGateID(String)
    /// An order of another kind.
    case notASiteFile
}

/// What a site file may set. This is the whole list; `docs/site.md` says the same for people, `board/site.schema.json` for editors.
public enum SiteMember: String, Hashable, Sendable, CaseIterable {
    /// What wallets show.
    case name
    /// The wire version.
    case wire
    case hci, lights, screen, camera
    /// What the screen speaks.
    case languages
    /// Milliseconds: how long the lock is open, and how long the door may be after it.
    case doorPulse, doorHeld
    /// Whether the exit button opens the lock; else it only says that who comes out forces nothing.
    case exitOpens
    /// Whether a supervisor's key may stand for one visitor's face.
    case supervisorKey
    /// When faces are compared.
    case face
    /// What compares them, by its name.
    case faceMatcher
    /// What `gatehouse calibrate` wrote, as an object.
    case faceThresholds
    /// The numbers of the face policy, as an object.
    case faceSettings
    /// When the camera looks for codes.
    case codes
    /// Types of credentials whose code is taken without a face that matches.
    case codesWithoutFace
    /// What issuers write before PixelPass.
    case codePrefix
    /// Which documents in phones are asked for, and what of them, as an object.
    case documents
    /// What is offered by codes of the gate's own.
    case offer
    /// Milliseconds for which the code of each of several kinds is shown at a time.
    case codeTurn
    /// What is asked of AnonCreds credentials, as an object.
    case proofs
    /// What Trusted Key wallets are asked, as an object.
    case trustedKey
    /// MiB of the audit log.
    case auditSize
    /// What becomes of its oldest part when it is full.
    case auditFull
    /// Whether the network sets the clock.
    case timeSync
    /// By which servers.
    case timeServers
    /// Whose certificates servers have that prove who they are (NTS).
    case timeAuthorities
    /// The server updates come from.
    case update
    /// The address and port of the gate's own network on which wallets may post.
    case http
    /// The settings of outlets, and the files that they name.
    case outlets
}

/// The settings of one gate from a site file. What is nil is left to the board's profile.
public struct SiteSettings: Hashable, Sendable {
    /// A hawkBit server, by the names of `hawkbit.conf` (docs/updates.md).
    public struct UpdateServer: Hashable, Sendable {
        static let members = ["url", "tenant", "id", "poll", "targetToken", "gatewayToken", "ca"]
        /// Each nil or made of what needs no quoting anywhere; `url` is always there.
        public let values: [String: String]
    }

    /// The wire versions, as the command line has them.
    public static let wires = ["0.4", "0.5"]
    /// Types of credentials in one list, and octets of a type's name.
    static let mostTypes = 32, longestType = 256
    /// Octets of what stands before PixelPass.
    static let longestPrefix = 256
    /// MiB: the least is four segments of the standard size.
    public static let auditSizes: ClosedRange<Int64> = 16...1_048_576
    /// Seconds from one question for an update to the next.
    static let polls: ClosedRange<Int64> = 10...86_400
    /// The bounds of each number, by its member's name.
    static let bounds: [String: ClosedRange<Int64>] = [
        "doorPulse": milliseconds(DoorSettings.pulses), "doorHeld": milliseconds(DoorSettings.heldTimes), "auditSize": auditSizes,
        "poll": polls, "codeTurn": milliseconds(OfferSettings.turns),
    ]

    private static func milliseconds(_ range: ClosedRange<UInt64>) -> ClosedRange<Int64> {
        Int64(clamping: range.lowerBound)...Int64(clamping: range.upperBound)
    }

    public private(set) var name: String?
    public private(set) var wire: String?
    public private(set) var hci: HCIMoniker?
    public private(set) var lights: LightsMoniker?
    public private(set) var screen: ScreenMoniker?
    public private(set) var languages: [String]?
    public private(set) var camera: CameraMoniker?
    public private(set) var doorPulse: UInt64?
    public private(set) var doorHeld: UInt64?
    public private(set) var exitOpens: Bool?
    public private(set) var supervisorKey: Bool?
    public private(set) var face: Policy.Face?
    public private(set) var faceMatcher: MatcherName?
    public private(set) var faceThresholds: FaceThresholds?
    public private(set) var faceSettings: FaceSettings?
    public private(set) var codes: CodePolicy?
    public private(set) var codesWithoutFace: [String]?
    public private(set) var codePrefix: String?
    public private(set) var documents: DocumentSettings?
    public private(set) var offer: [OfferedKind]?
    public private(set) var codeTurn: UInt64?
    public private(set) var proofs: ProofSettings?
    public private(set) var trustedKey: TrustedKeySettings?
    public private(set) var auditSize: Int64?
    public private(set) var auditFull: AuditLimits.WhenFull?
    public private(set) var timeSync: Bool?
    public private(set) var timeServers: [SiteTimeServer]?
    public private(set) var timeAuthorities: SiteTimeAuthorities?
    public private(set) var update: UpdateServer?
    public private(set) var http: String?
    public private(set) var outlets: SiteOutlets?
    /// The members that are set, as JSON, for people and for scripts.
    public private(set) var texts: [SiteMember: String] = [:]

    private init() {}

    /// Nothing is set.
    public static let none = SiteSettings()

    /// The settings of an order of the kind `site` for one gate: what it says for all of its gates, and instead of that what it says for
    /// this one. All of it is checked, whichever gate asks, so that a fault is found where the order is made.
    ///
    /// - Parameter gate: the gate's id; nil for what is said for all.
    public init(_ order: Order, for gate: String?) throws(SiteSettingsError) {
        guard order.kind == .site else { throw .notASiteFile }
        guard let root = try? JSONDocument(parsing: order.content, limits: JSONLimits(bytes: Order.largest)).root,
            let members = root.members
        else {
            throw .notAnObject("content")
        }
        for member in members where !member.key.isString(Self.perGate) { try take(member, "") }
        try checkTime("")
        guard let gates = root[Self.perGate] else { return }
        guard let sections = gates.members else { throw .notAnObject(Self.perGate) }
        let common = self
        for section in sections {
            let path = "\(Self.perGate).\(section.name)"
            guard GateID.isWellFormed(section.name) else { throw .badGateID(path) }
            guard (try? order.check(.site, for: section.name)) != nil else { throw .notAddressed(path) }
            guard let members = section.value.members else { throw .notAnObject(path) }
            var settings = common
            for member in members { try settings.take(member, path + ".") }
            try settings.checkTime(path + ".")
            if let gate, section.key.isString(gate) { self = settings }
        }
    }

    static let perGate = "perGate"

    // MARK: Members

    private mutating func take(_ member: JSONMember, _ prefix: String) throws(SiteSettingsError) {
        let path = prefix + member.name, value = member.value
        guard let known = SiteMember.allCases.first(where: { member.key.isString($0.rawValue) }) else { throw .unknownMember(path) }
        switch known {
        case .name: name = try Self.name(value, path)
        case .wire: wire = try Self.text(value, path) { Self.wires.contains($0) }
        case .hci: hci = try Self.link(value, path, ["hci", "serial"]) { text throws(MonikerError) in try HCIMoniker(text) }
        case .lights: lights = try Self.link(value, path, ["gpio", "log"]) { text throws(MonikerError) in try LightsMoniker(text) }
        case .screen:
            screen = try Self.link(value, path, ["fb", "none", "terminal"]) { text throws(MonikerError) in try ScreenMoniker(text) }
        case .languages:
            let text = try Self.text(value, path) { WordFolder.languages($0) != nil }
            languages = WordFolder.languages(text)
        case .camera: camera = try Self.link(value, path, ["v4l2"]) { text throws(MonikerError) in try CameraMoniker(text) }
        case .doorPulse: doorPulse = UInt64(clamping: try Self.number(value, path, known.rawValue))
        case .doorHeld: doorHeld = UInt64(clamping: try Self.number(value, path, known.rawValue))
        case .exitOpens: exitOpens = try Self.flag(value, path)
        case .supervisorKey: supervisorKey = try Self.flag(value, path)
        case .face:
            guard let policy = Policy.Face(rawValue: try Self.text(value, path) { _ in true }) else { throw .badValue(path) }
            face = policy
        case .faceMatcher: faceMatcher = MatcherName(try Self.text(value, path) { MatcherName($0) != nil })
        case .faceThresholds:
            do throws(FaceFileError) { faceThresholds = try FaceThresholds(parsing: value.source) } catch {
                throw .badThresholds(path, error)
            }
        case .faceSettings:
            do throws(FaceSettingsError) { faceSettings = try FaceSettings(parsing: value.source) } catch {
                throw .badFaceSettings(path, error)
            }
        case .codes:
            guard let policy = CodePolicy(rawValue: try Self.text(value, path) { _ in true }) else { throw .badValue(path) }
            codes = policy
        case .codesWithoutFace: codesWithoutFace = try Self.types(value, path)
        case .codePrefix: codePrefix = try Self.text(value, path) { Self.isCodePrefix($0) }
        case .documents:
            do throws(TrustError) { documents = try DocumentSettings(TrustMember(file: path, path: "", value: value)) } catch {
                throw .badDocuments(error)
            }
        case .offer: offer = try Self.kinds(value, path)
        case .codeTurn: codeTurn = UInt64(clamping: try Self.number(value, path, known.rawValue))
        case .proofs:
            do throws(TrustError) { proofs = try ProofSettings(TrustMember(file: path, path: "", value: value)) } catch {
                throw .badProofs(error)
            }
        case .trustedKey:
            do throws(TrustError) { trustedKey = try TrustedKeySettings(TrustMember(file: path, path: "", value: value)) } catch {
                throw .badTrustedKey(error)
            }
        case .auditSize: auditSize = try Self.number(value, path, known.rawValue)
        case .auditFull:
            guard let whenFull = AuditLimits.WhenFull(rawValue: try Self.text(value, path) { _ in true }) else { throw .badValue(path) }
            auditFull = whenFull
        case .timeSync: timeSync = try Self.flag(value, path)
        case .timeServers: timeServers = try SiteTimeServer.all(value, path)
        case .timeAuthorities: timeAuthorities = try SiteTimeAuthorities(value, path)
        case .update: update = try Self.update(value, path)
        case .http: http = try Self.text(value, path) { (try? ListenerAddress($0)) != nil }
        case .outlets: outlets = try SiteOutlets(value, path)
        }
        texts[known] = String(decoding: value.source, as: UTF8.self)
    }

    /// A client that cannot check a certificate would ask, and never believe an answer.
    private func checkTime(_ prefix: String) throws(SiteSettingsError) {
        guard timeAuthorities != nil || timeServers?.contains(where: \.isAuthenticated) != true else {
            throw .noTimeAuthority(prefix + SiteMember.timeServers.rawValue)
        }
    }

    private static func text(_ value: JSONValue, _ path: String, _ isGood: (String) -> Bool) throws(SiteSettingsError) -> String {
        guard let text = value.string else { throw .wrongType(path) }
        guard !text.isEmpty, isGood(text) else { throw .badValue(path) }
        return text
    }

    private static func flag(_ value: JSONValue, _ path: String) throws(SiteSettingsError) -> Bool {
        guard let flag = value.bool else { throw .wrongType(path) }
        return flag
    }

    private static func number(_ value: JSONValue, _ path: String, _ name: String) throws(SiteSettingsError) -> Int64 {
        guard let number = value.int64 else { throw .wrongType(path) }
        guard bounds[name]?.contains(number) == true else { throw .outOfBounds(path, number) }
        return number
    }

    private static func name(_ value: JSONValue, _ path: String) throws(SiteSettingsError) -> String {
        try text(value, path) { text in
            text.utf8.count <= 11 && text.utf8.allSatisfy { isAlphanumeric($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
        }
    }

    /// Who signs says whom to believe. That is no reason to let it start programs, read any file, or take the controller from the network.
    private static func link<Link>(
        _ value: JSONValue, _ path: String, _ schemes: [String], _ read: (String) throws(MonikerError) -> Link
    ) throws(SiteSettingsError) -> Link {
        let text = try text(value, path) { $0.utf8.count <= 256 && $0.utf8.allSatisfy { 0x20..<0x7F ~= $0 } }
        let link: Link
        do throws(MonikerError) {
            link = try read(text)
        } catch .unknownScheme(let scheme, _) {
            // Named are those that a site file may use.
            throw .badMoniker(path, .unknownScheme(scheme, known: schemes))
        } catch {
            throw .badMoniker(path, error)
        }
        guard schemes.contains(where: { text.hasPrefix($0 + ":") }) else { throw .linkNotAllowed(path) }
        return link
    }

    /// Types of credentials, none twice; `*`, for all of them, stands alone.
    private static func types(_ value: JSONValue, _ path: String) throws(SiteSettingsError) -> [String] {
        guard let elements = value.elements else { throw .wrongType(path) }
        var types: [String] = []
        for element in elements {
            let type = try text(element, path) { isType($0) }
            guard types.count < mostTypes, !types.contains(type), types.isEmpty || (type != "*" && types != ["*"]) else {
                throw .badValue(path)
            }
            types.append(type)
        }
        return types
    }

    /// What is offered, at least one, none twice.
    private static func kinds(_ value: JSONValue, _ path: String) throws(SiteSettingsError) -> [OfferedKind] {
        guard let elements = value.elements else { throw .wrongType(path) }
        var kinds: [OfferedKind] = []
        for element in elements {
            let word = try text(element, path) { OfferedKind(rawValue: $0) != nil }
            guard let kind = OfferedKind(rawValue: word), !kinds.contains(kind) else { throw .badValue(path) }
            kinds.append(kind)
        }
        guard !kinds.isEmpty else { throw .badValue(path) }
        return kinds
    }

    /// Printable ASCII, as an address and PixelPass itself are.
    static func isCodePrefix(_ text: String) -> Bool {
        // A code that begins so is never looked at as PixelPass.
        let isTaken = ["openid4vp:", "didcomm:", "mdoc:"].contains { text.utf8.count >= $0.utf8.count && text.lowercased().hasPrefix($0) }
        return (1...longestPrefix).contains(text.utf8.count) && text.utf8.allSatisfy { 0x20..<0x7F ~= $0 } && !isTaken
    }

    /// As a trust entry would name it: printable, and nothing that could be mistaken for a pattern.
    static func isType(_ text: String) -> Bool {
        guard text != "*" else { return true }
        return text.utf8.count <= longestType && text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "*") }
    }

    private static func update(_ value: JSONValue, _ path: String) throws(SiteSettingsError) -> UpdateServer {
        guard let members = value.members else { throw .wrongType(path) }
        var values: [String: String] = [:]
        for member in members {
            let name = member.name, inside = "\(path).\(name)"
            guard UpdateServer.members.contains(name) else { throw .unknownMember(inside) }
            if name == "poll" {
                values[name] = "\(try number(member.value, inside, name))"
            } else {
                // It goes into SWUpdate's file, in quotes.
                values[name] = try text(member.value, inside) { text in
                    text.utf8.count <= 500 && text.utf8.allSatisfy { isAlphanumeric($0) || ":/._~@+=-".utf8.contains($0) }
                }
            }
        }
        guard values["url"]?.hasPrefix("https://") == true || values["url"]?.hasPrefix("http://") == true else {
            throw .badValue("\(path).url")
        }
        return UpdateServer(values: values)
    }

    private static func isAlphanumeric(_ octet: UInt8) -> Bool {
        switch octet {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: false
        }
    }
}
