import Appliance
import ArgumentParser
import JSON

struct SiteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "site",
        abstract: "Set a gate's name, links, face policy and servers by an order that the signers of its trust root signed.",
        discussion: """
            A site file is an order of the kind site (`gatehouse order build --kind site --content settings.json`). Options of the command come before \
            it, it comes before the board's profile, and that before the defaults; `gatehouse doctor` says where each setting comes from. docs/site.md \
            lists what it may set.
            """,
        subcommands: [SiteInstall.self, SiteShow.self, SiteCheck.self])
}

struct SiteInstall: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "install", abstract: "Check a site file and put it where the gate takes it from when it starts.",
        discussion: """
            Refused are a file that too few of the root's signers signed, one with a number that is not higher than the last one's, one for other gates, \
            and one that sets what it may not. A power cut at any moment leaves the old file or the new one. A file with which the gate does not come \
            to run in \(SiteInstallation.mostTrials) starts is given up, and the one before it is in force again; somebody may bring it once more.
            """)

    @Argument(help: "The signed order.")
    var file: String

    @OptionGroup var gate: GateOptions

    @Flag(
        help:
            "Nobody brought the file: a program fetched it and offers it again and again. One that was given up stays so, a gate that was reset takes none, and the one in force is no error."
    )
    var fetched = false

    func run() throws {
        let root = try TrustSource.signers(gate.root), bytes = try NamedFile.read(file, most: 1 << 20), id = try gate.identity()
        let installation = SiteInstallation(gate.into, patience: TrustSource.patience)
        if fetched, let number = try? installation.number(of: bytes, root: root, gate: id) {
            return say("site file \(number) is there already", to: 1)
        }
        do throws(SiteError) {
            let (site, doubt) = try installation.install(
                bytes, fetched ? .fetched : .brought, root: root, gate: id, now: TrustSource.now)
            say("site file \(site.number) installed: in force when the gate starts next", to: 1)
            TrustCommand.tell(doubt)
        } catch {
            throw TrustCommand.refuse("\(error.isOfFile ? file : gate.into): \(error)")
        }
    }
}

struct SiteShow: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Print what the installed site file sets for this gate, as one JSON object.",
        discussion: "Exit code 1 where there is a site file that cannot be used.")

    @OptionGroup var gate: GateOptions

    @Option(
        help: ArgumentHelp(
            "Only this member: its text or number as it is, a list one element a line, an object one `name=value` a line, of `outlets` one file a line, its content in base64, of `timeAuthorities` one certificate a line in base64; nothing where it is not set. For scripts.",
            valueName: "member"))
    var member: String?

    func run() throws {
        let root = try TrustSource.signers(gate.root), id = try gate.identity()
        let finding: SiteFinding
        do throws(TrustInstallationError) {
            finding = try SiteInstallation(gate.into).load(root: root, gate: id)
        } catch {
            throw TrustCommand.refuse("\(gate.into): \(error)")
        }
        let settings: SiteSettings =
            switch finding {
            case .none, .reset: .none
            case .installed(let site): site.settings
            case .unusable(let error): throw TrustCommand.refuse("\(gate.into): \(error)")
            }
        guard let member else { return say(escaped(Self.json(settings)), to: 1) }
        guard let known = SiteMember(rawValue: member) else {
            throw ValidationError("--member \(member): use one of \(SiteMember.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        if known == .outlets {
            let files = (settings.outlets?.files ?? [:]).sorted { $0.key < $1.key }
            for (name, octets) in files { say("\(name)=\(Base64Text.of(octets))", to: 1) }
            return
        }
        if known == .timeAuthorities {
            for certificate in settings.timeAuthorities?.certificates ?? [] { say(Base64Text.of(certificate), to: 1) }
            return
        }
        guard let text = settings.texts[known], let value = try? JSONDocument(parsing: Array(text.utf8)).root else { return }
        for line in Self.lines(value) { say(printable(line), to: 1) }
    }

    private static func lines(_ value: JSONValue) -> [String] {
        if let elements = value.elements { return elements.map { plain($0) } }
        if let members = value.members { return members.map { "\($0.name)=\(plain($0.value))" } }
        return [plain(value)]
    }

    private static func plain(_ value: JSONValue) -> String { value.string ?? String(decoding: value.source, as: UTF8.self) }

    static func json(_ settings: SiteSettings) -> String {
        var writer = JSONWriter()
        writer.object { writer in
            for member in SiteMember.allCases {
                guard let text = settings.texts[member], let value = try? JSONDocument(parsing: Array(text.utf8)) else { continue }
                writer.name(member.rawValue)
                writer.copy(value.root)
            }
        }
        return writer.text
    }
}

struct SiteCheck: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Show what a site file would set for a gate, whoever signed it.",
        discussion: "Exit code 1 where the content is refused.")

    @Argument(help: "The order, signed or not.")
    var file: String

    @Option(help: ArgumentHelp("The gate's id.  (default: what is said for all)", valueName: "id"))
    var gateID: String?

    func run() throws {
        let order = try OrderFile(file).content
        do throws(SiteSettingsError) {
            say(escaped(SiteShow.json(try SiteSettings(order, for: gateID))), to: 1)
        } catch {
            throw TrustCommand.refuse("\(file): \(error)")
        }
    }
}
