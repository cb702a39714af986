import Appliance
import ArgumentParser
import Devices
import Doctor
import Envelopes
import Presentation
import Trust

struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract:
            "Check this board: controller, kernel, process, buffers, lights, screen, camera, face matcher, reader of codes, trust, clock, updates, space, audit log, outlets, panel.",
        discussion: """
            Opens each device for a moment, so the gate must not be running. Exit code: 0 when all is well, 1 when something \
            is not (each such line begins with `!` and says what to do), 2 for unusable options.
            """)

    @OptionGroup var boardOptions: BoardOptions
    @OptionGroup var trustOptions: TrustOptions
    @OptionGroup var faceOptions: FaceOptions
    @OptionGroup var codeOptions: CodeOptions
    @OptionGroup var documentOptions: DocumentOptions
    @OptionGroup var offerOptions: OfferOptions
    @OptionGroup var trustedKeyOptions: TrustedKeyOptions
    @OptionGroup var networkOptions: NetworkOptions
    @OptionGroup var auditOptions: AuditOptions
    @OptionGroup var updateOptions: UpdateOptions

    @Option(help: ArgumentHelp("The folder the audit log is kept in.", valueName: "folder"))
    var data = "/var/lib/gatehouse"

    @Option(help: ArgumentHelp("The folder with the settings of outlets (gatehouse-relay), one file for each.", valueName: "folder"))
    var outlets = "/etc/gatehouse/outlets"

    @Option(help: ArgumentHelp("The folder with a folder of each outlet's cursor and status.", valueName: "folder"))
    var outletStates = "/var/lib/gatehouse-relay"

    @Option(help: ArgumentHelp("The file with the options of the reader at a panel (gatehouse-osdp).", valueName: "file"))
    var panel = "/etc/gatehouse/osdp"

    @Option(help: ArgumentHelp("The folder with the key of that reader.", valueName: "folder"))
    var panelState = "/var/lib/gatehouse-osdp"

    @Flag(help: "One JSON object instead of text: well, sections, troubles.")
    var json = false

    func run() throws {
        let text = DoctorText(report: try examine(try boardOptions.links(trustOptions.source.site())))
        if json { say(text.json, to: 1) } else { for line in text.lines { say(line, to: 1) } }
        if !text.report.troubles.isEmpty { throw ExitCode(1) }
    }

    private func examine(_ devices: DeviceLinks) throws -> DoctorReport {
        let needsController = if case .userChannel = devices.hci { true } else { false }
        // Before the controller is opened, which lifts soft blocks and powers it down.
        let kernel = KernelSection().examine()
        let audit = devices.audit ?? data + "/audit.jsonl"
        var sections = [
            ControllerSection.examine(devices.hci), kernel, ProcessSection().examine(needsController: needsController),
            BufferSection.examine(),
            ProfileSection.examine(devices.profile), siteSection(devices.site),
            try EffectiveSettings(
                boardOptions, faceOptions, codeOptions, documentOptions, trustedKeyOptions, offerOptions, networkOptions, auditOptions,
                devices
            ).section,
            examineLights(devices),
            ScreenSection.examine(devices.screen, words: devices.foundWords().findings, longest: try longestCode(devices)),
            DoorSection.examine(devices.door),
            SoundSection.examine(devices.sound),
        ]
        sections += try examineVision(devices)
        sections += examineTrust(
            asked: try askedDocuments(devices), try trustedKeyOptions.configuration.settings(devices),
            unposted: try offerOptions.configuration.endpointObstacle(devices, networkOptions.configuration))
        let folder = audit.lastIndex(of: "/").map { String(audit[..<$0]) } ?? "."
        sections.append(SpaceSection.examine([("data", folder.isEmpty ? "/" : folder), ("trust", trustOptions.trust)]))
        sections.append(DataSection.examine())
        let site = devices.site.settings
        sections.append(
            AuditSection.examine(
                audit, limits: try auditOptions.configuration.nearest(site), refusal: try auditOptions.configuration.refusal(of: site)))
        sections.append(OutletSection(settings: outlets, states: outletStates, log: audit).examine())
        sections.append(PanelSection(settings: panel, state: panelState).examine())
        return DoctorReport(sections)
    }

    /// Octets of the longest code that the site offers; nil where Tuvali's is.
    private func longestCode(_ devices: DeviceLinks) throws -> Int? {
        try offerOptions.configuration.settings(devices).kinds.contains(.aries) ? QRCode.longest : nil
    }

    private func siteSection(_ site: LoadedSite) -> DoctorReport.Section {
        var numbers: OrderNumbers? = OrderNumbers()
        // A folder that is not there has taken none.
        do throws(TrustInstallationError) { numbers = try OrderRegister(trustOptions.trust).numbers() } catch {}
        return SiteSection.examine(site.identity, site.finding, isIDDamaged: site.isIDDamaged, orders: numbers)
    }

    /// The lamps, with the door's lines held meanwhile: a lamp that is named to hang on one of them does not open the lock by being dark.
    private func examineLights(_ devices: DeviceLinks) -> DoctorReport.Section {
        var held: (any DoorLines)?
        do throws(DoorLinesError) { held = try devices.door?.makeDoor() } catch {}
        defer { held?.close() }
        return LightsSection.examine(devices.lights, takenFromDoor: devices.refusedForDoor)
    }

    /// The camera, the matcher where faces are compared, and the reader where codes are read. A worker that this board lacks is its
    /// trouble, and no reason to be silent of all the rest.
    private func examineVision(_ devices: DeviceLinks) throws -> [DoctorReport.Section] {
        let faces = faceOptions.configuration, codes = codeOptions.configuration(trustedKeyOptions)
        let vision = VisionConfiguration(faces: faces, codes: codes), face = try faces.policy(devices)
        let policy = try codes.policy(devices, face), wanted = try vision.wanted(devices)
        // What `run` would refuse is refused here.
        _ = try codes.prefix(devices)
        _ = try documentOptions.configuration.settings(devices, face)
        _ = try offerOptions.configuration.settings(devices)
        _ = try trustedKeyOptions.configuration.settings(devices)
        let duty = CodeSection.Duty(
            policy: policy, obstacle: codes.obstacle(devices, policy), withoutFace: codes.copiesWithoutFace(devices),
            face: face)
        let supervisor: Supervisor?
        do throws(ConfigurationError) {
            supervisor = try vision.makeSupervisor(devices, wanted)
        } catch {
            let camera = CameraSection.examine(devices.camera, starter: nil, isNeeded: face == .required)
            // Without a matcher the gate does not start: what reads codes is not asked.
            return [camera, FaceSection.unusable(error.description), CodeSection.examine(duty, nil)]
        }
        var sections = [CameraSection.examine(devices.camera, starter: supervisor, isNeeded: face == .required)]
        if let supervisor, wanted.faces {
            sections.append(FaceSection.examine(VisionClient(supervisor: supervisor), try faces.thresholds(devices)))
        }
        return sections + [CodeSection.examine(duty, wanted.codes == .off ? nil : supervisor.map { CodeReader(supervisor: $0) })]
    }

    /// The kinds of documents in phones that the gate asks for.
    private func askedDocuments(_ devices: DeviceLinks) throws -> [String] {
        let face = try faceOptions.configuration.policy(devices)
        return try documentOptions.configuration.settings(devices, face)?.documents.map(\.docType) ?? []
    }

    /// Whom the gate believes, what its clock is worth by that, and how long updates can come.
    ///
    /// - Parameters:
    ///   - asked: the kinds of documents in phones that are asked for.
    ///   - wallets: what the site says of Trusted Key wallets.
    ///   - unposted: why proofs that are posted do not arrive.
    private func examineTrust(
        asked: [String], _ wallets: TrustedKeySettings?, unposted: EndpointObstacle?
    ) -> [DoctorReport.Section] {
        let now = TrustSource.now
        do {
            let loaded = try trustOptions.source.load(at: now)
            let clock = loaded.clock(now) ?? loaded.installed?.clock
            let trusted = loaded.installed.flatMap { installed in clock.map { ($0, installed.bundle.clock) } }
            return [
                TrustSection.examine(
                    loaded.store, bundle: loaded.installed?.bundle, mark: loaded.installed?.markState ?? .whole, at: clock?.now ?? now),
                DocumentSection.examine(
                    loaded.store.mdoc, asked: asked, reader: documentOptions.configuration.reader.state(loaded.store.mdoc),
                    at: clock?.now ?? now),
                WalletSection.examine(loaded.store.trustedKey, asked: wallets, unposted: unposted, at: clock?.now ?? now),
                ClockSection.examine(now, trusted: trusted), updateSection(at: clock?.now ?? now),
            ]
        } catch {
            let sentence = "\(error)"
            return [
                TrustSection.unusable(sentence, folder: trustOptions.trust), DocumentSection.unknown,
                ClockSection.examine(now, trusted: nil), updateSection(at: now),
            ]
        }
    }

    private func updateSection(at now: Seconds) -> DoctorReport.Section {
        do {
            return UpdateSection.examine(try updateOptions.source.root(), at: now)
        } catch {
            return UpdateSection.unusable(
                "\(error)", file: updateOptions.source.file)
        }
    }
}
