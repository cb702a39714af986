import BoardTestSupport
import Foundation
import Testing

@testable import Audit

/// Everything there is now. A queue that never comes to an end fails.
private func drained(_ queue: AuditQueue) throws -> [AuditQueue.Item] {
    var items: [AuditQueue.Item] = []
    while let item = try queue.next() {
        items.append(item)
        guard items.count < 100_000 else {
            Issue.record("the queue has no end")
            break
        }
    }
    return items
}

/// The numbers of records; everything else by its own name.
private func words(_ items: [AuditQueue.Item]) -> [String] {
    items.map {
        switch $0 {
        case .record(let place, _): "\(place.sequence)"
        case .missing(let range): "missing \(range.lowerBound)-\(range.upperBound)"
        case .damaged(let count): "damaged \(count)"
        case .outOfOrder(let number): "again \(number)"
        case .broken(let number): "broken \(number)"
        case .rewritten(let number): "rewritten \(number)"
        case .exchanged: "exchanged"
        }
    }
}

private func numbers(_ range: ClosedRange<Int>) -> [String] { range.map(String.init) }

private func places(_ items: [AuditQueue.Item]) -> [AuditPlace] {
    items.compactMap { if case .record(let place, _) = $0 { place } else { nil } }
}

private func read(_ log: MadeLog, after place: AuditPlace = .beginning) throws -> [AuditQueue.Item] {
    try drained(AuditQueue(log.path, after: place))
}

private func threeSegments() throws -> MadeLog {
    var log = MadeLog()
    for at in 1...4 as ClosedRange<UInt64> { try log.add("visit", at: at) }
    try log.seal(at: 5)
    for at in 6...7 as ClosedRange<UInt64> { try log.add("visit", at: at) }
    try log.seal(at: 8)
    try log.add("visit", at: 9)
    try log.close()
    return log
}

@Test func aQueueGoesOnBehindEveryPlace() throws {
    let log = try threeSegments(), all = try read(log)
    #expect(words(all) == numbers(1...9))
    for place in places(all) {
        #expect(try read(log, after: place) == Array(all[Int(place.sequence)...]), "after \(place.sequence)")
    }
    // A copy has no current segment.
    try log.stage.remove("audit.jsonl")
    #expect(try words(read(log)) == numbers(1...7))
    // What was read is not read again when the log is not there for a moment.
    let queue = AuditQueue(log.stage.path("other.jsonl"), after: .beginning)
    #expect(try queue.next() == nil)
}

@Test func aQueueHasWhatComesBesideTheWriter() throws {
    let stage = Stage(), path = stage.path("audit.jsonl")
    let queue = AuditQueue(path, after: .beginning)
    #expect(try queue.next() == nil)
    let log = try AuditLog(path, limits: AuditLimits(segment: 65_536, total: 1 << 20, whenFull: .dropOldest))
    var record = AuditRecord(event: "visit")
    record.add("reasons", .codes([String](repeating: "issuer-unknown", count: 150)))
    var seen: [AuditPlace] = []
    for turn in 0..<300 {
        try log.append(record)
        if turn % 7 == 0 { seen += places(try drained(queue)) }
    }
    seen += places(try drained(queue))
    #expect(seen.map(\.sequence) == Array(1...(seen.last?.sequence ?? 0)))
    #expect(try AuditReport(checking: path).sequence == seen.last?.sequence && AuditReport(checking: path).digest == seen.last?.digest)
    #expect(seen.count > 300)
}

@Test func whatIsTornIsWaitedFor() throws {
    var log = MadeLog()
    for at in 1...3 as ClosedRange<UInt64> { try log.add("visit", at: at) }
    try log.close()
    let whole = try Data(contentsOf: URL(fileURLWithPath: log.path))
    let lines = whole.split(separator: 0x0A, omittingEmptySubsequences: true), start = lines[0].count + lines[1].count + 2
    for count in start..<whole.count {
        try whole[..<count].write(to: URL(fileURLWithPath: log.path))
        let queue = AuditQueue(log.path, after: .beginning)
        #expect(try words(drained(queue)) == numbers(1...2), "\(count) octets")
        try whole.write(to: URL(fileURLWithPath: log.path))
        // The same name, another file: to the queue the log went on in it.
        #expect(try words(read(log)) == numbers(1...3))
    }
}

@Test func aLineThatWasCutOffComesInItsNewForm() throws {
    let stage = Stage(), path = stage.path("audit.jsonl")
    func line(_ number: UInt64, _ previous: String, _ event: String) throws -> [UInt8] {
        try AuditLine.compose(AuditRecord(event: event), sequence: number, previous: previous, at: 0, up: 0)
    }
    let first = try line(1, AuditLine.firstPrevious, "visit"), digest = try AuditLine.digest(first.dropLast())
    let second = try line(2, digest, "door"), other = try line(2, digest, "started")
    try stage.put(first + second, "audit.jsonl")
    let queue = AuditQueue(path, after: .beginning), before = places(try drained(queue))
    #expect(before.count == 2)
    // As a gate does it whose disk took the line only half: in the same file.
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    try file.truncate(atOffset: UInt64(first.count))
    #expect(try queue.next() == nil)
    try file.seekToEnd()
    try file.write(contentsOf: Data(other))
    #expect(try words(drained(queue)) == ["rewritten 2", "2"])
    // And so after a restart, whether the new line is there or not.
    #expect(try words(drained(AuditQueue(path, after: before[1]))) == ["rewritten 2", "2"])
    try file.truncate(atOffset: UInt64(first.count))
    let waiting = AuditQueue(path, after: before[1])
    #expect(try words(drained(waiting)) == ["rewritten 2"])
    try file.seekToEnd()
    try file.write(contentsOf: Data(other))
    #expect(try words(drained(waiting)) == ["2"])
}

@Test func segmentsThatWentAreSaid() throws {
    let log = try threeSegments(), all = places(try read(log))
    try log.stage.remove("audit-00000001.jsonl")
    #expect(try words(read(log)) == ["missing 1-4"] + numbers(5...9))
    #expect(try words(read(log, after: all[1])) == ["missing 3-4"] + numbers(5...9))
    // Nothing is missing where the last record of what went is the place.
    #expect(try words(read(log, after: all[3])) == numbers(5...9))
    #expect(try words(read(log, after: all[5])) == numbers(7...9))
}

@Test func anotherLogBeginsAtItsFirstRecord() throws {
    let log = try threeSegments()
    for sequence in [1, 4, 5, 9, 10, 400] as [UInt64] {
        let foreign = AuditPlace(
            sequence: sequence, digest: String(repeating: "a", count: 64), previous: String(repeating: "b", count: 64))
        #expect(try words(read(log, after: foreign)) == ["exchanged"] + numbers(1...9), "\(sequence)")
    }
    // While it is read, too.
    var old = MadeLog()
    for at in 1...20 as ClosedRange<UInt64> { try old.add("door", at: at) }
    try old.close()
    let queue = AuditQueue(old.path, after: .beginning)
    #expect(try drained(queue).count == 20)
    try FileManager.default.removeItem(atPath: old.path)
    for name in ["audit-00000001.jsonl", "audit-00000002.jsonl", "audit.jsonl"] {
        try FileManager.default.copyItem(atPath: log.stage.path(name), toPath: old.stage.path(name))
    }
    #expect(try words(drained(queue)) == ["exchanged"] + numbers(1...9))
}

@Test func whatIsNoRecordIsPassedOver() throws {
    var log = MadeLog()
    try log.add("visit", at: 1)
    log.damage("nothing\n\t{}\n" + String(repeating: "x", count: 5000) + "\n")
    try log.add("visit", at: 2)
    try log.close()
    #expect(try words(read(log)) == ["1", "damaged 7", "damaged 3", "damaged 5000", "2"])
}

@Test func aDamagedSegmentCountsUpToItsDamage() throws {
    var log = MadeLog()
    for at in 1...3 as ClosedRange<UInt64> { try log.add("visit", at: at) }
    log.damage("{\"seq\":4,\"prev\":\"\(String(repeating: "0", count: 64))\",\"event\":\"visit\"}\nnothing\n")
    try log.seal(at: 4, isDamaged: true)
    try log.add("visit", at: 5)
    try log.close()
    #expect(try words(read(log)) == numbers(1...5))
}

@Test func linesThatDoNotChainAreNeverReadForEver() throws {
    let log = try threeSegments()
    let octets = try Data(contentsOf: URL(fileURLWithPath: log.stage.path("audit-00000001.jsonl")))
    let lines = octets.split(separator: 0x0A).map { Array($0) + [0x0A] }
    for (order, expected) in [
        ([0, 1, 2, 3, 1, 2], ["again 2", "again 3"]), ([0, 2, 3, 1], ["missing 2-2", "again 2"]), ([0, 0, 1, 2, 3], ["again 1"]),
        ([2, 3], ["missing 1-2"]),
    ] {
        try log.stage.put(order.flatMap { lines[$0] }, "audit-00000001.jsonl")
        let found = words(try read(log))
        #expect(found.filter { $0.contains(" ") } == expected)
        let read = found.compactMap(UInt64.init)
        #expect(read == read.sorted() && Set(read).count == read.count && read.suffix(5) == [5, 6, 7, 8, 9], "\(found)")
    }
    // One that was changed: it is no reason to keep it back.
    let second = String(decoding: lines[1], as: UTF8.self).replacingOccurrences(of: "visit", with: "visiT")
    try log.stage.put(lines[0] + Array(second.utf8) + lines[2] + lines[3], "audit-00000001.jsonl")
    #expect(try words(read(log)) == ["1", "2", "broken 3", "3"] + numbers(4...9))
}

/// One octet of a number is damaged on the disk: the record is passed over, and not all that come behind it.
@Test func aDamagedNumberHoldsNothingBack() throws {
    let log = try threeSegments()
    let whole = String(decoding: try Data(contentsOf: URL(fileURLWithPath: log.stage.path("audit-00000001.jsonl"))), as: UTF8.self)
    for number in [1, 7, 9] {
        try log.stage.put(Array(whole.replacingOccurrences(of: "{\"seq\":3,", with: "{\"seq\":\(number),").utf8), "audit-00000001.jsonl")
        let found = words(try read(log))
        #expect(found.compactMap(UInt64.init) == [1, 2] + Array(4...9), "\(found)")
        #expect(found.contains("missing 3-3") && found.contains { $0.hasPrefix("damaged") }, "\(found)")
    }
}

@Test(arguments: [("audit-00000001.jsonl", 1), ("audit-00000002.jsonl", 5), ("audit.jsonl", 8)])
func aSegmentWhoseFirstLineIsDamagedHoldsNothingBack(_ name: String, _ first: UInt64) throws {
    let log = try threeSegments(), all = places(try read(log))
    var octets = [UInt8](try Data(contentsOf: URL(fileURLWithPath: log.stage.path(name))))
    octets[0] = 0
    try log.stage.put(octets, name)
    for place in [.beginning] + all {
        let found = words(try read(log, after: place))
        #expect(found.compactMap(UInt64.init) == (1...9).filter { $0 > place.sequence && $0 != first }, "after \(place.sequence): \(found)")
        #expect(!found.contains("exchanged"), "after \(place.sequence)")
    }
}

@Test func aLogOfOneSegmentWhoseFirstLineIsDamagedHasTheOthers() throws {
    var log = MadeLog()
    for at in 1...3 as ClosedRange<UInt64> { try log.add("visit", at: at) }
    try log.close()
    var octets = [UInt8](try Data(contentsOf: URL(fileURLWithPath: log.path)))
    octets[0] = 0
    try log.stage.put(octets, "audit.jsonl")
    let found = words(try read(log))
    #expect(found.first == "missing 1-1" && found[1].hasPrefix("damaged") && Array(found.dropFirst(2)) == numbers(2...3), "\(found)")
}

@Test func anyDamageIsComeBy() throws {
    let log = try threeSegments()
    let names = ["audit-00000001.jsonl", "audit-00000002.jsonl", "audit.jsonl"]
    let whole = try names.map { [UInt8](try Data(contentsOf: URL(fileURLWithPath: log.stage.path($0)))) }
    let all = places(try read(log))
    var rolls = SystemRandomNumberGenerator()
    for _ in 0..<300 {
        for (name, octets) in zip(names, whole) {
            var octets = octets
            for _ in 0..<Int.random(in: 0...3, using: &rolls) {
                octets[Int.random(in: octets.indices, using: &rolls)] = .random(in: 0...255, using: &rolls)
            }
            try log.stage.put(octets, name)
        }
        for place in [.beginning, all[2], all[8]] {
            let read = places(try drained(AuditQueue(log.path, after: place))).map(\.sequence)
            // It goes back a few times at most, and reads the last records there are.
            let back = zip(read, read.dropFirst()).filter { $0 >= $1 }.count
            #expect(back <= 16 && read.count <= 150, "\(back) times back, \(read.count) records")
        }
    }
}

@Test func aFolderForAGroupHasFilesForAGroup() throws {
    let stage = Stage()
    for (folder, mode, wanted) in [("own", 0o700, 0o600), ("shared", 0o2750, 0o640), ("open", 0o750, 0o600)] as [(String, mode_t, mode_t)] {
        let before = umask(0o027)
        defer { umask(before) }
        mkdir(stage.path(folder), 0o700)
        chmod(stage.path(folder), mode)
        let path = stage.path(folder + "/audit.jsonl")
        let log = try AuditLog(path)
        try log.append(AuditRecord(event: "visit"))
        var facts = stat()
        #expect(stat(path, &facts) == 0 && facts.st_mode & 0o777 == wanted, "\(folder)")
        // Who could read the lock could hold it, and the gate would not start.
        #expect(stat(stage.path(folder + "/audit.lock"), &facts) == 0 && facts.st_mode & 0o777 == 0o600, "\(folder)")
        log.close()
        chmod(stage.path(folder + "/audit.lock"), 0o640)
        let next = try AuditLog(path)
        #expect(stat(stage.path(folder + "/audit.lock"), &facts) == 0 && facts.st_mode & 0o777 == 0o600, "\(folder)")
        next.close()
    }
}
