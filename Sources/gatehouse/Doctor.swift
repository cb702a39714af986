import ArgumentParser
import Board
import Credentials

struct Doctor: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check this board: controller, kernel, process, buffers, lights, screen, camera, face matcher, trust, clock, updates, space, audit log.",
        discussion: """
            Opens each device for a moment, so the gate must not be running. Exit code: 0 when all is well, 1 when something \
            is not (each such line begins with `!` and says what to do), 2 for unusable options.
            """)

    @OptionGroup var boardOptions: BoardOptions
    @OptionGroup var trustOptions: TrustOptions
    @OptionGroup var faceOptions: FaceOptions
    @OptionGroup var auditOptions: AuditOptions
    @OptionGroup var updateOptions: UpdateOptions

    @Option(help: ArgumentHelp("The folder the audit log is kept in.", valueName: "folder"))
    var data = "/var/lib/gatehouse"

    @Flag(help: "One JSON object instead of text: well, sections, troubles.")
    var json = false

    func run() throws {
        let text = DoctorText(report: try examine(try boardOptions.devices(trustOptions.site())))
        if json { say(text.json, to: 1) } else { for line in text.lines { say(line, to: 1) } }
        if !text.report.troubles.isEmpty { throw ExitCode(1) }
    }

    private func examine(_ devices: BoardOptions.Devices) throws -> DoctorReport {
        let needsController = if case .userChannel = devices.hci { true } else { false }
        // Before the controller is opened, which lifts soft blocks and powers it down.
        let kernel = KernelSection().examine()
        let audit = devices.audit ?? data + "/audit.jsonl"
        var sections = [
            ControllerSection.examine(devices.hci), kernel, ProcessSection().examine(needsController: needsController), BufferSection.examine(),
            ProfileSection.examine(devices.profile), siteSection(devices.site),
            EffectiveSettings(boardOptions, faceOptions, auditOptions, devices).section, LightsSection.examine(devices.lights), ScreenSection.examine(devices.screen),
        ]
        sections += try examineFaces(devices)
        sections += examineTrust()
        let folder = audit.lastIndex(of: "/").map { String(audit[..<$0]) } ?? "."
        sections.append(SpaceSection.examine([("data", folder.isEmpty ? "/" : folder), ("trust", trustOptions.trust)]))
        sections.append(DataSection.examine())
        let site = devices.site.settings
        sections.append(AuditSection.examine(audit, limits: try auditOptions.nearest(site), refusal: try auditOptions.refusal(of: site)))
        return DoctorReport(sections)
    }

    private func siteSection(_ site: LoadedSite) -> DoctorReport.Section {
        var numbers: OrderNumbers? = OrderNumbers()
        // A folder that is not there has taken none.
        do throws(TrustInstallationError) { numbers = try OrderRegister(trustOptions.trust).numbers() } catch {}
        return SiteSection.examine(site.identity, site.finding, isIDDamaged: site.isIDDamaged, orders: numbers)
    }

    /// The camera and the matcher, where faces are compared.
    private func examineFaces(_ devices: BoardOptions.Devices) throws -> [DoctorReport.Section] {
        let policy = try faceOptions.policy(devices)
        let nursery = try faceOptions.makeNursery(devices, policy)
        let camera = CameraSection.examine(devices.camera, starter: nursery, isNeeded: policy == .required)
        guard let nursery else { return [camera] }
        return [camera, FaceSection.examine(FaceWorker(nursery: nursery), try faceOptions.thresholds(devices))]
    }

    /// Whom the gate believes, what its clock is worth by that, and how long updates can come.
    private func examineTrust() -> [DoctorReport.Section] {
        let now = TrustOptions.now
        do {
            let loaded = try trustOptions.load(at: now)
            let clock = loaded.clock(now) ?? loaded.installed?.clock
            let trusted = loaded.installed.flatMap { installed in clock.map { ($0, installed.bundle.clock) } }
            return [
                TrustSection.examine(loaded.store, bundle: loaded.installed?.bundle, mark: loaded.installed?.markState ?? .whole, at: clock?.now ?? now),
                ClockSection.examine(now, trusted: trusted), updateSection(at: clock?.now ?? now),
            ]
        } catch {
            let sentence = (error as? ValidationError)?.message ?? "\(error)"
            return [
                TrustSection.unusable(sentence, folder: trustOptions.trust), ClockSection.examine(now, trusted: nil), updateSection(at: now),
            ]
        }
    }

    private func updateSection(at now: Seconds) -> DoctorReport.Section {
        do {
            return UpdateSection.examine(try updateOptions.root(), at: now)
        } catch {
            return UpdateSection.unusable((error as? ValidationError)?.message ?? "\(error)", file: updateOptions.updateRoot ?? UpdateRoot.usualPath)
        }
    }
}
