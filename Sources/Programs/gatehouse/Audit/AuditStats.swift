import ArgumentParser
import Audit
import Envelopes

struct AuditStats: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats",
        abstract: "Count what the audit log says: visits by hour, outcomes, reasons, issuers, and how long things took.",
        discussion: """
            All times are UTC, as those of the log, by the gate's clock. Both ends of --since and --until belong to what is counted: the number of \
            a record, a day (2026-11-22, the whole of it), or a time (2026-11-22T06:00:00Z).

            A damaged line is counted and said. The chain is not checked: `gatehouse audit verify` does that. A running gate is not disturbed. \
            Exit code: 0 counted, 2 there is no log to read.
            """)

    @OptionGroup var options: AuditFolderOptions

    @Option(help: ArgumentHelp("From this record, day or time on.", valueName: "when"))
    var since: String?

    @Option(help: ArgumentHelp("Up to this record, day or time.", valueName: "when"))
    var until: String?

    @Flag(help: "One JSON object instead of text.")
    var json = false

    @Option(help: ArgumentHelp("Where a picture of the visits by hour goes, as SVG.", valueName: "file"))
    var svg: String?

    func run() throws {
        let window = AuditWindow(since: try Self.end(since, "--since", isLast: false), until: try Self.end(until, "--until", isLast: true))
        let statistics: AuditStatistics
        do throws(AuditError) {
            statistics = try AuditStatistics(of: options.path, in: window)
        } catch {
            throw AuditFolderOptions.unreadable(options.folder, error)
        }
        if let svg { try gatehouse.write(Array(AuditChart(statistics).svg.utf8), to: svg) }
        if json {
            say(AuditStatsJSON(statistics: statistics).text, to: 1)
        } else {
            for line in AuditStatsText(statistics: statistics, folder: options.folder).lines { say(line, to: 1) }
        }
    }

    /// - Parameter isLast: a day's last second is meant, not its first.
    private static func end(_ text: String?, _ option: String, isLast: Bool) throws -> AuditWindow.End? {
        guard let text else { return nil }
        if text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }), let number = UInt64(text) { return .number(number) }
        if let time = Timestamp.seconds(text) ?? Timestamp.seconds(text + (isLast ? "T23:59:59Z" : "T00:00:00Z")) { return .time(time) }
        throw ValidationError("\(option) \(printable(text)): use the number of a record, 2026-11-22 or 2026-11-22T06:00:00Z")
    }
}

/// Which log.
struct AuditFolderOptions: ParsableArguments {
    @Argument(help: "The folder: a gate's data folder, or where an export went.")
    var folder: String

    @Option(help: ArgumentHelp("The current segment's name.", valueName: "name"))
    var name = "audit.jsonl"

    var path: String { folder + "/" + name }

    static func unreadable(_ folder: String, _ error: AuditError) -> ValidationError {
        ValidationError("\(folder): " + (error == .notFound ? "no audit log is there" : "\(error)"))
    }
}
