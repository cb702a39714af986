import BoardTestSupport
import Doctor
import Foundation
import Testing

@testable import Audit

/// A small ext4 of its own, which can be full. Needs root, mkfs.ext4 and a loop device.
private final class SmallDisk {
    let stage = Stage()
    var folder: String { stage.path("disk") }
    private var isMounted = false

    init?(megabytes: Int = 24) {
        guard geteuid() == 0 else { return nil }
        let image = stage.path("image")
        guard Self.run("truncate", "-s", "\(megabytes)M", image), Self.run("mkfs.ext4", "-q", "-F", image), mkdir(folder, 0o700) == 0,
            Self.run("mount", "-o", "loop", image, folder)
        else { return nil }
        isMounted = true
    }

    deinit { if isMounted { _ = Self.run("umount", "--lazy", folder) } }

    /// Another program's file, as long as the disk lets it be.
    func fill() {
        let file = open(folder + "/fill", O_WRONLY | O_CREAT, 0o600)
        defer { close(file) }
        for size in [65_536, 1024] {
            let octets = [UInt8](repeating: 0, count: size)
            while write(file, octets, size) == size {}
        }
    }

    func clear() { unlink(folder + "/fill") }

    private static func run(_ words: String...) -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = words
        process.standardError = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }
}

private func record(_ number: Int64) -> AuditRecord {
    var record = AuditRecord(event: "visit")
    record.add("number", .number(number))
    record.add("reasons", .codes([String](repeating: "issuer-unknown", count: 170)))
    return record
}

private func opened(_ path: String, _ limits: AuditLimits) throws -> AuditLog {
    for _ in 0..<1000 {
        do { return try AuditLog(path, limits: limits) } catch AuditError.lockedByAnother { usleep(1000) }
    }
    return try AuditLog(path, limits: limits)
}

@Suite(.serialized, .enabled(if: SmallDisk() != nil, "needs root, mkfs.ext4 and a loop device"))
struct AuditDiskTests {
    private let limits = AuditLimits(segment: 1 << 20, total: 16 << 20)

    @Test("a disk that others fill leaves room for the rest of the segment and all of the next")
    func roomIsKept() throws {
        let disk = try #require(SmallDisk())
        let path = disk.folder + "/audit.jsonl"
        var log = try opened(path, limits)
        try log.append(record(0))
        log.attend()
        disk.fill()
        var written = 1
        while log.state == .writable {
            try log.append(record(Int64(written)))
            written += 1
        }
        // Two segments, but for the last record's length.
        let length = Int64(3100)
        #expect(Int64(written) * length > 2 * limits.segment - 40 * length && log.segment == 2, "\(written) records")
        #expect(log.state == .full(.diskFull))
        log.close()
        // A start on the full disk, and room again.
        log = try opened(path, limits)
        #expect(log.state == .full(.diskFull))
        log.attend()
        #expect(log.state == .full(.diskFull))
        disk.clear()
        log.attend()
        #expect(log.state == .writable)
        try log.append(record(1))
        let report = try AuditReport(checking: path)
        #expect(report.fault == nil && (UInt64(written) + 3...UInt64(written) + 4).contains(report.records))
    }

    @Test("a first start on a full disk has its record when there is room")
    func firstStart() throws {
        let disk = try #require(SmallDisk())
        let path = disk.folder + "/audit.jsonl"
        disk.fill()
        let log = try opened(path, limits)
        #expect(log.state == .full(.diskFull))
        log.begin(AuditRecord(event: "started"))
        #expect(log.state == .full(.diskFull) && log.sequence == 0)
        #expect(throws: AuditError.diskFull) { try log.append(record(1)) }
        disk.clear()
        log.attend()
        #expect(log.state == .writable && log.sequence == 2)
        let text = String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
        #expect(text.split(separator: "\n").first?.hasSuffix("\"event\":\"started\"}") == true)
    }

    /// 256 MiB are asked for, and the disk has 24 at the most.
    private func large(disk: SmallDisk, _ whenFull: AuditLimits.WhenFull) throws -> AuditLog {
        try opened(disk.folder + "/audit.jsonl", AuditLimits(segment: 1 << 20, total: 256 << 20, whenFull: whenFull))
    }

    @Test("on a disk smaller than the bound the oldest go where the operator says so")
    func smallDiskDrops() throws {
        let disk = try #require(SmallDisk(megabytes: 12))
        let log = try large(disk: disk, .dropOldest)
        for number in 0..<6000 {
            try log.append(record(Int64(number)))
            if number % 40 == 0 { log.attend() }
            #expect(log.state == .writable)
            // Another one, who takes all that is left at every moment.
            if number == 3000 { disk.fill() }
        }
        let report = try AuditReport(checking: log.path)
        #expect(report.fault == nil && report.droppedTo == report.first - 1 && report.first > 8 && !report.isBeginningMissing)
        #expect(report.sequence == log.sequence)
    }

    @Test("on a disk smaller than the bound an export helps, though the disk is full")
    func smallDiskIsExported() throws {
        let disk = try #require(SmallDisk()), stick = Stage()
        var log = try large(disk: disk, .stop)
        var told: [AuditNews] = []
        let limits = AuditLimits(segment: 1 << 20, total: 256 << 20)
        var open: [(said: DoctorReport.Row?, fill: Int)] = []
        while log.state == .writable {
            let before = log.segment
            try log.append(record(1))
            log.attend()
            told += log.takeNews()
            guard log.segment > before, log.fill >= 95 || log.segment == 7 else { continue }
            // It has asked the disk before it took room for the next segment.
            log.attend()
            open.append((AuditSection.examine(log.path, limits: limits).rows.first { $0.name == "room" }, log.fill))
        }
        // Past seven eighths of the disk the gate is open as long as there is room, and `doctor` does not say otherwise.
        #expect(open.contains { $0.fill >= 100 && $0.said?.state == .note } && open.allSatisfy { $0.said?.state != .trouble })
        #expect(open.allSatisfy { $0.said?.value.contains("\($0.fill) % of the room") == true }, "as the gate counts it: \(open)")
        #expect(log.state == .full(.diskFull) && told.count == 3, "\(log.state) \(told)")
        // `doctor` asks the disk as the gate does.
        let room = AuditSection.examine(log.path, limits: limits).rows.first { $0.name == "room" }
        #expect(
            room?.code == "audit-full" && room?.value.hasSuffix("the disk has no room for another record: nobody can enter") == true,
            "\(room.map { "\($0)" } ?? "no row"), \(log.fill)")
        disk.fill()
        log.close()
        log = try large(disk: disk, .stop)
        #expect(log.state == .full(.diskFull))
        let before = try AuditReport(checking: log.path)
        let export = try AuditExport(of: log.path, into: stick.path("gate"))
        #expect(export.marked == log.segment - 1)
        log.attend()
        #expect(log.state == .writable && log.exported == export.marked)
        try log.append(record(2))
        let report = try AuditReport(checking: log.path)
        #expect(report.fault == nil && report.sequence > before.sequence && report.first > 1 && !report.isBeginningMissing)
        // What was not exported yet stays.
        #expect(report.last == log.segment)
    }
}
