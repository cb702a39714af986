@testable import Board
import Glibc

/// What a disk may hold when the gate starts: its log, as it was or as it was torn.
func fuzzAudit(_ octets: UnsafeBufferPointer<UInt8>) {
    ftruncate(descriptor, 0)
    guard pwrite(descriptor, octets.baseAddress, octets.count, 0) == octets.count else { return }
    let tail = try? AuditTail(descriptor: descriptor, size: off_t(octets.count))
    guard let report = try? AuditReport(checking: "/proc/self/fd/\(descriptor)") else { return require(false, "a log can be checked") }
    guard let tail else { return }
    require(tail.end >= 0 && tail.end <= off_t(octets.count), "the end lies in the log")
    require(tail.end == 0 || octets[Int(tail.end) - 1] == UInt8(ascii: "\n"), "the end is the end of a line")
    if report.fault == nil, tail.end == off_t(octets.count) {
        require(report.sequence == tail.chain.sequence && report.digest == tail.chain.digest, "end and whole agree")
    }
}

/// A file without a name, which goes with the process.
private let descriptor: Int32 = {
    var path = Array("/tmp/gatehouse-fuzz-XXXXXX".utf8CString)
    let descriptor = mkstemp(&path)
    unlink(path)
    return descriptor
}()

/// The first lines of a log.
func auditLines(_ count: UInt64) -> [[UInt8]] {
    var previous = AuditLine.firstPrevious
    var lines: [[UInt8]] = []
    for sequence in 1...count {
        do {
            let line = try AuditLine.compose(AuditRecord(event: "started"), sequence: sequence, previous: previous, at: 1_800_000_000_000_000_000, up: 1)
            previous = try AuditLine.digest(line.dropLast())
            lines.append(line)
        } catch {
            fatalError("\(error)")
        }
    }
    return lines
}
