import Audit
import Credentials
import Devices
import Envelopes
import Glibc
import Linux
import Trust
import Visit

/// A gate from its first word to its last: everything is opened in an order, the process gives up what it does not need, and the loop runs.
package struct GateProcess {
    private let configuration: ApplianceConfiguration

    package init(_ configuration: ApplianceConfiguration) {
        self.configuration = configuration
    }

    /// Is the gate until it is told to end.
    ///
    /// - Returns: whether it ended because something is lost that only a new process can have.
    package func run() throws(ConfigurationError) -> Bool {
        let links = configuration.links, trust = configuration.trust
        let vision = configuration.vision, faces = vision.faces, face = try faces.policy(links), settings = try faces.settings(links)
        let wanted = try vision.wanted(links)
        let strictness = try configuration.confinement.strictness()
        try refuseWhatCannotBe()
        let supervisor = try vision.makeSupervisor(
            links, wanted, user: configuration.confinement.user, isLenient: strictness != .required)
        let network = try configuration.network.makeDesk(links, user: configuration.confinement.user, isLenient: strictness != .required)
        // Before anything is opened: what the user cannot open now, it could not open again later.
        try configuration.confinement.becomeUser(for: links.hci, data: configuration.auditFolder)
        // Before the first lamp and the first word: whoever hears of this gate may ask it to end. Threads made later inherit the blocked
        // signals.
        let signals = try opened("signals") { () throws(EventLoopError) in try Signals() }
        let panels = try BoardPanels(configuration)
        if try isReset(by: links.profile?.resetButton) { return true }
        let reset = trust.finishReset(audit: configuration.auditPath)
        let loaded = try isReset ? .nobody : trust.loadOrNobody(at: TrustSource.now)
        let asked = try configuration.documents.settings(links, face), documents = configuration.documents
        let belief = { (store: TrustStore) -> DocumentBelief? in asked == nil ? nil : documents.belief(store) }
        var gate = try configuration.makeGate(loaded.store, face, settings, asked)
        if let first = belief(loaded.store) { gate.believe(mdoc: first.trust, askingAs: first.key) }
        trust.remember(loaded)
        let trial = trust.trial(of: links.site, links.site.changes(links.profile, overruled: configuration.overruled))
        let notice = try self.notice()
        let audit = try openAudit(face, wanted.codes, loaded, trial, reset)
        let screen = try makeScreen()
        let trace = try openTrace()
        let desk = try vision.makeDesk(links, wanted, supervisor, settings)
        loaded.announce()
        let lacking = try Shortcomings(configuration, face, hasFaces: desk?.faces != nil, loaded.store)
        for sentence in lacking.sentences { say(sentence) }
        let feed = configuration.feed.map { LiveFeed($0, report: say) }
        let writable = try configuration.writable()
        let entry = EntryWatch(
            loaded.store, standing: Self.standing(face, hasFaces: desk?.faces != nil, loaded.store, isReset: isReset),
            others: configuration.updates.end().map { [$0] } ?? [])
        try configuration.confinement.confine(links, readable: trust.files + [documents.reader.file], writable: writable)
        var believed = loaded
        do throws(EventLoopError) {
            let loop = try MainLoop(
                gate: gate, link: links.hci.makeLink(), lights: panels.lights, screen: screen, audit: audit, door: panels.door,
                sound: panels.sound, camera: desk?.camera, faces: desk?.faces, codes: desk?.codes, network: network, feed: feed,
                signals: signals,
                report: say,
                reload: {
                    guard let next = reload(audit, after: believed) else { return nil }
                    believed = next
                    return next.store
                }, documents: belief, keepTime: { trust.remember(believed) }, trial: trial, entry: entry, needsFaces: face == .required,
                controllerReset: configuration.controllerReset.map { ControllerReset($0, controller: links.hci) }, trace: trace,
                notice: notice)
            try loop.run()
            trial?.end(isBroken: loop.isBroken)
            return loop.isBroken
        } catch {
            throw ConfigurationError("the loop: \(systemCause(error.errno))")
        }
    }

    /// Why nobody can enter for as long as this process lives.
    private static func standing(_ face: Policy.Face, hasFaces: Bool, _ believed: TrustStore, isReset: Bool) -> ClosedCauses {
        var causes: ClosedCauses = []
        if isReset { causes.insert(.factoryReset) }
        if face == .required, !hasFaces { causes.insert(.noCamera) }
        if DataPartition.isLost { causes.insert(.dataNotLasting) }
        if DataPartition.anewAbove != nil, believed.isOfNobody { causes.insert(.dataMadeAnew) }
        return causes
    }

    /// Whatever bundle is there, nobody has said since what this gate is.
    private var isReset: Bool { configuration.site.finding == .reset }

    /// Before the log is opened, whose first record is of the first start. Where it cannot be looked for, opening it says why.
    private func notice() throws(ConfigurationError) -> SetUpNotice? {
        configuration.site.notice(
            canBeSetUp: try configuration.trust.rootFile() != nil, isFirstStart: (try? NamedFile.exists(configuration.auditPath)) == false,
            now: Clock.monotonic())
    }

    /// What no gate starts with, before anything is taken or started.
    private func refuseWhatCannotBe() throws(ConfigurationError) {
        if let path = configuration.controllerReset, !path.hasPrefix("/") {
            throw ConfigurationError("--controller-reset \(path): use an absolute path")
        }
        // Before any line is taken: a lamp that is dark may be a lock that is open.
        if let taken = configuration.links.takenFromDoor { throw ConfigurationError(taken) }
    }

    /// Whether somebody holds this button, and a reset was taken. A gate that was reset, or that nobody could set up again, looks at none.
    private func isReset(by button: ButtonMoniker?) throws(ConfigurationError) -> Bool {
        let trust = configuration.trust
        guard let button, !isReset, try trust.rootFile() != nil, ResetByHand.take(button, folder: trust.folder) else { return false }
        say("the factory reset is taken: ending, to be started anew")
        return true
    }

    private func makeScreen() throws(ConfigurationError) -> ScreenPanel {
        let links = configuration.links, words = links.words(report: say)
        let longest = try configuration.offer.settings(links).kinds.contains(.aries) ? QRCode.longest : nil
        return ScreenPanel(languages: max(words.count, 1), longest: longest, report: say) { () throws(ScreenError) in
            try links.screen.makeScreen(words: words)
        }
    }

    private func openTrace() throws(ConfigurationError) -> Trace? {
        guard let path = configuration.trace else { return nil }
        let report: (String) -> Void = { say("--trace \(path): \($0)") }
        return try opened("--trace \(path)") { () throws(TraceError) in
            #if DEBUG
                if configuration.isTraceWhole { return try Trace(withSecrets: path, report: report) }
            #endif
            return try Trace(path, report: report)
        }
    }

    /// Whom to believe after SIGHUP; nil, and a line that says why, where the trust folder cannot be used: then everything stays as it is.
    private func reload(_ audit: AuditLog, after believed: LoadedTrust) -> LoadedTrust? {
        if isReset {
            say("nothing was reloaded: this gate was reset, and believes nobody before a site file was installed and it has started anew")
            return nil
        }
        if configuration.trust.isResetTaken {
            say("a factory reset was taken: nobody is believed from now on, and it is done when the gate starts next")
            return .nobody
        }
        do throws(ConfigurationError) {
            let loaded = try configuration.trust.reload(after: believed.store)
            var record = AuditRecord(event: "trust")
            record.add(bundle: loaded)
            // What decides over visitors is on record before the first of them: nobody enters while it cannot be written. Whom not to
            // believe any more is believed all the same.
            audit.begin(record)
            configuration.trust.remember(loaded)
            loaded.announce()
            return loaded
        } catch {
            say("nothing was reloaded: \(error)")
            return nil
        }
    }

    private func openAudit(
        _ face: Policy.Face, _ codes: CodePolicy, _ loaded: LoadedTrust, _ trial: SiteTrial?, _ reset: ResetMark?
    ) throws(ConfigurationError) -> AuditLog {
        let folder = configuration.auditFolder, path = configuration.auditPath, site = configuration.site
        if !folder.isEmpty, mkdir(folder, 0o700) != 0, errno != EEXIST {
            throw ConfigurationError("--data \(folder): cannot be made (\(systemCause(errno)))")
        }
        let limits = try configuration.audit.limits(site.settings)
        let before = trial == nil ? nil : try? configuration.audit.limits(site.before)
        let log: AuditLog
        do throws(AuditError) {
            log = try AuditLog(path, limits: limits, before: before)
        } catch {
            // A second gate beside the first, above all: no site file's doing.
            trial?.end(isBroken: false)
            throw ConfigurationError("--data \(path): \(error)")
        }
        log.begin(started(face, codes, loaded, reset))
        for event in log.takeNews() { say("\(event)") }
        switch log.state {
        case .writable: break
        case .full(let error), .failing(let error):
            say("NOBODY CAN ENTER: the audit log \(path) cannot be written: \(error). It is tried again every few seconds")
        }
        return log
    }

    private func started(_ face: Policy.Face, _ codes: CodePolicy, _ loaded: LoadedTrust, _ reset: ResetMark?) -> AuditRecord {
        let site = configuration.site
        var record = AuditRecord(
            startOf: ProgramVersion(), name: configuration.gateName, gate: site.identity?.id, face: face.rawValue,
            clock: loaded.clock(TrustSource.now))
        record.add(bundle: loaded)
        if codes != .off { record.add("codes", .code(codes.rawValue)) }
        if loaded.installed?.markState == .lost { record.add("mark", .code("lost")) }
        if let number = site.number { record.add("site", .number(number)) }
        if let number = site.givenUp { record.add("site-given-up", .number(number)) }
        switch reset?.cause {
        case .order(let number)?: record.add("reset", .number(number))
        case .button?: record.add("reset", .code("button"))
        case nil: break
        }
        return record
    }
}
