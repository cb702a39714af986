import Glibc

@testable import Audit

/// What a disk may hold when the gate starts: its log, as it was or as it was torn.
func fuzzAudit(_ octets: UnsafeBufferPointer<UInt8>) {
    let descriptor = log.descriptor
    ftruncate(descriptor, 0)
    guard pwrite(descriptor, octets.baseAddress, octets.count, 0) == octets.count else { return }
    let tail = try? AuditTail(descriptor: descriptor, size: off_t(octets.count))
    guard let report = try? AuditReport(checking: log.path) else { return require(false, "a log can be checked") }
    fuzzStatistics(octets, report)
    guard let tail else { return }
    require(tail.end >= 0 && tail.end <= off_t(octets.count), "the end lies in the log")
    require(tail.end == 0 || octets[Int(tail.end) - 1] == UInt8(ascii: "\n"), "the end is the end of a line")
    if report.fault == nil, tail.end == off_t(octets.count) {
        require(report.sequence == tail.chain.sequence && report.digest == tail.chain.digest, "end and whole agree")
    }
}

/// The same octets as an operator asks about them: what is counted, drawn and shown.
private func fuzzStatistics(_ octets: UnsafeBufferPointer<UInt8>, _ report: AuditReport) {
    guard let found = try? AuditStatistics(of: log.path) else { return require(false, "a log can be counted") }
    require(found.octets == UInt64(octets.count), "every octet is looked at")
    require(found.records >= report.records, "what chains is counted")
    require(report.fault != nil || (found.damagedLines == 0 && found.missing == 0 && found.repeated == 0), "a whole log has no doubts")
    require(found.visits == found.accepted + found.rejected + found.withoutVerdict, "every visit has one outcome")
    require(AuditChart(found).svg.hasSuffix("</svg>\n"), "a picture has an end")
    for line in octets.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
        let line = [UInt8](line)
        var scanner = AuditScanner(), fast = AuditEntry(), slow = AuditEntry()
        guard scanner.read(line.span, into: &fast) else { continue }
        guard AuditScanner.readAny(line, into: &slow) != nil else { return require(false, "the fast way takes records alone") }
        require(fast.sequence == slow.sequence && fast.reasons.count == slow.reasons.count, "both ways read the same")
        for member in AuditEntry.Member.allCases { require(fast.number(member) == slow.number(member), "both ways read the same") }
    }
    guard let follower = try? AuditFollower(log.path, last: 10) else { return require(false, "a log can be shown") }
    require(follower.last.count <= 10, "no more than were asked for")
}

/// A log of one segment in a folder of its own, which goes at the end.
private let log: (path: String, descriptor: Int32) = {
    var template = Array("/tmp/gatehouse-fuzz-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { fatalError("no folder for a log: errno \(errno)") }
    let folder = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    atexit {
        unlink(log.path)
        rmdir(String(log.path.dropLast("/audit.jsonl".count)))
    }
    let path = folder + "/audit.jsonl"
    return (path, open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600))
}()

/// The first lines of a log.
func auditLines(_ count: UInt64) -> [[UInt8]] {
    var previous = AuditLine.firstPrevious
    var lines: [[UInt8]] = []
    for sequence in 1...count {
        do {
            let line = try AuditLine.compose(
                AuditRecord(event: "started"), sequence: sequence, previous: previous, at: 1_800_000_000_000_000_000, up: 1)
            previous = try AuditLine.digest(line.dropLast())
            lines.append(line)
        } catch {
            fatalError("\(error)")
        }
    }
    return lines
}

/// As a record names the one before it.
func auditDigest(_ line: [UInt8]) -> String {
    do { return try AuditLine.digest(line[...]) } catch { fatalError("\(error)") }
}
