import ArgumentParser
import Audit
import JSON

struct AuditCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "Check the audit log, read it, or copy it to a stick.",
        subcommands: [AuditVerify.self, AuditCopy.self, AuditStats.self, AuditRecent.self])
}

struct AuditVerify: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Check the chain over all segments in a folder: a gate's data folder, or where an export went.",
        discussion: "A running gate is not disturbed. Exit code: 0 the chain is whole, 1 it is not, 2 there is no log to read.")

    @Argument(help: "The folder.")
    var folder: String

    @Option(help: ArgumentHelp("The current segment's name.", valueName: "name"))
    var name = "audit.jsonl"

    @Flag(help: "One JSON object instead of text.")
    var json = false

    func run() throws {
        let report: AuditReport
        do throws(AuditError) {
            report = try AuditReport(checking: folder + "/" + name)
        } catch {
            throw AuditFolderOptions.unreadable(folder, error)
        }
        // A copy may begin anywhere; a gate's own log only where a record says that the rest went.
        let isWell = report.fault == nil && !(report.hasCurrent && report.isBeginningMissing)
        if json { say(text(report, isWell), to: 1) } else { for line in lines(report) { say(line, to: 1) } }
        if !isWell { throw ExitCode(1) }
    }

    private func lines(_ report: AuditReport) -> [String] {
        var lines = [
            "\(report.records) records in segments \(report.first) to \(report.last), \(report.octets) octets; last record \(report.sequence), digest \(report.digest)"
        ]
        if let line = report.badLine, let fault = report.fault {
            lines.append("! line \(line) of \(report.badFile ?? folder) \(fault.sentence)")
        }
        if report.isBeginningMissing {
            lines.append(
                (report.hasCurrent ? "! " : "")
                    + "what was before segment \(report.first) is not here, and no record here says that it was let go")
        }
        if report.droppedTo > 0 { lines.append("let go, as records say: up to segment \(report.droppedTo)") }
        if !report.setAside.isEmpty { lines.append("set aside as damaged: segment \(Self.list(report.setAside))") }
        if !report.setAsideMissing.isEmpty { lines.append("of these not here: segment \(Self.list(report.setAsideMissing))") }
        if !report.lost.isEmpty { lines.append("lost: segment \(Self.list(report.lost))") }
        if report.exportedTo > 0 { lines.append("exported: up to segment \(report.exportedTo)") }
        return lines
    }

    private func text(_ report: AuditReport, _ isWell: Bool) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("well", isWell)
        writer.member("records", report.records)
        writer.member("repairs", report.repairs)
        writer.member("sequence", report.sequence)
        writer.member("digest", report.digest)
        writer.member("first", report.first)
        writer.member("last", report.last)
        writer.member("octets", report.octets)
        writer.member("exportedTo", report.exportedTo)
        writer.member("droppedTo", report.droppedTo)
        writer.member("beginningMissing", report.isBeginningMissing)
        for (name, numbers) in [("setAside", report.setAside), ("setAsideMissing", report.setAsideMissing), ("lost", report.lost)] {
            writer.name(name)
            writer.beginArray()
            for number in numbers { writer.integer(number) }
            writer.endArray()
        }
        if let line = report.badLine, let fault = report.fault {
            writer.member("fault", fault.rawValue)
            writer.member("badFile", report.badFile ?? "")
            writer.member("badLine", line)
        }
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private static func list(_ numbers: [UInt32]) -> String { numbers.map(String.init).joined(separator: ", ") }
}
