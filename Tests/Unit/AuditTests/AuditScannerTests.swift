import BoardTestSupport
import Foundation
import Testing

@testable import Audit

private let head = "{\"seq\":7,\"prev\":\"\(AuditLine.firstPrevious)\""

/// What an entry says, in words that do not depend on where its codes stand.
private func words(_ entry: AuditEntry, _ text: Span<UInt8>) -> [String] {
    var words = ["\(entry.sequence)"]
    for member in AuditEntry.Member.allCases {
        if let number = entry.number(member) { words.append("\(member.text) \(number)") }
        if let code = entry.code(member) { words.append("\(member.text) \(decoded(code, text))") }
    }
    for reason in entry.reasons { words.append("reason \(decoded(reason, text))") }
    return words
}

private func decoded(_ range: Range<Int>, _ text: Span<UInt8>) -> String {
    text.extracting(range).withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
}

/// What both ways to read a line say of it; nil where a way does not take it.
private func readBothWays(_ line: [UInt8]) -> (fast: [String]?, slow: [String]?) {
    var entry = AuditEntry(), scanner = AuditScanner()
    var (fast, slow): ([String]?, [String]?) = (nil, nil)
    if scanner.read(line.span, into: &entry) { fast = words(entry, line.span) }
    if let text = AuditScanner.readAny(line, into: &entry) { slow = words(entry, text.span) }
    return (fast, slow)
}

private func readBothWays(_ line: String) -> (fast: [String]?, slow: [String]?) { readBothWays(Array(line.utf8)) }

@Test(arguments: [
    #","at":1800000000,"up":912345,"event":"visit","visit":6,"outcome":"accepted","form":"sd_jwt","issuer":"https://issuer.example"}"#,
    #","at":-3,"event":"visit","reasons":["expired","unknown"],"detail":"x","decidedMs":75,"notes":[],"flag":true,"other":false}"#,
    #","event":"fruitless","links":0,"left":999999999999999999}"#,
    #","event":"visit","issuer":"https://zürich.example/日本"}"#,
    #","event":"visit","issuer":5,"reasons":"none","form":["a"],"links":true}"#,
])
func whatAGateWritesIsReadWithoutATree(rest: String) {
    let (fast, slow) = readBothWays(head + rest)
    #expect(fast != nil && fast == slow)
}

@Test(arguments: [
    #", "event":"visit"}"#, #","event":"vi\u0073it"}"#, #","event":"visit","issuer":"a\"b"}"#, #","event":"visit","at":1.5}"#,
    #","event":"visit","at":1e3}"#, #","event":"visit","at":9223372036854775807}"#, #","event":"visit","a":{}}"#,
    #","event":"visit","a":null}"#,
    #","event":"visit","a":[1]}"#, #","event":"visit","aNameThatIsLongerThan16":1}"#, #","event":"visit","ä":1}"#,
])
func otherJSONIsReadByTheParser(rest: String) {
    let (fast, slow) = readBothWays(head + rest)
    #expect(fast == nil && slow != nil)
}

@Test func manyMembersAreReadByTheParser() {
    let members = (0..<100).map { ",\"m\($0)\":\($0)" }.joined()
    let (fast, slow) = readBothWays(head + members + ",\"event\":\"visit\"}")
    #expect(fast == nil && slow == ["7", "event visit"])
}

@Test(arguments: [
    "}", #","event":"visit""#, #","event":"visit"}}"#, #","event":"visit",}"#, #","event":5}"#, #","event":"visit","event":"visit"}"#,
    #","event":"visit","mtu":1,"mtu":1}"#, #","event":"visit","seq":7}"#, #","event":"visit","at":01}"#, #","event":"visit","at":-}"#,
    #","event":"visit","at":}"#, #","event":"visit","flag":tru}"#, #","event":"visit","reasons":["a",]}"#,
    #","event":"visit","reasons":["a"}"#,
    #"."event":"visit"}"#, #","event":"visit","issuer":"\#u{1}"}"#, #","event":"visit"} "#, #","event":"visit","issuer":"a}"#,
])
func whatIsNoRecordIsTakenByNobody(rest: String) {
    let (fast, slow) = readBothWays(head + rest)
    #expect(fast == nil && slow == nil)
}

@Test func badTextAndBadHeadsAreTakenByNobody() {
    let zeros = AuditLine.firstPrevious, end = ",\"event\":\"visit\"}"
    for line in [
        "{\"seq\":0,\"prev\":\"\(zeros)\"" + end, "{\"prev\":\"\(zeros)\",\"seq\":7" + end, "{\"seq\":7,\"prev\":\"\(zeros)0\"" + end,
        "{\"seq\":7,\"prev\":\"\(zeros.dropLast())G\"" + end, "{\"seq\":\"7\",\"prev\":\"\(zeros)\"" + end, "", "{", "{}", "\u{0}",
    ] {
        let (fast, slow) = readBothWays(line)
        #expect(fast == nil && slow == nil, "\(line)")
    }
    for octets in [[0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xFF], [0xE2, 0x82]] as [[UInt8]] {
        let (fast, slow) = readBothWays(Array((head + ",\"event\":\"").utf8) + octets + Array("\"}".utf8))
        #expect(fast == nil && slow == nil)
    }
}

/// A good line, cut at every octet and changed in every octet: what the fast way takes is a record, and the same one.
@Test func whatTheFastWayTakesIsARecord() throws {
    var record = AuditRecord(event: "visit")
    record.add("outcome", .code("rejected"))
    record.add("reasons", .codes(["expired", "issuer-unknown"]))
    record.add("issuer", .code("https://ü.example"))
    record.add("decidedMs", .number(-75))
    let line = try AuditLine.compose(record, sequence: 12, previous: AuditLine.firstPrevious, at: 1_800_000_000_000_000_000, up: 0)
        .dropLast()
    for end in line.indices {
        let (fast, slow) = readBothWays(Array(line[..<end]))
        #expect(fast == nil && slow == nil)
    }
    var differences = 0
    for index in line.indices {
        for octet in [0x00, 0x09, 0x20, 0x22, 0x2C, 0x30, 0x5C, 0x5D, 0x7D, 0x7F, 0x80, 0xC3, 0xFF] as [UInt8] {
            var changed = Array(line)
            changed[index] = octet
            let (fast, slow) = readBothWays(changed)
            if let fast, fast != slow { differences += 1 }
        }
    }
    #expect(differences == 0)
}

// MARK: lines

@Test func linesOfAnyLengthComeWhole() throws {
    let stage = Stage()
    var lines: [String] = []
    for number in 0..<2000 { lines.append(String(repeating: "\(number % 10)", count: (number * 37) % 4096)) }
    lines[1500] = String(repeating: "y", count: 600_000)
    lines[1501] = String(repeating: "z", count: AuditLine.capacity)
    let text = lines.joined(separator: "\n") + "\n" + "behind"
    try stage.put(text.utf8, "file")
    let descriptor = open(stage.path("file"), O_RDONLY | O_CLOEXEC)
    defer { close(descriptor) }
    var reader = AuditReader(descriptor: descriptor)
    for line in lines {
        guard let next = try reader.next() else {
            Issue.record("too few lines")
            return
        }
        switch next {
        case .whole(let range): #expect(String(decoding: reader.buffer[range], as: UTF8.self) == line)
        case .tooLong(let count): #expect(count == line.utf8.count && count >= AuditLine.capacity)
        case .torn: Issue.record("torn in the middle")
        }
    }
    #expect(reader.end == Int64(text.utf8.count - 6))
    #expect(try reader.next() == .torn(6))
    #expect(try reader.next() == nil)
    #expect(reader.end == Int64(text.utf8.count - 6))
}

// MARK: times

@Test func aHistogramIsExactBelowEightSeconds() {
    var histogram = AuditHistogram(), times: [Int64] = []
    #expect(histogram.percentile(50) == nil)
    for number in 0..<5000 as Range<Int64> {
        let time = number * number * 7919 % 8192
        times.append(time)
        histogram.add(time)
    }
    times.sort()
    #expect(histogram.count == 5000)
    for percent in [1, 50, 95, 100] { #expect(histogram.percentile(UInt64(percent)) == times[5000 * percent / 100 - 1]) }
}

/// The nearest rank: at least so many did not take longer.
@Test func aPercentileIsATimeThatWasMeasured() {
    var histogram = AuditHistogram()
    for time in 1...11 as ClosedRange<Int64> { histogram.add(100 * time) }
    #expect(histogram.percentile(50) == 600 && histogram.percentile(95) == 1100 && histogram.percentile(90) == 1000)
    #expect(histogram.percentile(0) == 100 && histogram.percentile(100) == 1100)
}

@Test(arguments: [8191, 8192, 8193, 16_383, 16_384, 65_537, 300_000, 640_001, 16_777_215] as [Int64])
func aLongTimeIsTooShortByOnePartIn4096AtMost(time: Int64) {
    var histogram = AuditHistogram()
    histogram.add(time)
    let found = histogram.percentile(50) ?? -1
    #expect(found <= time && time - found <= time / 4096)
    // Beyond what is told apart, and below what can be.
    histogram.add(.max)
    #expect((histogram.percentile(100) ?? 0) > AuditHistogram.longest - AuditHistogram.longest / 4096 - 1)
    histogram.add(-5)
    #expect(histogram.percentile(1) == 0)
}
