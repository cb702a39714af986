import ArgumentParser
import Glibc
import Linux
import Relay
import RelayState

@main
struct GatehouseRelay: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gatehouse-relay",
        abstract:
            "Tells another system what a gate's audit log says: one process for each outlet, beside the gate and without any right over it.",
        discussion: """
            The log's segments are the queue, a cursor in the state folder is the memory: each record at least once, in order. The gate never \
            waits for it, and nothing that comes in can open anything. Exit code: 0 ended by SIGTERM or SIGINT, 2 unusable settings or options, \
            1 it could not be confined, or its state folder cannot be used.
            """,
        version: "gatehouse-relay \(ProgramVersion().version)\ncommit \(ProgramVersion.commit ?? "unknown")")

    @Argument(help: "What the outlet speaks: \(OutletKind.allCases.map(\.rawValue).joined(separator: ", ")).")
    var kind: OutletKind

    @Option(help: ArgumentHelp("Its settings, one JSON object (docs/relay.md).", valueName: "file"))
    var settings: String

    @Option(help: ArgumentHelp("The folder with the gate's audit log, audit.jsonl; only read.", valueName: "folder"))
    var log = "/var/lib/gatehouse"

    @Option(help: ArgumentHelp("The folder of this outlet's cursor and status, its own.", valueName: "folder"))
    var state: String

    @Option(
        help: ArgumentHelp(
            "What becomes of a relay that cannot be confined: required (it does not start), as-possible (it says so), or off.",
            valueName: "how"))
    var confine = RelayConfinement.Strictness.required

    @Flag(help: "Only say whether the settings can be used.")
    var check = false

    /// Exit codes: 2 for options nobody can use, as for such settings.
    static func main() {
        do {
            var command = try parseAsRoot()
            try command.run()
        } catch {
            guard exitCode(for: error) == .validationFailure else { exit(withError: error) }
            Words.errors.write(fullMessage(for: error) + "\n")
            Words.errors.finish(patience: 250)
            Glibc.exit(2)
        }
    }

    func run() throws {
        signal(SIGPIPE, SIG_IGN)
        let (outlet, feed) = try makeOutlet()
        if check { return }
        let process: RelayProcess
        do {
            process = try RelayProcess(
                outlet, feed, .init(log: log + "/audit.jsonl", state: state), signals: try Signals(), say: tell)
            try RelayConfinement(outlet.needs, log: log, state: state).apply(confine, say: tell)
        } catch {
            tell("\(error)")
            throw ExitCode(1)
        }
        process.run()
    }

    /// The outlet of the settings, and what of the log it gets.
    private func makeOutlet() throws -> (any Outlet, FeedSettings) {
        do throws(OutletSettingsError) {
            var settings = try OutletSettings(contentsOf: settings)
            var feed = try FeedSettings(&settings)
            let outlet: any Outlet
            switch kind {
            case .mqtt: outlet = MQTTOutlet(try MQTTSettings(&settings, feed), say: tell)
            case .metrics:
                outlet = MetricsOutlet(try MetricsSettings(&settings), log: log, state: state)
                feed = MetricsSettings.feed(feed)
            case .syslog: outlet = SyslogOutlet(try SyslogSettings(&settings, feed), say: tell)
            case .webhook: outlet = WebhookOutlet(try WebhookSettings(&settings, feed), log: log, state: state)
            case .trust: outlet = PullOutlet(.trust, try PullSettings(&settings), state: state)
            case .site: outlet = PullOutlet(.site, try PullSettings(&settings), state: state)
            }
            try settings.finish()
            return (outlet, feed)
        } catch {
            tell("\(settings): \(error)")
            throw ExitCode(2)
        }
    }

    private func tell(_ text: String) { Words.errors.write("gatehouse-relay \(kind.rawValue): \(text)\n") }
}

extension OutletKind: ExpressibleByArgument {}
extension RelayConfinement.Strictness: ExpressibleByArgument {}
