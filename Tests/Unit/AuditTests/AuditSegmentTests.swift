import BoardTestSupport
import Doctor
import Foundation
import Linux
import Testing

@testable import Audit

/// The smallest segments there are, of 20 records.
private func limits(_ segments: Int64 = 6, _ whenFull: AuditLimits.WhenFull = .stop) -> AuditLimits {
    AuditLimits(segment: 65_536, total: segments * 65_536, whenFull: whenFull)
}

/// A record of about 3 kB, so that a segment is soon full.
private func large(_ number: Int64) -> AuditRecord {
    var record = AuditRecord(event: "visit")
    record.add("number", .number(number))
    record.add("reasons", .codes([String](repeating: "issuer-unknown", count: 170)))
    return record
}

private func opened(_ path: String, _ limits: AuditLimits, watch: AuditFolder.Watch? = nil) throws -> AuditLog {
    for _ in 0..<1000 {
        do { return try AuditLog(path, limits: limits, watch: watch) } catch AuditError.lockedByAnother { usleep(1000) }
    }
    return try AuditLog(path, limits: limits, watch: watch)
}

private func names(_ stage: Stage) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: stage.folder).sorted()
}

/// What the log takes from the disk, in octets.
private func used(_ stage: Stage) throws -> Int64 {
    try names(stage).reduce(0) { sum, name in
        var facts = stat()
        stat(stage.path(name), &facts)
        return sum + Int64(facts.st_blocks) * 512
    }
}

/// All lines, in the order of the names.
private func lines(_ stage: Stage) throws -> [String] {
    try names(stage).filter { $0.hasSuffix(".jsonl") }.flatMap { name in
        String(decoding: try Data(contentsOf: URL(fileURLWithPath: stage.path(name))), as: UTF8.self).split(separator: "\n").map(
            String.init)
    }
}

private func export(_ stage: Stage, to segment: UInt32) throws {
    let name = "audit-0000000\(segment).jsonl"
    let last = try #require(
        String(decoding: try Data(contentsOf: URL(fileURLWithPath: stage.path(name))), as: UTF8.self).split(separator: "\n").last)
    let mark = AuditMark(segment: segment, digest: try AuditLine.digest(Array(last.utf8)[...]))
    try Data(mark.octets).write(to: URL(fileURLWithPath: stage.path("audit.exported")))
}

@Test func segmentsAreOneChainWhoseNamesSort() throws {
    let stage = Stage()
    let path = stage.path("audit.jsonl")
    let log = try opened(path, limits(100))
    for number in 0..<70 { try log.append(large(Int64(number))) }
    #expect(log.segment == 4)
    #expect(
        try names(stage).filter { $0.hasSuffix(".jsonl") } == [
            "audit-00000001.jsonl", "audit-00000002.jsonl", "audit-00000003.jsonl", "audit.jsonl",
        ])
    let all = try lines(stage)
    var previous = AuditLine.firstPrevious
    for (index, line) in all.enumerated() {
        #expect(line.hasPrefix("{\"seq\":\(index + 1),\"prev\":\"\(previous)\""))
        previous = try AuditLine.digest(Array(line.utf8)[...])
    }
    #expect(
        all.filter { $0.contains("\"event\":\"segment\"") }.map { $0.suffix(14) }
            == ["\",\"segment\":2}", "\",\"segment\":3}", "\",\"segment\":4}"].map { $0.suffix(14) })
    let report = try AuditReport(checking: path)
    #expect(report.records == UInt64(all.count) && report.fault == nil && report.digest == previous)
    #expect(report.segments == 4 && report.first == 1 && report.last == 4 && report.hasCurrent && !report.isBeginningMissing)
    // Sealed ones are never written again.
    let sealed = try Data(contentsOf: URL(fileURLWithPath: stage.path("audit-00000002.jsonl")))
    log.close()
    let again = try opened(path, limits(100))
    #expect(again.segment == 4 && again.sequence == UInt64(all.count) && again.takeNews() == [])
    for number in 0..<30 { try again.append(large(Int64(number))) }
    #expect(try Data(contentsOf: URL(fileURLWithPath: stage.path("audit-00000002.jsonl"))) == sealed)
    #expect(try AuditReport(checking: path).fault == nil)
}

@Test func aFullLogStopsAndGoesOnWhenItIsExported() throws {
    let stage = Stage()
    let path = stage.path("audit.jsonl")
    var log = try opened(path, limits())
    var told: [AuditNews] = []
    var written: Int64 = 0
    func room() -> DoctorReport.Row? { AuditSection.examine(path, limits: limits()).rows.first { $0.name == "room" } }
    var states: Set<DoctorReport.State?> = []
    while log.state == .writable {
        try log.append(large(written))
        log.attend()
        if log.state == .writable { states.insert(room()?.state) }
        told += log.takeNews()
        written += 1
        #expect(try used(stage) <= log.limits.total + 16_384)
    }
    #expect(log.state == .full(.logFull) && written > 70)
    // `doctor` says that nobody can enter when the gate does, and not before.
    #expect(states == [.ok, .note] && room()?.code == "audit-full" && room()?.value.hasSuffix(": nobody can enter") == true)
    #expect(told == [.filling(75), .filling(90)] || told.count == 3, "\(told)")
    for _ in 0..<3 { do { try log.append(large(0)) } catch AuditError.logFull {} }
    #expect(throws: AuditError.logFull) { try log.append(large(0)) }
    log.attend()
    #expect(log.state == .full(.logFull))
    log.close()
    // Also after a restart; and a mark of another log changes nothing.
    try Data(AuditMark(segment: 3, digest: AuditLine.firstPrevious).octets).write(to: URL(fileURLWithPath: stage.path("audit.exported")))
    log = try opened(path, limits())
    #expect(log.state == .full(.logFull))
    try export(stage, to: 2)
    log.attend()
    #expect(log.state == .writable)
    #expect(try lines(stage).last?.contains("\"event\":\"resumed\",\"after\":\"full\"") == true)
    for number in 0..<30 { try log.append(large(Int64(number))) }
    let dropped = try #require(try lines(stage).first { $0.contains("\"event\":\"dropped\"") })
    #expect(dropped.contains("\"from\":1,\"to\":1,") && dropped.hasSuffix("\"exported\":true}"))
    let report = try AuditReport(checking: path)
    #expect(report.fault == nil && (report.first == 2 || report.first == 3))
    #expect(report.droppedTo == report.first - 1 && !report.isBeginningMissing && report.exportedTo == 2)
}

@Test func theOldestGoWhereTheOperatorSaysSo() throws {
    let stage = Stage()
    let path = stage.path("audit.jsonl")
    let log = try opened(path, limits(5, .dropOldest))
    for number in 0..<300 {
        try log.append(large(Int64(number)))
        #expect(log.state == .writable)
        if number % 7 == 0 { log.attend() }
        #expect(try used(stage) <= log.limits.total + 16_384)
    }
    let report = try AuditReport(checking: path)
    #expect(report.fault == nil && report.first > 10 && report.droppedTo == report.first - 1 && !report.isBeginningMissing)
    let first = try #require(try lines(stage).first)
    let said = try #require(try lines(stage).last { $0.contains("\"event\":\"dropped\"") })
    let line = try #require(AuditLine(Array(first.utf8)[...]))
    #expect(said.contains("\"keptFrom\":\(line.sequence),\"digest\":\"\(line.previous)\",\"exported\":false}"))
    #expect(log.takeNews().contains { if case .dropped(_, _, isExported: false) = $0 { true } else { false } })
}

@Test func aSegmentThatIsMissingIsFoundOut() throws {
    let stage = Stage()
    let path = stage.path("audit.jsonl")
    let log = try opened(path, limits(100))
    for number in 0..<100 { try log.append(large(Int64(number))) }
    log.close()
    let second = try Data(contentsOf: URL(fileURLWithPath: stage.path("audit-00000002.jsonl")))
    unlink(stage.path("audit-00000002.jsonl"))
    var report = try AuditReport(checking: path)
    #expect(report.fault == .outOfSequence && report.badFile == stage.path("audit-00000003.jsonl") && report.badLine == 1)
    unlink(stage.path("audit-00000001.jsonl"))
    report = try AuditReport(checking: path)
    #expect(report.fault == nil && report.first == 3 && report.isBeginningMissing)
    // One under another's number.
    try second.write(to: URL(fileURLWithPath: stage.path("audit-00000001.jsonl")))
    report = try AuditReport(checking: path)
    #expect(report.fault == .outOfSequence && report.badFile == stage.path("audit-00000001.jsonl"))
}

@Test func aLogOfOneFileIsTakenOver() throws {
    let stage = Stage()
    let path = stage.path("audit.jsonl")
    let old = try opened(path, AuditLimits(segment: 1 << 20, total: 8 << 20))
    for number in 0..<200 { try old.append(large(Int64(number))) }
    old.close()
    unlink(stage.path("audit.lock"))
    unlink(stage.path("audit.next"))
    let octets = try Data(contentsOf: URL(fileURLWithPath: path))
    #expect(octets.count > 9 * 65_536)
    let log = try opened(path, limits(4))
    #expect(log.sequence == 200 && log.segment == 1)
    // Longer than all there may be: it is sealed as it is, and nothing of it goes before there is a copy.
    try log.append(large(200))
    #expect(log.segment == 2)
    #expect(try Data(contentsOf: URL(fileURLWithPath: stage.path("audit-00000001.jsonl"))) == octets)
    while log.state == .writable { try log.append(large(0)) }
    #expect(log.state == .full(.logFull) && log.fill >= 100)
    try export(stage, to: 1)
    log.attend()
    #expect(log.state == .writable)
    for number in 0..<20 { try log.append(large(Int64(number))) }
    #expect(!FileManager.default.fileExists(atPath: stage.path("audit-00000001.jsonl")))
    #expect(try AuditReport(checking: path).fault == nil)
}

@Test(arguments: ["gone", "empty"]) func aCurrentSegmentThatIsGoneIsOnRecord(how: String) throws {
    let stage = Stage()
    let path = stage.path("audit.jsonl")
    var log = try opened(path, limits(100))
    for number in 0..<50 { try log.append(large(Int64(number))) }
    let segment = log.segment
    log.close()
    if how == "gone" { unlink(path) } else { truncate(path, 0) }
    log = try opened(path, limits(100))
    #expect(log.takeNews() == [.lost(segment)] && log.state == .writable && log.segment == segment + 1)
    try log.append(large(1))
    let report = try AuditReport(checking: path)
    #expect(report.fault == nil && report.lost == [segment])
    log.close()
    #expect(try opened(path, limits(100)).takeNews() == [])
}

@Test func theCurrentSegmentIsSealedWhenSomebodyAsks() throws {
    let stage = Stage()
    let path = stage.path("audit.jsonl")
    let log = try opened(path, limits())
    try log.append(large(1))
    for _ in 0..<3 {
        try Data().write(to: URL(fileURLWithPath: stage.path("audit.seal")))
        log.attend()
        #expect(!FileManager.default.fileExists(atPath: stage.path("audit.seal")))
    }
    // Once: there was nothing more to seal.
    #expect(log.segment == 2)
    #expect(try AuditReport(checking: path).records == 2)
}

// MARK: export

@Test func sealedSegmentsAreCopiedAndMayGo() throws {
    let stage = Stage(), stick = Stage()
    let path = stage.path("audit.jsonl"), copy = stick.path("gate-7")
    let log = try opened(path, limits())
    for number in 0..<50 { try log.append(large(Int64(number))) }
    let export = try AuditExport(of: path, into: copy)
    #expect(export.copies.map(\.name) == ["audit-00000001.jsonl", "audit-00000002.jsonl"] && export.marked == 2)
    for name in export.copies.map(\.name) {
        #expect(try Data(contentsOf: URL(fileURLWithPath: copy + "/" + name)) == Data(contentsOf: URL(fileURLWithPath: stage.path(name))))
    }
    #expect(
        try FileManager.default.contentsOfDirectory(atPath: copy).sorted()
            == ["audit-00000001-to-00000002.manifest", "audit-00000001.jsonl", "audit-00000002.jsonl"])
    let manifest = try Data(contentsOf: URL(fileURLWithPath: copy + "/audit-00000001-to-00000002.manifest"))
    let said = try #require(try JSONSerialization.jsonObject(with: manifest) as? [String: Any])
    #expect(said["to"] as? Int == 2 && said["digest"] as? String == export.digest)
    // The copies are a log of their own.
    let report = try AuditReport(checking: copy + "/audit.jsonl")
    #expect(report.fault == nil && report.last == 2 && !report.hasCurrent && report.digest == export.digest)
    log.attend()
    #expect(log.exported == 2)
    // Nothing twice, unless asked for; then it is found to be there.
    #expect(try AuditExport(of: path, into: copy).copies == [])
    #expect(try AuditExport(of: path, into: copy, .all).copies == export.copies)
    // Another's log of the same names is not overwritten.
    try Data("other\n".utf8).write(to: URL(fileURLWithPath: copy + "/audit-00000002.jsonl"))
    #expect(throws: AuditExportError.otherFile(copy + "/audit-00000002.jsonl")) { try AuditExport(of: path, into: copy, .all) }
    // And goes on where it left off.
    for number in 0..<30 { try log.append(large(Int64(number))) }
    let next = try AuditExport(of: path, into: copy)
    #expect(next.copies.first?.segment == 3 && next.marked == log.segment - 1)
}

@Test func anExportThatFailsTellsTheGateNothing() throws {
    let stage = Stage(), stick = Stage()
    let path = stage.path("audit.jsonl")
    let log = try opened(path, limits())
    for number in 0..<50 { try log.append(large(Int64(number))) }
    #expect(throws: AuditExportError.destination(stick.path("no/folder"), errno: ENOENT)) {
        try AuditExport(of: path, into: stick.path("no/folder"))
    }
    mkdir(stick.path("gate"), 0o700)
    symlink("/dev/full", stick.path("gate/audit-00000001.jsonl.partial"))
    #expect(throws: AuditExportError.destination(stick.path("gate/audit-00000001.jsonl"), errno: ELOOP)) {
        try AuditExport(of: path, into: stick.path("gate"))
    }
    log.attend()
    #expect(log.exported == 0 && AuditMark.read(log.folder) == nil)
    #expect(throws: AuditExportError.log(.notFound)) { try AuditExport(of: stage.path("no/audit.jsonl"), into: stick.folder) }
    #expect(try !AuditExport.seal(path, milliseconds: 50))
    #expect(!FileManager.default.fileExists(atPath: stage.path("audit.seal")))
}

@Test func theStartIsOnRecordWithWhatRuns() throws {
    let stage = Stage()
    try Data("7\n".utf8).write(to: URL(fileURLWithPath: stage.path("version")))
    try Data("quiet gatehouse.slot=B panic=10\n".utf8).write(to: URL(fileURLWithPath: stage.path("cmdline")))
    let program = ProgramVersion(SystemFolders(proc: stage.folder), file: stage.path("version"), packaged: "/nowhere")
    #expect(program.version == "7" && program.slot == "B" && program.isImage)
    let record = AuditRecord(startOf: program, name: "EAST", gate: "10000000abcdef", face: "off", clock: .unsure(atLeast: 5))
    #expect(record.names == ["version", "slot", "name", "gate", "clock", "face"])
    #expect(record.values == [.code("7"), .code("B"), .code("EAST"), .code("10000000abcdef"), .code("unsure"), .code("off")])
    // Not what nobody would call a version.
    try Data("7 \u{1B}[31m\n".utf8).write(to: URL(fileURLWithPath: stage.path("version")))
    let nowhere = SystemFolders(proc: "/nowhere")
    #expect(ProgramVersion(nowhere, file: stage.path("version"), packaged: "/nowhere").version == "development")
    let unversioned = ProgramVersion(nowhere, file: "/nowhere", packaged: "/nowhere")
    #expect(!unversioned.isImage)
    #expect(
        AuditRecord(startOf: unversioned, name: "A", gate: nil, face: "off", clock: nil).values
            == [.code("development"), .code("A"), .code("unsigned"), .code("off")])
}

@Test func aPackagesVersionCountsWhereThereIsNoImages() throws {
    let stage = Stage(), nowhere = SystemFolders(proc: "/nowhere")
    try Data("0~20270115.080007.0123456+~deb12\n".utf8).write(to: URL(fileURLWithPath: stage.path("packaged")))
    let program = ProgramVersion(nowhere, file: "/nowhere", packaged: stage.path("packaged"))
    #expect(program.version == "0~20270115.080007.0123456+~deb12" && !program.isImage)
    try Data("7\n".utf8).write(to: URL(fileURLWithPath: stage.path("version")))
    let image = ProgramVersion(nowhere, file: stage.path("version"), packaged: stage.path("packaged"))
    #expect(image.version == "7" && image.isImage)
    // One octet more than a record takes.
    try Data("0~20270115.080007.01234567+~deb12\n".utf8).write(to: URL(fileURLWithPath: stage.path("packaged")))
    #expect(ProgramVersion(nowhere, file: "/nowhere", packaged: stage.path("packaged")).version == "development")
}

// MARK: kills

private func damage(_ path: String, _ text: String) throws {
    let file = try #require(FileHandle(forUpdatingAtPath: path))
    file.seekToEndOfFile()
    file.write(Data(text.utf8))
    file.closeFile()
}

/// A gate's hours: restarts, seals, an export, segments that go, a damage. Returns the last record that was promised.
private func live(_ stage: Stage, promised: inout UInt64, watch: @escaping AuditFolder.Watch) throws {
    let path = stage.path("audit.jsonl")
    for round in 0..<3 {
        let log = try opened(path, limits(4, .dropOldest), watch: watch)
        for number in 0..<24 {
            try log.append(large(Int64(number)))
            promised = max(promised, log.sequence)
            if number % 10 == 0 { log.attend() }
        }
        if round == 1 { log.attend() }
        log.close()
        // A torn line; then two bad ones, which no torn write leaves; then somebody who asks for a seal.
        if round == 0 { try damage(path, "{\"seq\"") }
        if round == 1 { try damage(path, "noise\nnoise\n") }
        try Data().write(to: URL(fileURLWithPath: stage.path("audit.seal")))
    }
}

/// Nothing is kept in memory between two system calls that the disk needs, so stopping before one of them, and doing nothing afterwards, is
/// a kill there: every step that changes the disk, from the first record over seals, segments that go and a damage that is set aside.
@Test func aKillAtAnySystemCallLosesNothingPromised() throws {
    var steps: [(kind: AuditFolder.Step, name: String)] = []
    var promised: UInt64 = 0
    try live(Stage(), promised: &promised) { (kind, name) throws(AuditError) in steps.append((kind, name)) }
    for kind in AuditFolder.Step.allCases { #expect(steps.contains { $0.kind == kind }, "no \(kind)") }
    // One record in the middle of a segment is written as another is: some of those are enough.
    let isPlain = { (index: Int) in steps[index].name == "audit.jsonl" && [.write, .sync].contains(steps[index].kind) }
    let chosen = steps.indices.filter { !isPlain($0) || $0 % 9 < 2 }
    #expect(chosen.count > 60 && chosen.count < steps.count)
    for step in chosen { try killed(at: step) }
}

private func killed(at step: Int) throws {
    let stage = Stage()
    let path = stage.path("audit.jsonl")
    var count = 0
    var promised: UInt64 = 0
    do {
        try live(stage, promised: &promised) { (_, _) throws(AuditError) in
            defer { count += 1 }
            if count >= step { throw .system(errno: -1) }
        }
    } catch {
        #expect(count > step, "\(error)")
    }
    let log = try opened(path, limits(4, .dropOldest))
    #expect(log.state == .writable)
    // Nothing promised is lost, and what is not lost is not said to be.
    #expect(log.sequence >= promised, "step \(step): \(log.sequence) of \(promised)")
    #expect(!log.takeNews().contains { if case .lost = $0 { true } else { false } }, "step \(step)")
    try log.append(large(1))
    let report = try AuditReport(checking: path)
    #expect(report.fault == nil && report.sequence == log.sequence && !report.isBeginningMissing, "step \(step): \(report)")
    // Whatever was left half done is done: only names that belong there.
    #expect(try names(stage).allSatisfy { $0.hasPrefix("audit") } && used(stage) <= log.limits.total + 65_536)
}
