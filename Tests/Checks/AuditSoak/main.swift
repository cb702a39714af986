// A million visits in the audit log: bounded disk, one chain over all segments, and what a record costs. It fails where the disk takes more
// than the bound, where the chain does not hold, or where memory grows; times are printed, not judged.
//
//     audit-soak FOLDER [VISITS]
//     audit-soak --statistics FOLDER [RECORDS]
//
// The second counts the records of a log, a million of them (StatisticsSoak).

import Audit
import Glibc
import Linux
import ResidentMemory

var arguments = CommandLine.arguments
let isOfStatistics = arguments.count > 1 && arguments[1] == "--statistics"
if isOfStatistics { arguments.remove(at: 1) }
guard arguments.count > 1 else {
    print("audit-soak [--statistics] FOLDER [VISITS]")
    exit(2)
}
let folder = arguments[1]
let visits = arguments.count > 2 ? Int(arguments[2]) ?? 1_000_000 : 1_000_000
let path = folder + "/audit.jsonl"

/// Octets the folder's files take from the disk.
func used() -> Int64 {
    guard let handle = opendir(folder) else { return 0 }
    defer { closedir(handle) }
    var octets: Int64 = 0
    while let entry = readdir(handle) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
            $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        var facts = stat()
        if lstat(folder + "/" + name, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG { octets += Int64(facts.st_blocks) * 512 }
    }
    return octets
}

/// A record as an accepted visit makes it.
func visit(_ number: Int) -> AuditRecord {
    var record = AuditRecord(event: "visit")
    record.add("visit", .number(Int64(number)))
    record.add("outcome", .code("accepted"))
    record.add("form", .code("sd_jwt"))
    record.add("issuer", .code("https://issuer.example/credentials"))
    record.add("bundle", .number(12))
    record.add("status", .code("good"))
    record.add("holder", .code("bound"))
    record.add("face", .code("match"))
    record.add("faceBin", .code("far-above"))
    record.add("faceFrames", .number(4))
    record.add("faceMs", .number(612))
    for (name, value) in [
        ("mtu", 517), ("chunks", 41), ("checksumFailures", 0), ("sizeClass", 14), ("identifiedMs", 9), ("receivedMs", 74), ("openedMs", 74),
        ("decidedMs", 701),
    ] {
        record.add(name, .number(Int64(value)))
    }
    return record
}

/// One run: `visits` records under a bound.
func run(_ limits: AuditLimits) throws(AuditError) {
    var log = try AuditLog(path, limits: limits)
    var times: [UInt32] = []
    times.reserveCapacity(visits)
    var most: Int64 = 0
    var memory = 0
    let begin = Clock.monotonic()
    for number in 0..<visits {
        let before = Clock.monotonic()
        try log.append(visit(number))
        times.append(UInt32(clamping: (Clock.monotonic() - before) / 1000))
        guard log.state == .writable else { fail("\(log.state) after \(number) visits") }
        if number % 1000 == 0 { log.attend() }
        if number % 10_000 == 0 {
            most = max(most, used())
            guard most <= limits.total + 65_536 else { fail("\(most) octets on the disk, \(limits.total) are allowed") }
            // A restart in between, as a gate has them.
            if number % 100_000 == 0 {
                log.close()
                log = try AuditLog(path, limits: limits)
            }
        }
        if number == visits / 10 { memory = residentMemory() / 1024 }
    }
    let seconds = Double(Clock.monotonic() - begin) / 1e9
    let grown = residentMemory() / 1024 - memory
    log.close()
    let report = try AuditReport(checking: path)
    guard report.fault == nil, !report.isBeginningMissing, report.sequence > UInt64(visits) || report.first == 1 else {
        fail("the chain: \(report)")
    }
    times.sort()
    func at(_ part: Double) -> UInt32 { times[min(times.count - 1, Int(Double(times.count) * part))] }
    print(
        "\(visits) visits in \(Int(seconds)) s, \(log.segment) segments, bound \(limits.total >> 20) MiB: \(most >> 20) MiB at most on the disk"
    )
    print(
        "chain whole: \(report.records) records in segments \(report.first) to \(report.last), \(report.octets / Int64(max(1, report.records))) octets each"
    )
    print("append: median \(at(0.5)) us, 99.9 % \(at(0.999)) us, worst \(times.last ?? 0) us; memory \(grown) kB more than after a tenth")
    // The times themselves are 4 octets a visit, allocated before.
    guard grown < 4 * visits / 1000 + 8192 else { fail("memory grew by \(grown) kB") }
}

do {
    if isOfStatistics {
        try StatisticsSoak(folder: folder, records: visits).run()
    } else {
        try run(AuditLimits(total: 64 << 20, whenFull: .dropOldest))
    }
} catch {
    fail("\(error)")
}
