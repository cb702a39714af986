import TestSupport
import Testing

@testable import ListenerProtocol

@Suite("What gate and listener say to each other")
struct ListenerWordTests {
    private static let posted: [ListenerWord.Posted] = [
        .init(kind: .envelope, number: 1, targetCount: 0, bodyCount: 1),
        .init(kind: .envelope, number: .max, targetCount: 0, bodyCount: ListenerWord.mostEnvelope),
        .init(kind: .query, number: 2, targetCount: ListenerWord.mostTarget, bodyCount: 0),
        .init(kind: .form, number: 3, targetCount: 1, bodyCount: ListenerWord.mostAnswer),
        .init(kind: .json, number: 4, targetCount: ListenerWord.mostTarget, bodyCount: 1),
    ]
    private static var words: [ListenerWord] {
        var refusals = Refusals()
        for _ in 0..<3 { refusals.count(413) }
        refusals.count(503)
        return posted.map { .posted($0) } + [.ready, .refused(Refusals()), .refused(refusals)]
    }

    private func read(_ octets: [UInt8]) throws(ListenerError) -> ListenerWord { try ListenerWord(decoding: octets.span) }

    @Test("a word is read as it was written, and no octet of it is without meaning")
    func roundTrip() throws {
        for word in Self.words {
            let octets = try word.head()
            #expect(octets.count <= ListenerWord.mostHead)
            #expect(try ListenerWord.rest(after: octets.span) == octets.count - MessageHead.size)
            #expect(try read(octets) == word)
            for count in 0..<octets.count { #expect(throws: ListenerError.cutOff) { try read(Array(octets.prefix(count))) } }
            #expect(throws: ListenerError.cutOff) { try read(octets + [0]) }
            for place in octets.indices {
                for bit in 0..<8 {
                    var changed = octets
                    changed[place] ^= 1 << bit
                    if let other = try? read(changed) { #expect(other != word && (try? other.head()) == changed) }
                }
            }
        }
    }

    @Test("what no kind has is neither written nor read")
    func limits() throws {
        let none: [ListenerWord.Posted] = [
            .init(kind: .envelope, number: 1, targetCount: 0, bodyCount: 0),
            .init(kind: .envelope, number: 1, targetCount: 0, bodyCount: ListenerWord.mostEnvelope + 1),
            .init(kind: .envelope, number: 1, targetCount: 1, bodyCount: 1),
            .init(kind: .query, number: 1, targetCount: 0, bodyCount: 0),
            .init(kind: .query, number: 1, targetCount: 1, bodyCount: 1),
            .init(kind: .query, number: 1, targetCount: ListenerWord.mostTarget + 1, bodyCount: 0),
            .init(kind: .form, number: 1, targetCount: 0, bodyCount: 1), .init(kind: .form, number: 1, targetCount: 1, bodyCount: 0),
            .init(kind: .json, number: 1, targetCount: 1, bodyCount: ListenerWord.mostAnswer + 1),
            .init(kind: .form, number: 1, targetCount: -1, bodyCount: 2),
        ]
        for posted in none {
            #expect(throws: ListenerError.wrongLength) { try ListenerWord.posted(posted).head() }
            let length = UInt32(truncatingIfNeeded: 4 + posted.targetCount + posted.bodyCount)
            let head = MessageHead(length: length, type: 0x10 + UInt16(posted.kind.rawValue), number: 1).octets
            #expect(throws: ListenerError.wrongLength) { try read(head + Little.octets(UInt32(truncatingIfNeeded: posted.targetCount))) }
        }
        #expect(throws: ListenerError.wrongNumber) {
            try ListenerWord.posted(.init(kind: .envelope, number: 0, targetCount: 0, bodyCount: 1)).head()
        }
        for (type, length, number, error) in [
            (0x10, 5, 0, .wrongNumber), (1, 0, 1, .wrongNumber), (2, 40, 1, .wrongNumber), (1, 1, 0, .wrongLength),
            (2, 39, 0, .wrongLength),
            (0x10, 3, 1, .wrongLength), (0x10, UInt32.max, 1, .wrongLength), (0x14, 5, 1, .unknownType), (0, 0, 0, .unknownType),
            (0x110, 5, 1, .unknownType), (0x8000, 1, 1, .unknownType),
        ] as [(UInt16, UInt32, UInt32, ListenerError)] {
            let head = MessageHead(length: length, type: type, number: number).octets
            #expect(throws: error) { try ListenerWord.rest(after: head.span) }
        }
        var head = try ListenerWord.ready.head()
        head[6] = 2
        #expect(throws: ListenerError.wrongVersion) { try ListenerWord.rest(after: head.span) }
    }

    @Test("the gate's words, one behind the other, cut anywhere")
    func gateWords() throws {
        let longest = GateWord.message([UInt8](repeating: 7, count: GateWord.mostMessage))
        let words: [GateWord] = [.message([1]), longest, .accepted, .rejected, .taken, .malformed, .gone]
        for word in words {
            let octets = try word.octets(number: 9)
            #expect(octets.count <= GateWord.most)
            let read = try #require(try GateWord.first(of: (octets + octets).span))
            #expect(read.word == word && read.number == 9 && read.count == octets.count)
            for count in 0..<octets.count {
                let part = Array(octets.prefix(count))
                #expect(try GateWord.first(of: part.span) == nil)
            }
        }
        for word in [GateWord.message([]), .message([UInt8](repeating: 7, count: GateWord.mostMessage + 1))] {
            #expect(throws: ListenerError.wrongLength) { try word.octets(number: 9) }
        }
        #expect(throws: ListenerError.wrongNumber) { try GateWord.gone.octets(number: 0) }
        for (type, length, number, error) in [
            (0x8006, 0, 1, .unknownType), (0x7FFF, 0, 1, .unknownType), (0x8001, 1, 1, .wrongLength), (0x8000, 0, 1, .wrongLength),
            (0x8000, 8193, 1, .wrongLength), (0x8005, 0, 0, .wrongNumber),
        ] as [(UInt16, UInt32, UInt32, ListenerError)] {
            let head = MessageHead(length: length, type: type, number: number).octets
            #expect(throws: error) { _ = try GateWord.first(of: head.span) }
        }
    }

    @Test("a keeper's report is read as it was written, and has one spelling")
    func reports() {
        let reports: [KeeperReport] = [
            .bound, .notBound(errno: 99), .started(serial: 7), .ended(serial: .max, status: -1), .notStarted(errno: 11),
        ]
        for report in reports {
            let octets = report.octets
            #expect(octets.count == KeeperReport.size)
            #expect(KeeperReport(decoding: octets.span) == report)
            for count in 0..<octets.count { #expect(KeeperReport(decoding: Array(octets.prefix(count)).span) == nil) }
            for place in octets.indices {
                var changed = octets
                changed[place] ^= 0x20
                #expect(KeeperReport(decoding: changed.span)?.octets ?? changed == changed)
            }
        }
        #expect(KeeperReport(decoding: [UInt8](repeating: 0, count: 12).span) == nil)
    }

    @Test("refusals are counted, added and never more than they can be")
    func refusals() {
        var refusals = Refusals()
        #expect(refusals.isEmpty && refusals.list.isEmpty)
        refusals.count(413)
        refusals.count(200)
        var most = Refusals([UInt8](repeating: 0xFF, count: MessageHead.size + Refusals.size).span)
        most.add(refusals)
        most.count(404)
        #expect(most.list.map(\.status) == Refusals.statuses && most.list.allSatisfy { $0.count == .max })
        #expect(refusals.list.map(\.status) == [413] && refusals.list.first?.count == 1)
        #expect(Refusals.size == 4 * Refusals.statuses.count)
    }
}
