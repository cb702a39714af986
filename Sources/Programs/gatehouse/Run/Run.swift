import Appliance
import ArgumentParser

struct Run: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Be the gate: advertise, take credentials, decide, turn lights on, until SIGTERM.",
        discussion: """
            Shows a QR code, waits for a wallet, and goes through one visit after the other. Each visit has a fresh key and \
            a fresh radio address. SIGTERM or SIGINT ends cleanly: advertising off, lights off, keys wiped, exit code 0. \
            SIGHUP reads the trust folder again, for visitors from then on. SIGUSR1 shows the last ten verdicts on the screen, for ten seconds. A controller that is missing, busy, blocked or broken is waited for, with the fault light on.

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
    @OptionGroup var codeOptions: CodeOptions
    @OptionGroup var documentOptions: DocumentOptions
    @OptionGroup var offerOptions: OfferOptions
    @OptionGroup var trustedKeyOptions: TrustedKeyOptions
    @OptionGroup var networkOptions: NetworkOptions
    @OptionGroup var feedOptions: FeedOptions
    @OptionGroup var auditOptions: AuditOptions
    @OptionGroup var updateOptions: UpdateOptions

    @Option(help: ArgumentHelp("The folder the audit log is kept in.", valueName: "folder"))
    var data = "/var/lib/gatehouse"

    @Option(
        help: ArgumentHelp(
            "The name wallets show, 1 to 11 of A-Z a-z 0-9 _ -. It travels as OVP and the name.  (default: \(ApplianceConfiguration.usualName))",
            valueName: "name"))
    var name: String?

    @Option(
        help: ArgumentHelp(
            "The wire version: 0.5 (Inji Wallet 0.13 and later) or 0.4 (older ones; other UUIDs).  (default: \(ApplianceConfiguration.usualWire))",
            valueName: "version"))
    var wire: String?

    @Option(
        help: ArgumentHelp(
            "How long a verdict's light stands, 0.1 to 10. The next visitor's verdict waits for its end.", valueName: "seconds"))
    var verdictTime = 3.0

    @Option(
        help: ArgumentHelp(
            "Record the packets between host and controller in a btsnoop file (btmon -r, Wireshark), at most 64 MiB, without the values of attributes and without keys. An earlier trace of that name becomes FILE.old.",
            valueName: "file"))
    var trace: String?

    #if DEBUG
        @Flag(help: "Development only: the trace holds everything, keys and credentials too.")
        var traceSecrets = false
    #endif

    @Option(
        help: ArgumentHelp(
            "A file to make when the controller does not answer and only its driver, bound anew, may help: whoever watches for it (gatehouse-controller-reset.path of an image) does that. If it does not help, the gate ends with exit code 1, so that the board can be started anew. Without this option it goes on trying by itself.",
            valueName: "file"))
    var controllerReset: String?

    func run() throws {
        let site = trustOptions.source.site(isStart: true)
        site.announce()
        if try GateProcess(configuration(site)).run() { throw ExitCode(1) }
    }

    private func configuration(_ site: LoadedSite) throws -> ApplianceConfiguration {
        var configuration = ApplianceConfiguration(
            links: try boardOptions.links(site), trust: trustOptions.source,
            vision: VisionConfiguration(faces: faceOptions.configuration, codes: codeOptions.configuration(trustedKeyOptions)),
            audit: auditOptions.configuration, confinement: confinementOptions.configuration, updates: updateOptions.source, data: data,
            verdictTime: verdictTime)
        (configuration.name, configuration.wire) = (name, wire)
        configuration.documents = documentOptions.configuration
        configuration.offer = offerOptions.configuration
        configuration.trustedKey = trustedKeyOptions.configuration
        configuration.network = networkOptions.configuration
        configuration.feed = feedOptions.feed
        (configuration.trace, configuration.controllerReset) = (trace, controllerReset)
        #if DEBUG
            configuration.isTraceWhole = traceSecrets
        #endif
        configuration.overruled = overruled
        return configuration
    }

    /// What a site file sets in vain.
    private var overruled: Set<SiteMember> {
        let options: [(SiteMember, Bool)] = [
            (.hci, boardOptions.hci != nil), (.lights, boardOptions.lights != nil), (.screen, boardOptions.screen != nil),
            (.camera, boardOptions.camera != nil), (.face, faceOptions.face != nil),
            (.codes, codeOptions.codes != nil), (.codesWithoutFace, !codeOptions.withoutFace.isEmpty),
            (.codePrefix, codeOptions.prefix != nil), (.documents, documentOptions.documents != nil),
            (.offer, offerOptions.offer != nil), (.codeTurn, offerOptions.codeTurn != nil), (.proofs, offerOptions.proofs != nil),
            (.trustedKey, trustedKeyOptions.trustedKey != nil),
            (.http, networkOptions.http != nil),
            // Its name says where the two are, and nothing else.
            (.faceMatcher, faceOptions.faceMatcher != nil || (faceOptions.facePlugin != nil && faceOptions.faceModels != nil)),
            (.faceThresholds, faceOptions.faceThresholds != nil),
            (.faceSettings, faceOptions.faceSettings != nil),
            (.auditSize, auditOptions.auditSize != nil), (.auditFull, auditOptions.auditFull != nil),
        ]
        return Set(options.filter(\.1).map(\.0))
    }
}
