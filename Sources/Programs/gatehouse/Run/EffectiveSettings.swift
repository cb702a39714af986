import Appliance
import Doctor
import Door
import JSON
import Presentation

/// Each setting that more than one place may make, with its value and where that comes from: for `doctor`.
struct EffectiveSettings {
    /// A setting's name, what the command line says, and what it is where nobody says anything.
    typealias Option = (name: String, value: String?, standard: String)

    let options: [Option]
    let devices: DeviceLinks
    private let isMatcherChosen: Bool
    private let face: (word: String, place: String)
    private let codes: (word: String, place: String)

    init(
        _ board: BoardOptions, _ faces: FaceOptions, _ codes: CodeOptions, _ documents: DocumentOptions, _ trustedKey: TrustedKeyOptions,
        _ offer: OfferOptions, _ network: NetworkOptions, _ audit: AuditOptions, _ devices: DeviceLinks
    ) throws {
        self.devices = devices
        face = faces.configuration.policyWord(devices)
        self.codes = codes.configuration(trustedKey).policyWord(devices, try faces.configuration.policy(devices))
        let places = faces.configuration.places(devices)
        isMatcherChosen = faces.configuration.chosenMatcher(devices) != nil
        let withoutFace = codes.withoutFace.isEmpty ? nil : codes.withoutFace.joined(separator: ",")
        options = [
            ("name", nil, ApplianceConfiguration.usualName), ("wire", nil, ApplianceConfiguration.usualWire), ("hci", board.hci, "hci:0"),
            ("lights", board.lights, "log:"),
            ("screen", board.screen, "terminal:"),
            ("languages", board.wordOptions.languages.isEmpty ? nil : board.wordOptions.languages.joined(separator: ","), "en"),
            ("camera", board.camera, "none"), ("door", board.door, "none"), ("sound", board.sound, "none"),
            ("doorPulse", nil, "\(DoorSettings().pulse)"), ("doorHeld", nil, "\(DoorSettings().held)"),
            ("exitOpens", nil, "\(DoorSettings().exitOpens)"), ("supervisorKey", nil, "false"),
            ("face", nil, "off"), ("faceThresholds", faces.faceThresholds, "built in, provisional"),
            ("faceSettings", faces.faceSettings, "standard"), ("faceMatcher", faces.faceMatcher?.text, MatcherName.usual.text),
            ("facePlugin", faces.facePlugin, places.plugin), ("faceModels", faces.faceModels, places.models),
            ("codes", nil, CodePolicy.off.rawValue), ("codesWithoutFace", withoutFace, "none"),
            ("codePrefix", codes.prefix, "none"), ("documents", documents.documents, "as little as the decision needs"),
            ("offer", offer.offer, "tuvali, and what else is configured"),
            ("codeTurn", offer.codeTurn.map { "\(Int64($0 * 1000))" }, "\(OfferSettings().turn)"), ("proofs", offer.proofs, "none"),
            ("trustedKey", trustedKey.trustedKey, "none"),
            ("audit", nil, "in the data folder"),
            ("auditSize", audit.auditSize.map(String.init), "\(AuditConfiguration.usualSize)"), ("auditFull", audit.auditFull, "stop"),
            ("timeSync", nil, "as the image has it"),
            ("timeServers", nil, "as the image has them"), ("timeAuthorities", nil, "none"), ("update", nil, "as the board has it"),
            ("http", network.http, "off"), ("outlets", nil, "as the board has them"),
        ]
    }

    var section: DoctorReport.Section {
        SiteSection.settings(
            options.map { option in
                let member = SiteMember(rawValue: option.name).flatMap { devices.site.settings?.texts[$0] }
                if let value = option.value { return (option.name, value, "option") }
                if option.name == "face" { return (option.name, face.word, face.place) }
                if option.name == "codes" { return (option.name, codes.word, codes.place) }
                if let member { return (option.name, Self.shown(option.name, member), "site file \(devices.site.number ?? 0)") }
                // A matcher that is chosen by its name is not where the profile has the board's.
                let isByName = ["facePlugin", "faceModels"].contains(option.name)
                if isByName, isMatcherChosen { return (option.name, option.standard, "faceMatcher") }
                // A profile's name is the board's, not the gate's.
                if option.name != "name", let value = devices.profile?.texts[option.name] { return (option.name, value, "board profile") }
                return (option.name, option.standard, isByName ? "faceMatcher" : "default")
            })
    }

    /// A server's secrets are for the server, and tables of numbers are nothing to read.
    private static func shown(_ name: String, _ text: String) -> String {
        switch name {
        case "update", "outlets", "timeAuthorities", "faceThresholds", "faceSettings", "documents", "proofs", "trustedKey":
            "\(text.utf8.count) octets (gatehouse site show --member \(name))"
        default: (try? JSONDocument(parsing: Array(text.utf8)).root.string) ?? text
        }
    }
}
