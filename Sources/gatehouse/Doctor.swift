import ArgumentParser
import Bluetooth
import Board
import Credentials
import Gate
import Glibc

struct Doctor: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check this board: controller bring-up, buffers, lights, screen, trust, clock, audit log.",
        discussion: """
            Opens each device for a moment, so the gate must not be running. Exit code: 0 when all is well, 1 when something \
            is not (each such line begins with `!` and says what to do), 2 for unusable options.
            """)

    @OptionGroup var boardOptions: BoardOptions
    @OptionGroup var trustOptions: TrustOptions

    @Option(help: ArgumentHelp("The folder the audit log is kept in.", valueName: "folder"))
    var data = "/var/lib/gatehouse"

    func run() throws {
        let devices = try boardOptions.devices()
        var isWell = true
        func ill(_ text: String) {
            isWell = false
            say("! " + text, to: 1)
        }
        checkController(devices.hci, ill)
        printBuffers()
        checkDevices(devices, ill)
        checkTrust(ill)
        checkClock(ill)
        checkAudit(devices.audit ?? data + "/audit.jsonl", ill)
        if !isWell { throw ExitCode(1) }
        say("all is well", to: 1)
    }

    private func checkController(_ moniker: HCIMoniker, _ ill: (String) -> Void) {
        say("controller", to: 1)
        do throws(LinkError) {
            let report = try BringUpReport(moniker.makeLink())
            for row in report.rows { say("  " + row, to: 1) }
            if let fault = report.fault { ill("controller: \(fault.sentence). Unplug and plug it, or restart the board") }
        } catch {
            ill("controller: \(error.sentence)\(Self.advice(error))")
        }
    }

    private static func advice(_ error: LinkError) -> String {
        switch error {
        case .controllerBusy: ". Stop what uses it: systemctl mask --now bluetooth"
        case .notPermitted: ". Run with: AmbientCapabilities=CAP_NET_ADMIN in the unit, or as root"
        case .radioBlocked(hard: false): ". Unblock it: rfkill unblock bluetooth"
        case .noBluetoothInKernel: ". Load it: modprobe bluetooth; or name another link with --hci"
        case .noSuchController: ". Look at: ls /sys/class/bluetooth"
        default: ""
        }
    }

    private func printBuffers() {
        say("buffers", to: 1)
        for row in Storage.rows { say("  \(row.name) \(row.size): \(row.purpose)", to: 1) }
        for row in CredentialVerifier.bounds { say("  at most \(row.name) \(row.size): \(row.purpose)", to: 1) }
    }

    private func checkDevices(_ devices: BoardOptions.Devices, _ ill: (String) -> Void) {
        do throws(LightsError) {
            let lights = try devices.lights.makeLights()
            say("lights: \(Lamp.allCases.filter { lights.fitted.contains($0) }.map(\.name.description).joined(separator: " "))", to: 1)
            lights.close()
        } catch {
            ill("lights: \(error)")
        }
        // A terminal has nothing to check, and would be cleared.
        guard case .framebuffer(let path) = devices.screen else { return say("screen: no framebuffer", to: 1) }
        do throws(ScreenError) {
            try devices.screen.makeScreen().close()
            say("screen: \(path)", to: 1)
        } catch {
            ill("screen: \(path): \(error)")
        }
    }

    private func checkTrust(_ ill: (String) -> Void) {
        let loaded: TrustOptions.Loaded
        do { loaded = try trustOptions.load(at: TrustOptions.now) } catch { return ill("trust: \((error as? ValidationError)?.message ?? "\(error)")") }
        let store = loaded.store
        if let installed = loaded.installed {
            let bundle = installed.bundle, clock = loaded.clock(TrustOptions.now) ?? installed.clock, left = max(0, bundle.notAfter - clock.now) / 86_400
            say("trust: bundle \(bundle.sequence), \(left) days left, \(store.issuers.count) issuers", to: 1)
            if clock.now >= bundle.notAfter { ill("trust: the bundle has expired: nobody is let in. Install a new one: gatehouse trust install") }
            if case .unsure(let least) = clock {
                ill("clock: it is behind \(least) seconds since 1970, which has passed. Set it: visitors are \(bundle.clock == .accept ? "let in" : "rejected") meanwhile")
            }
        } else {
            say("trust: a folder that nobody signed, \(store.issuers.count) issuers", to: 1)
        }
        for issuer in store.issuers { say("  \(printable(issuer.ids.joined(separator: " "))): \(issuer.keys.count) keys, \(issuer.roots.count) roots", to: 1) }
        checkLists(store, loaded.clock(TrustOptions.now)?.now ?? TrustOptions.now, ill)
    }

    private func checkLists(_ store: TrustStore, _ now: Seconds, _ ill: (String) -> Void) {
        for list in CredentialVerifier(trust: store).statusLists(at: now) {
            let text = "status list \(printable(list.url)): fetched \(list.age / 3600) hours ago"
            if let fault = list.fault {
                ill("\(text), says nothing: \(fault.rawValue). Fetch it anew and make a new bundle")
            } else {
                say("  \(text), \(list.entries ?? 0) entries" + (list.isStale ? ", a newer one is due" : ""), to: 1)
            }
        }
    }

    private func checkClock(_ ill: (String) -> Void) {
        let now = Clock.wall() / 1_000_000_000
        // 2026-01-01: before this program was written.
        if now < 1_767_225_600 { ill("clock: \(now) seconds since 1970 is in the past: set it, or nothing that expires can be judged") } else {
            say("clock: \(now) seconds since 1970", to: 1)
        }
    }

    private func checkAudit(_ path: String, _ ill: (String) -> Void) {
        if access(path, F_OK) != 0, errno == ENOENT { return say("audit log: none yet at \(path)", to: 1) }
        do throws(AuditError) {
            let report = try AuditReport(checking: path)
            if let line = report.badLine, let fault = report.fault {
                ill("audit log: line \(line) of \(path) \(fault.sentence). \(report.records) records before it are whole. \(fault.remedy)")
            } else {
                say("audit log: \(report.records) records, \(report.repairs) repairs, last digest \(report.digest)", to: 1)
            }
        } catch {
            ill("audit log: \(path): \(error)")
        }
    }
}
