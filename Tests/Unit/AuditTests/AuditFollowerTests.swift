import BoardTestSupport
import Foundation
import Testing

@testable import Audit

/// The number of a record, or minus the octets of what is none.
private func number(_ line: AuditFollower.Line) -> Int64 {
    switch line {
    case .record(let octets): Int64(clamping: AuditLine(octets[...])?.sequence ?? 0)
    case .damaged(let count): -Int64(count)
    }
}

private func numbers(_ lines: [AuditFollower.Line]) -> [Int64] { lines.map(number) }

private func taken(_ follower: AuditFollower) throws -> [Int64] {
    var lines: [Int64] = []
    let goesOn = try follower.take {
        lines.append(number($0))
        return true
    }
    #expect(goesOn)
    return lines
}

private func visit() -> AuditRecord {
    var record = AuditRecord(event: "visit")
    record.add("reasons", .codes([String](repeating: "issuer-unknown", count: 170)))
    return record
}

@Test func theLastRecordsComeFromAllSegments() throws {
    var log = MadeLog()
    for at in 1...4 as ClosedRange<UInt64> { try log.add("visit", at: at) }
    try log.seal(at: 5)
    try log.seal(at: 6)
    try log.add("visit", at: 7)
    try log.close()
    for (count, expected) in [
        (0, []), (1, [7]), (2, [6, 7]), (4, [4, 5, 6, 7]), (7, [1, 2, 3, 4, 5, 6, 7]), (1000, [1, 2, 3, 4, 5, 6, 7]),
    ] as [(Int, [Int64])] {
        #expect(try numbers(AuditFollower(log.path, last: count).last) == expected)
    }
    #expect(throws: AuditError.notFound) { try AuditFollower(log.stage.path("other.jsonl"), last: 1) }
    // A copy has no current segment.
    try log.stage.remove("audit.jsonl")
    #expect(try numbers(AuditFollower(log.path, last: 2).last) == [4, 5])
}

@Test func linesThatAreNoRecordsAreSaid() throws {
    var log = MadeLog()
    try log.add("visit", at: 1)
    log.damage("nothing\n\t{}\n" + String(repeating: "x", count: 5000) + "\n")
    try log.add("visit", at: 2)
    log.damage("{\"seq\":3")
    try log.close()
    let follower = try AuditFollower(log.path, last: 10)
    // What is torn may be a line that is being written.
    #expect(numbers(follower.last) == [1, -7, -3, -5000, 2])
    #expect(try taken(follower) == [])
}

@Test func aLineIsReadWhenItIsWhole() throws {
    let stage = Stage(), made = Stage()
    let source = try AuditLog(made.path("audit.jsonl"))
    for _ in 0..<3 { try source.append(visit()) }
    let octets = [UInt8](try Data(contentsOf: URL(fileURLWithPath: made.path("audit.jsonl"))))
    let ends = octets.indices.filter { octets[$0] == 0x0A }.map { $0 + 1 }
    try stage.put(octets[..<(ends[0] + 10)], "audit.jsonl")
    // The same file all the time, as a gate has it open.
    let file = open(stage.path("audit.jsonl"), O_WRONLY | O_CLOEXEC)
    defer { close(file) }
    func put(_ end: Int) { octets.withUnsafeBytes { _ = pwrite(file, $0.baseAddress, end, 0) } }
    let follower = try AuditFollower(stage.path("audit.jsonl"), last: 5)
    #expect(numbers(follower.last) == [1])
    put(ends[1] - 1)
    #expect(try taken(follower) == [])
    put(ends[1])
    #expect(try taken(follower) == [2])
    // What was cut off again, and written anew.
    ftruncate(file, off_t(ends[0]))
    #expect(try taken(follower) == [])
    put(ends[2])
    #expect(try taken(follower) == [2, 3])
}

/// Segments that are sealed between two looks, one or several: every record once, in order.
@Test(arguments: [1, 7, 30, 90]) func followingGoesOnOverSegments(step: Int) throws {
    let stage = Stage()
    let path = stage.path("audit.jsonl")
    let log = try AuditLog(path, limits: AuditLimits(segment: 65_536, total: 100 * 65_536))
    try log.append(visit())
    let follower = try AuditFollower(path, last: 1)
    var found = numbers(follower.last)
    for number in 1...90 {
        try log.append(visit())
        if number % step == 0 { found += try taken(follower) }
    }
    #expect(log.segment > 3)
    found += try taken(follower)
    #expect(found == Array(1...Int64(log.sequence)))
}

@Test func followingGoesOnAfterADamageAndANewStart() throws {
    let stage = Stage()
    let path = stage.path("audit.jsonl")
    func opened() throws -> AuditLog {
        for _ in 0..<1000 {
            do { return try AuditLog(path) } catch AuditError.lockedByAnother { usleep(1000) }
        }
        return try AuditLog(path)
    }
    var log = try opened()
    for _ in 0..<3 { try log.append(visit()) }
    let follower = try AuditFollower(path, last: 0)
    #expect(follower.last.isEmpty)
    log.close()
    let handle = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    try handle.seekToEnd()
    try handle.write(contentsOf: Data("one\ntwo\nthree\nfo".utf8))
    try handle.close()
    log = try opened()
    #expect(log.segment == 2)
    try log.append(visit())
    // The damage, then the record that names it, and the visit.
    #expect(try taken(follower) == [-3, -3, -5, -2, 4, 5])
    // The log is taken away, and begins anew.
    log.close()
    for name in stage.files.keys { try stage.remove(name) }
    #expect(try taken(follower) == [])
    log = try opened()
    try log.append(visit())
    #expect(try taken(follower) == [1])
}

@Test func whoHasHeardEnoughIsToldNoMore() throws {
    let log = MadeLog()
    try log.close()
    let follower = try AuditFollower(log.path, last: 0)
    let file = open(log.path, O_WRONLY | O_APPEND | O_CLOEXEC)
    defer { close(file) }
    _ = "a\nbb\nccc\n".withCString { write(file, $0, 9) }
    var heard: [Int64] = []
    let goesOn = try follower.take {
        heard.append(number($0))
        return heard.count < 2
    }
    #expect(!goesOn && heard == [-1, -2])
    #expect(try taken(follower) == [-3])
}
