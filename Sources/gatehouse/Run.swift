import ArgumentParser
import Bluetooth
import Board
import Credentials
import Faces
import Gate
import Glibc
import Sandbox
import Tuvali

struct Run: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Be the gate: advertise, take credentials, decide, turn lights on, until SIGTERM.",
        discussion: """
            Shows a QR code, waits for a wallet, and goes through one visit after the other. Each visit has a fresh key and \
            a fresh radio address. SIGTERM or SIGINT ends cleanly: advertising off, lights off, keys wiped, exit code 0. \
            SIGHUP reads the trust folder again, for visitors from then on. A controller that is missing, busy, blocked or broken is waited for, with the fault light on.

            Audit log: DATA/audit.jsonl, one JSON object a line, each naming the SHA-256 of the line before it, and sealed segments \
            beside it, DATA/audit-00000001.jsonl and so on (`gatehouse audit verify DATA` checks the whole chain). A verdict is told to nobody before its record is on the \
            disk; if it cannot be put there, the visit is rejected.

            Once everything is open it gives up what it does not need: every capability but the one that opens the \
            controller, writing outside DATA (and outside the trust folder, if that is signed: the newest signed time is kept there), executing, and every \
            system call that is not on a short list. One line on standard error says what could be had.
            """)

    @OptionGroup var boardOptions: BoardOptions
    @OptionGroup var trustOptions: TrustOptions
    @OptionGroup var confinementOptions: ConfinementOptions
    @OptionGroup var faceOptions: FaceOptions
    @OptionGroup var auditOptions: AuditOptions
    @OptionGroup var updateOptions: UpdateOptions

    @Option(help: ArgumentHelp("The folder the audit log is kept in.", valueName: "folder"))
    var data = "/var/lib/gatehouse"

    @Option(help: ArgumentHelp(
        "The name wallets show, 1 to 11 of A-Z a-z 0-9 _ -. It travels as OVP and the name.  (default: \(BoardOptions.usualName))", valueName: "name"))
    var name: String?

    @Option(help: ArgumentHelp(
        "The wire version: 0.5 (Inji Wallet 0.13 and later) or 0.4 (older ones; other UUIDs).  (default: \(BoardOptions.usualWire))", valueName: "version"))
    var wire: String?

    @Option(help: ArgumentHelp(
        "How long a verdict's light stands, 0.1 to 10. The next visitor's verdict waits for its end.", valueName: "seconds"))
    var verdictTime = 3.0

    @Option(help: ArgumentHelp(
        "Record the packets between host and controller in a btsnoop file (btmon -r, Wireshark), at most 64 MiB, without the values of attributes and without keys. An earlier trace of that name becomes FILE.old.",
        valueName: "file"))
    var trace: String?

    #if DEBUG
    @Flag(help: "Development only: the trace holds everything, keys and credentials too.")
    var traceSecrets = false
    #endif

    @Option(help: ArgumentHelp(
        "A file to make when the controller does not answer and only its driver, bound anew, may help: whoever watches for it (gatehouse-controller-reset.path of an image) does that. If it does not help, the gate ends with exit code 1, so that the board can be started anew. Without this option it goes on trying by itself.",
        valueName: "file"))
    var controllerReset: String?

    func run() throws {
        let site = trustOptions.site(isStart: true)
        site.announce()
        let devices = try boardOptions.devices(site)
        let face = try faceOptions.policy(devices)
        let settings = try faceOptions.settings(devices)
        _ = try confinementOptions.strictness()
        if let controllerReset, !controllerReset.hasPrefix("/") { throw ValidationError("--controller-reset \(controllerReset): use an absolute path") }
        let auditPath = devices.audit ?? data + "/audit.jsonl"
        let folder = auditPath.lastIndex(of: "/").map { String(auditPath[..<$0]) } ?? "."
        let nursery = try faceOptions.makeNursery(
            devices, face, user: confinementOptions.user, isLenient: try confinementOptions.strictness() != .required)
        // Before anything is opened: what the user cannot open now, it could not open again later.
        try confinementOptions.becomeUser(for: devices.hci, data: folder)
        let report: (String) -> Void = { say("gatehouse: " + $0) }
        // Before the first lamp and the first word: whoever hears of this gate may ask it to end. Threads made later inherit the blocked signals.
        let signals = try opened("signals") { () throws(EventLoopError) in try Signals() }
        // Before all that takes time: lamps of a gate that died are dark from here on, whatever becomes of this one.
        let lights = try opened("--lights") { () throws(LightsError) in
            try LightsPanel(report: report) { () throws(LightsError) in try devices.lights.makeLights() }
        }
        let loaded = try trustOptions.loadOrNobody(at: TrustOptions.now)
        let gate = try makeGate(
            loaded.store, face, settings, site.settings, isOnBattery: devices.profile?.power == .battery)
        trustOptions.remember(loaded.store, loaded.installed)
        let trial = trial(of: site, devices.profile)
        let audit = try openAudit(auditPath, in: folder, face, site, loaded, trial)
        let screen = ScreenPanel(report: report) { () throws(ScreenError) in try devices.screen.makeScreen() }
        let trace = try openTrace()
        let faces = try faceOptions.makeStage(devices, nursery, settings)
        Self.announce(loaded)
        if face == .off {
            say("gatehouse: holder not bound: without face matching, whoever has a copy of a credential is let in")
        } else if faces == nil {
            say("gatehouse: faces are to be compared, but there is no --camera: whoever has a photo in the credential is rejected")
        }
        var writable = [folder.isEmpty ? "/" : folder]
        if try trustOptions.rootFile() != nil { writable.append(trustOptions.trust) }
        if let controllerReset { writable.append(String(controllerReset[..<(controllerReset.lastIndex(of: "/") ?? controllerReset.startIndex)])) }
        let entry = EntryWatch(
            loaded.store, standing: Self.standing(face, hasFaces: faces != nil, loaded.store), others: updateOptions.end().map { [$0] } ?? [])
        try confinementOptions.confine(devices, trustOptions, writable: writable)
        var believed = loaded.store, installed = loaded.installed
        var isBroken = false
        do throws(EventLoopError) {
            let appliance = try Appliance(
                gate: gate, link: devices.hci.makeLink(), lights: lights, screen: screen, audit: audit, faces: faces, signals: signals,
                report: report, reload: {
                    guard let next = reload(audit, after: believed) else { return nil }
                    (believed, installed) = next
                    return believed
                }, keepTime: { trustOptions.remember(believed, installed) }, trial: trial,
                entry: entry, needsFaces: face == .required,
                controllerReset: controllerReset.map { ControllerReset($0, controller: devices.hci) }, trace: trace)
            try appliance.run()
            isBroken = appliance.isBroken
            trial?.end(isBroken: isBroken)
        } catch {
            throw ValidationError("the loop: \(systemCause(error.errno))")
        }
        if isBroken { throw ExitCode(1) }
    }

    /// Why nobody can enter for as long as this process lives.
    private static func standing(_ face: Policy.Face, hasFaces: Bool, _ believed: TrustStore) -> ClosedCauses {
        var causes: ClosedCauses = []
        if face == .required, !hasFaces { causes.insert(.noCamera) }
        if DataSection.isLost { causes.insert(.dataNotLasting) }
        if DataSection.anewAbove != nil, believed.issuers.isEmpty { causes.insert(.dataMadeAnew) }
        return causes
    }

    private func trial(of site: LoadedSite, _ profile: BoardProfile?) -> SiteTrial? {
        trustOptions.trial(of: site, site.changes(profile, overruled: [
            .hci: boardOptions.hci, .lights: boardOptions.lights, .screen: boardOptions.screen, .camera: boardOptions.camera, .face: faceOptions.face,
            .faceThresholds: faceOptions.faceThresholds, .faceSettings: faceOptions.faceSettings, .auditSize: auditOptions.auditSize.map(String.init), .auditFull: auditOptions.auditFull,
        ]))
    }

    private func openTrace() throws -> Trace? {
        guard let trace else { return nil }
        let report: (String) -> Void = { say("gatehouse: --trace \(trace): \($0)") }
        return try opened("--trace \(trace)") { () throws(TraceError) in
            #if DEBUG
            if traceSecrets { return try Trace(withSecrets: trace, report: report) }
            #endif
            return try Trace(trace, report: report)
        }
    }

    private func makeGate(
        _ trust: TrustStore, _ face: Policy.Face, _ settings: FaceSettings, _ site: SiteSettings?, isOnBattery: Bool
    ) throws -> Gatekeeper {
        let name = name ?? site?.name ?? BoardOptions.usualName, wire = wire ?? site?.wire ?? BoardOptions.usualWire
        let allowed = name.utf8.allSatisfy {
            (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || $0 == 0x2D || $0 == 0x5F
        }
        guard allowed, !name.isEmpty else { throw ValidationError("--name \(name): use A-Z a-z 0-9 _ -") }
        guard let version: WireVersion = ["0.4": .v04, "0.5": .v05][wire] else {
            throw ValidationError("--wire \(wire): use 0.4 or 0.5")
        }
        guard verdictTime >= 0.1, verdictTime <= 10 else { throw ValidationError("--verdict-time \(verdictTime): use 0.1 to 10 seconds") }
        var policy = Policy()
        policy.verdictLight = UInt64(verdictTime * 1000)
        // Of short lights as long as they are.
        policy.verdictPause = min(policy.verdictPause, policy.verdictLight)
        policy.face = face
        policy.savesPower = isOnBattery
        // Last: the stage decides before it.
        policy.faceTime = (settings.readyTime + settings.lookTime) / 1_000_000 + 10_000
        let octets = Array(name.utf8)
        let verifierName = try opened("--name \(name): at most \(VerifierName.longestDeviceName) characters") {
            () throws(TuvaliError) in try VerifierName(deviceName: octets.span)
        }
        do throws(GateError) {
            return try Gatekeeper(name: verifierName, version: version, trust: trust, policy: policy)
        } catch {
            throw ValidationError("the gate cannot be made: \(error)")
        }
    }

    /// Whom to believe after SIGHUP; nil, and a line that says why, where the trust folder cannot be used: then everything stays as it is.
    private func reload(_ audit: AuditLog, after believed: TrustStore) -> (TrustStore, InstalledTrust?)? {
        do {
            let loaded = try trustOptions.load(at: TrustOptions.now)
            guard let store = loaded.store.following(believed) else {
                throw ValidationError("--trust \(trustOptions.trust): older than the bundle in use, or signed by nobody")
            }
            var record = AuditRecord(event: "trust")
            if let terms = store.terms { record.add("bundle", .number(terms.sequence)) }
            // What decides over visitors is on record before the first of them: nobody enters while it cannot be written. Whom not to believe any more
            // is believed all the same.
            audit.begin(record)
            trustOptions.remember(store, loaded.installed)
            Self.announce(loaded)
            return (store, loaded.installed)
        } catch {
            say("gatehouse: nothing was reloaded: \((error as? ValidationError)?.message ?? "\(error)")")
            return nil
        }
    }

    private static func announce(_ loaded: TrustOptions.Loaded) {
        // Said already, with the reason.
        if loaded.store.issuers.isEmpty { return }
        guard let terms = loaded.store.terms else {
            return say("gatehouse: nobody signed the trust folder: it is as safe as the disk it lies on")
        }
        say("gatehouse: trust bundle \(terms.sequence), \(loaded.store.issuers.count) issuers")
        if loaded.installed?.markState == .lost {
            say("gatehouse: the high-water mark was lost: bundle \(terms.sequence), which is installed, takes its place; look at the disk")
        }
        if case .unsure = loaded.clock(TrustOptions.now) { say("gatehouse: the clock is behind a time that has passed: set it") }
    }

    private func openAudit(
        _ path: String, in folder: String, _ face: Policy.Face, _ site: LoadedSite, _ loaded: TrustOptions.Loaded, _ trial: SiteTrial?
    ) throws -> AuditLog {
        if !folder.isEmpty, mkdir(folder, 0o700) != 0, errno != EEXIST {
            throw ValidationError("--data \(folder): cannot be made (\(systemCause(errno)))")
        }
        let limits = try auditOptions.limits(site.settings), before = trial == nil ? nil : try? auditOptions.limits(site.before)
        let log: AuditLog
        do throws(AuditError) {
            log = try AuditLog(path, limits: limits, before: before)
        } catch {
            // A second gate beside the first, above all: no site file's doing.
            trial?.end(isBroken: false)
            throw ValidationError("--data \(path): \(error)")
        }
        var started = AuditRecord(
            startOf: ProgramVersion(), name: name ?? site.settings?.name ?? BoardOptions.usualName, gate: site.identity?.id, face: face.rawValue,
            clock: loaded.clock(TrustOptions.now))
        if loaded.installed?.markState == .lost { started.add("mark", .code("lost")) }
        if let number = site.number { started.add("site", .number(number)) }
        if let number = site.givenUp { started.add("site-given-up", .number(number)) }
        log.begin(started)
        for event in log.takeNews() { say("gatehouse: \(event)") }
        switch log.state {
        case .writable: break
        case .full(let error), .failing(let error):
            say("gatehouse: NOBODY CAN ENTER: the audit log \(path) cannot be written: \(error). It is tried again every few seconds")
        }
        return log
    }
}

/// Runs `body`; its error becomes a sentence that names the thing that failed.
func opened<Value, Failure: Error>(_ what: String, _ body: () throws(Failure) -> Value) throws -> Value {
    do throws(Failure) { return try body() } catch { throw ValidationError("\(what): \(error)") }
}
