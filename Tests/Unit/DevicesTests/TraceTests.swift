import BoardTestSupport
import Foundation
import Linux
import Testing

@testable import Devices

private func octets(_ path: String) -> [UInt8] { (FileManager.default.contents(atPath: path)).map { [UInt8]($0) } ?? [] }

private func mode(_ path: String) -> mode_t {
    var facts = stat()
    return lstat(path, &facts) == 0 ? facts.st_mode & 0o7777 : 0
}

private func record(_ packet: [UInt8], _ direction: BTSnoop.Direction, at now: UInt64 = Clock.monotonic(), in trace: Trace) {
    packet.withUnsafeBytes { trace.record($0, direction, at: now) }
}

private final class Lines {
    var all: [String] = []
}

private func bigEndian(_ octets: ArraySlice<UInt8>) -> UInt64 { octets.reduce(0) { $0 << 8 | UInt64($1) } }

@Test("a trace is a btsnoop file that only its owner reads")
func traceFile() throws {
    let stage = Stage(), path = stage.path("trace")
    let trace = try Trace(path) { _ in }
    #expect(mode(path) == 0o600)
    #expect(octets(path) == Array("btsnoop\0".utf8) + [0, 0, 0, 1, 0, 0, 3, 0xEA])
    let before = Clock.wall() / 1000
    record(reset, .sent, in: trace)
    record([0x02, 0x40, 0x20, 8, 0, 4, 0, 4, 0, 0x52, 0x21, 0, 0xA5], .received, in: trace)
    #expect(octets(path).count == 16)
    trace.flush()
    let first = octets(path)[16...], second = first.dropFirst(28)
    #expect(first.count == 24 + 4 + 24 + 13)
    #expect(Array(first.prefix(16)) == [0, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0, 2, 0, 0, 0, 0])
    #expect(Array(first.dropFirst(24).prefix(4)) == reset)
    #expect(Array(second.prefix(16)) == [0, 0, 0, 13, 0, 0, 0, 13, 0, 0, 0, 1, 0, 0, 0, 0])
    #expect(Array(second.dropFirst(24)) == [0x02, 0x40, 0x20, 8, 0, 4, 0, 4, 0, 0x52, 0x21, 0, 0])
    let time = bigEndian(first.dropFirst(16).prefix(8)) &- 0x00DC_DDB3_0F2F_8000
    #expect(before &- 1000 <= time && time <= Clock.wall() / 1000 &+ 1000)
    trace.close()
    trace.close()
    record(reset, .sent, in: trace)
    #expect(octets(path).count == 16 + 65)
}

@Test("time follows the monotonic clock")
func traceTime() throws {
    let stage = Stage(), path = stage.path("trace")
    let trace = try Trace(path) { _ in }
    for now in [5_000_000, 7_001_000, 7_001_999] as [UInt64] { record(reset, .sent, at: now, in: trace) }
    trace.close()
    let file = octets(path)
    let times = (0..<3).map { bigEndian(file[(16 + 28 * $0 + 16)..<(16 + 28 * $0 + 24)]) }
    #expect(times[1] - times[0] == 2001 && times[2] == times[1])
}

@Test("an earlier trace is kept, once")
func earlierTrace() throws {
    let stage = Stage(), path = stage.path("trace")
    for round in 0..<3 {
        let trace = try Trace(path) { _ in }
        for _ in 0..<round { record(reset, .sent, in: trace) }
        trace.close()
        #expect(octets(path).count == 16 + 28 * round)
        if round > 0 { #expect(octets(path + ".old").count == 16 + 28 * (round - 1)) }
    }
    // What a full disk left.
    try Data().write(to: URL(fileURLWithPath: path))
    _ = try Trace(path) { _ in }
    #expect(octets(path).count == 16 && octets(path + ".old") == [])
}

@Test("what is no trace is left alone")
func somethingElse() throws {
    let stage = Stage(), path = stage.path("trace"), other = stage.path("other")
    for content in ["a", "btsnoop", "btsnoop.", "BTSNOOP\0"] {
        try content.write(toFile: path, atomically: false, encoding: .utf8)
        #expect(throws: TraceError.notTrace) { try Trace(path) { _ in } }
        #expect(octets(path) == Array(content.utf8))
        unlink(path)
    }
    // A link to a trace, a link to nothing, a pipe, a folder, a device.
    _ = try Trace(other) { _ in }
    for target in [other, stage.path("absent")] {
        #expect(symlink(target, path) == 0)
        #expect(throws: TraceError.notTrace) { try Trace(path) { _ in } }
        unlink(path)
    }
    #expect(octets(other).count == 16 && access(stage.path("absent"), F_OK) != 0)
    #expect(mkfifo(path, 0o600) == 0)
    #expect(throws: TraceError.notTrace) { try Trace(path) { _ in } }
    unlink(path)
    #expect(mkdir(path, 0o700) == 0)
    #expect(throws: TraceError.notTrace) { try Trace(path) { _ in } }
    #expect(throws: TraceError.notTrace) { try Trace("/dev/null") { _ in } }
    #expect(throws: TraceError.notFound) { try Trace(stage.path("no/such")) { _ in } }
    #expect(throws: TraceError.notFound) { try Trace("") { _ in } }
}

@Test("a trace that is full ends with one line and a whole record")
func fullTrace() throws {
    let stage = Stage(), path = stage.path("trace"), lines = Lines()
    let trace = try Trace(path, limit: 16 + 28 * 3 + 27) { lines.all.append($0) }
    for _ in 0..<10 { record(reset, .sent, in: trace) }
    trace.flush()
    #expect(octets(path).count == 16 + 28 * 3)
    #expect(lines.all == ["the trace ends: it has reached 64 MiB"])
}

@Test("more than the buffer holds is written in whole records, in order")
func longTrace() throws {
    let stage = Stage(), path = stage.path("trace")
    let trace = try Trace(path) { _ in }
    for number in 0..<5000 { record([0x01, 0x05, 0x20, 2, UInt8(number & 0xFF), UInt8(number >> 8)], .sent, in: trace) }
    trace.close()
    let file = octets(path)
    #expect(file.count == 16 + 30 * 5000)
    for number in 0..<5000 {
        let last = 16 + 30 * number + 29
        let found = Int(file[last - 1]) + Int(file[last]) * 256
        if found != number { Issue.record("record \(number) is \(found)") }
    }
}

#if DEBUG
    @Test("a development build can show everything")
    func traceWithSecrets() throws {
        let stage = Stage(), path = stage.path("trace")
        let trace = try Trace(withSecrets: path) { _ in }
        record([0x02, 0x40, 0x20, 8, 0, 4, 0, 4, 0, 0x52, 0x21, 0, 0xA5], .received, in: trace)
        trace.close()
        #expect(octets(path).last == 0xA5)
    }
#endif
