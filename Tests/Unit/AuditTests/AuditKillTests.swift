import BoardTestSupport
import Foundation
import Linux
import Testing

@testable import Audit

/// The child of the tests below: this program again, told by its environment what to do.
@Test(.enabled(if: ProcessInfo.processInfo.environment["GATEHOUSE_AUDIT_CHILD"] != nil))
func auditChild() throws {
    let environment = ProcessInfo.processInfo.environment
    let path = try #require(environment["GATEHOUSE_AUDIT_CHILD"])
    if let limit = environment["GATEHOUSE_AUDIT_LIMIT"].flatMap({ UInt($0) }) {
        _ = try Signals()
        var limits = rlimit(rlim_cur: limit, rlim_max: limit)
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limits)
    }
    let log: AuditLog
    do throws(AuditError) {
        log = try AuditLog(path, limits: AuditLimits(segment: 65_536))
    } catch {
        Words.output.write("refused to open: \(error)\n")
        return
    }
    for number in 0..<Int64.max {
        var record = AuditRecord(event: "visit")
        record.add("number", .number(number))
        do throws(AuditError) {
            try log.append(record)
        } catch {
            let whole = try Data(contentsOf: URL(fileURLWithPath: path))
            Words.output.write("refused: \(error), ends with newline: \(whole.last == 10)\n")
            return
        }
        // Only what has been promised is printed.
        Words.output.write("promised \(log.sequence)\n")
    }
}

private func child(_ path: String, limit: Int? = nil) throws -> (Process, Pipe) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    var arguments = Array(CommandLine.arguments.dropFirst())
    if let filter = arguments.firstIndex(of: "--filter") { arguments.removeSubrange(filter...min(filter + 1, arguments.count - 1)) }
    process.arguments = arguments + ["--filter", "auditChild"]
    var environment = ProcessInfo.processInfo.environment
    environment["GATEHOUSE_AUDIT_CHILD"] = path
    environment["GATEHOUSE_AUDIT_LIMIT"] = limit.map { String($0) }
    process.environment = environment
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    try process.run()
    return (process, pipe)
}

@Suite(.serialized, .enabled(if: ProcessInfo.processInfo.environment["GATEHOUSE_AUDIT_CHILD"] == nil))
struct AuditKillTests {
    /// SIGKILL at 12 arbitrary moments of one log: every promised record is there, and the chain is whole.
    @Test func killsAtAnyMomentLoseNothingPromised() throws {
        let stage = Stage()
        let path = stage.path("audit.jsonl")
        for round in 0..<12 {
            let (process, pipe) = try child(path)
            let output = pipe.fileHandleForReading.fileDescriptor
            // However long it takes: a child that ended instead can be read from as well.
            #expect(awaitReadable(output, milliseconds: -1))
            usleep(UInt32(1000 + round * 1700))
            kill(process.processIdentifier, SIGKILL)
            let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            #expect(process.terminationReason == .uncaughtSignal)
            let promised = text.split(separator: "\n", omittingEmptySubsequences: true).dropLast(text.hasSuffix("\n") ? 0 : 1)
                .filter { $0.hasPrefix("promised ") }.compactMap { UInt64($0.dropFirst(9)) }.last
            let log = try AuditLog(path)
            #expect(log.sequence >= (promised ?? 0))
            log.close()
            let report = try AuditReport(checking: path)
            #expect(report.fault == nil)
            #expect(report.records == log.sequence)
        }
        #expect(try AuditReport(checking: path).records > 12)
    }

    /// A file that may not grow any further is the nearest thing to a full disk that needs no mount.
    @Test func aFullDiskIsSaidAndLeavesWholeLines() throws {
        let stage = Stage()
        let path = stage.path("audit.jsonl")
        let (process, pipe) = try child(path, limit: 5000)
        let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(text.contains("refused: the disk is full, ends with newline: true"))
        let report = try AuditReport(checking: path)
        #expect(report.fault == nil && report.records > 10)
        let log = try AuditLog(path)
        #expect(log.removedOctets == 0)
        try log.append(AuditRecord(event: "started"))
    }

    /// A repair needs room, too. Without it the torn line stays, so that the cut is recorded when there is.
    @Test func aRepairWithoutRoomForgetsNothing() throws {
        let stage = Stage()
        let path = stage.path("audit.jsonl")
        let log = try AuditLog(path)
        for _ in 0..<3 { try log.append(AuditRecord(event: "started")) }
        log.close()
        let good = try Data(contentsOf: URL(fileURLWithPath: path))
        for torn in [1, 30, 90] {
            try (good + Data(repeating: 0x7B, count: torn)).write(to: URL(fileURLWithPath: path))
            let (process, pipe) = try child(path, limit: good.count + 40)
            let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            #expect(text.contains("refused: the disk is full"))
            #expect(try AuditReport(checking: path).fault == .torn)
            try AuditLog(path).close()
            let report = try AuditReport(checking: path)
            #expect(report.fault == nil && report.records == 4 && report.repairs == 1)
        }
    }
}
