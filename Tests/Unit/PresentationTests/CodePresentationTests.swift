import Bluetooth
import Credentials
import Testing

@testable import Presentation

/// What a look says, to the millisecond, without a gate around it.
@Suite("Codes seen lately") struct CodePresentationTests {
    /// A presentation, its places, and a clock.
    private final class Desk {
        let places = UnsafeMutableBufferPointer<CodeMemory.Place>.allocate(capacity: CodeMemory.capacity)
        var code: CodePresentation
        var now = Instant(nanoseconds: 5_000_000_000)

        init() throws {
            places.initialize(repeating: CodeMemory.Place())
            code = try CodePresentation(places: places)
        }

        deinit { places.deallocate() }

        func look(_ text: String, mayBegin: Bool = true) -> CodePresentation.Sight {
            let octets = Array(text.utf8)
            return code.see(octets.span, mayBegin: mayBegin, at: now)
        }

        func take() throws -> ReceivedCredential { try code.takeCredential() }

        var isForgotten: Bool { code.isForgotten }
        var strangerUntil: Instant? { code.strangerUntil }
        var size: Int { code.report.size }
        var own: UInt64 { code.counters.own }

        /// So many looks, a tenth of a second from each to the next.
        func look(_ text: String, times: Int) {
            for _ in 0..<times {
                _ = look(text)
                pass(100)
            }
        }

        func pass(_ milliseconds: UInt64) { now = now.adding(milliseconds: milliseconds) }

        func ignore(_ text: String, _ what: IgnoredCode = .nothing) {
            let octets = Array(text.utf8)
            code.ignore(octets.span, what, at: now)
        }

        func reject(_ text: String, isEngagement: Bool = false, isLasting: Bool = true) -> Bool {
            let octets = Array(text.utf8)
            code.commit(octets.span, refused: .credentialMissing, isEngagement: isEngagement, at: now)
            return code.end(isLasting: isLasting)
        }
    }

    @Test("missing from thirty looks, and read ten seconds ago, to the look and the millisecond")
    func bounds() throws {
        for (looks, since, isNew) in [(29, 60_000, false), (30, 60_000, true), (30, 9999, false), (30, 10_000, true), (300, 9999, false)]
            as [(Int, UInt64, Bool)]
        {
            let desk = try Desk()
            #expect(desk.look("a") == .new)
            _ = desk.reject("a", isLasting: false)
            for _ in 0..<looks { #expect(desk.look("") == .nothing) }
            desk.pass(since)
            #expect((desk.look("a") == .new) == isNew, "\(looks), \(since)")
        }
    }

    @Test("a card in view among eight codes, each told in turn, is there all the time")
    func inTurn() throws {
        for others in [["b", "c", "d", "e", "f", "g", "h"], ["b", "OPENID4VP://x", "d", "e", "f", "g", "openid4vp://y"]] {
            let desk = try Desk()
            #expect(desk.look("a") == .new)
            _ = desk.reject("a", isLasting: false)
            for _ in 0..<100 {
                for other in others {
                    desk.pass(500)
                    if desk.look(other) == .new { desk.ignore(other, .foreign) }
                    // Somebody walks past.
                    if other == "b" { #expect(desk.look("") == .nothing) }
                }
                desk.pass(500)
                #expect(desk.look("a") == .nothing)
            }
        }
    }

    @Test("a hundred looks in a row that showed others are an absence, and ninety-nine are none")
    func beside() throws {
        for (looks, isNew) in [(99, false), (100, true), (10_000, true)] {
            let desk = try Desk()
            #expect(desk.look("a") == .new)
            _ = desk.reject("a", isLasting: false)
            desk.pass(20_000)
            #expect(desk.look("poster") == .new)
            desk.ignore("poster")
            desk.look("poster", times: looks - 1)
            #expect((desk.look("a") == .new) == isNew, "\(looks)")
        }
    }

    @Test("looks without it, not time, say that a code is gone: whatever the last look showed before a pause")
    func looks() throws {
        for last in ["a", "", "poster", "OPENID4VP://x"] {
            let desk = try Desk()
            _ = desk.reject("a")
            for _ in 0..<20 {
                _ = desk.look(last)
                desk.pass(1 << 36)
                #expect(desk.look("a") == .nothing, "\(last)")
            }
        }
        // The gate's own code in its place is a look without it, and so is any other.
        let desk = try Desk()
        _ = desk.reject("a")
        desk.pass(20_000)
        desk.look("OPENID4VP://x", times: 99)
        #expect(desk.look("a") == .nothing)
        desk.look("OPENID4VP://x", times: 100)
        #expect(desk.look("a") == .new)
    }

    @Test("what came back too soon is looked into when ten seconds are over, and not when fifteen are")
    func back() throws {
        for (milliseconds, isNew) in [(9_999, false), (10_000, true), (14_999, true), (15_000, false), (1 << 40, false)] as [(UInt64, Bool)]
        {
            let desk = try Desk()
            _ = desk.reject("a", isLasting: false)
            desk.look("", times: 50)
            #expect(desk.look("a") == .nothing)
            desk.pass(milliseconds - 5000)
            #expect((desk.look("a") == .new) == isNew, "\(milliseconds)")
        }
    }

    @Test("what is read while something else is under way is not lost, also if it was judged before", arguments: [false, true])
    func busyAgain(_ isLasting: Bool) throws {
        let desk = try Desk()
        _ = desk.reject("a", isLasting: isLasting)
        desk.look("", times: 100)
        for _ in 0..<100 {
            #expect(desk.look("a", mayBegin: false) == .nothing)
            desk.pass(1000)
        }
        #expect(desk.look("a") == .new)
    }

    @Test("what is read while something else is under way is not lost")
    func busy() throws {
        let desk = try Desk()
        for _ in 0..<10 { #expect(desk.look("a", mayBegin: false) == .nothing) }
        #expect(desk.look("a") == .new)
    }

    @Test("two seconds of a code that is none, and not of somebody else's")
    func lasting() throws {
        for what in IgnoredCode.allCases {
            let desk = try Desk()
            desk.ignore("b", what)
            desk.pass(1999)
            #expect(desk.look("b") == .nothing)
            desk.pass(1)
            #expect(desk.look("b") == (what == .foreign ? .nothing : .stranger))
            #expect((desk.strangerUntil == nil) == (what == .foreign))
            desk.pass(4000)
            desk.code.expire(at: desk.now)
            #expect(desk.strangerUntil == nil && desk.look("b") == .nothing)
        }
    }

    @Test("each verdict in a row that it would have again doubles the pause, up to ten minutes")
    func doubling() throws {
        let desk = try Desk()
        var pauses: [UInt64] = []
        #expect(desk.reject("a"))
        for _ in 0..<8 {
            var pause: UInt64 = 0
            repeat {
                // People who walk past.
                desk.look("", times: 50)
                pause += 5000
            } while desk.look("a") != .new
            pauses.append(pause / 1000)
            #expect(!desk.reject("a"))
        }
        #expect(pauses == [10, 20, 40, 80, 160, 320, 600, 600])
        desk.code.pardon()
        desk.look("", times: 100)
        #expect(desk.look("a") == .new)
    }

    @Test("the places are as many as there are; the code that was not seen for the longest time goes first")
    func places() throws {
        let desk = try Desk()
        for number in 0..<40 {
            _ = desk.reject("card \(number)")
            desk.pass(1)
            #expect(desk.look("card 0") == .nothing, "it is still there")
            desk.ignore("poster \(number)")
        }
        #expect(desk.look("card 39") == .nothing && desk.look("card 1") == .new && desk.look("card 0") == .nothing)
        #expect(desk.look("poster 39") == .nothing && desk.look("poster 31") == .new)
        for _ in 0..<2 {
            desk.code.wipe()
            #expect(desk.isForgotten && desk.look("card 0") == .new)
        }
    }

    @Test("a credential is given once, and a refusal stays one")
    func once() throws {
        let desk = try Desk()
        let octets = Array("{\"proof\":1}".utf8)
        desk.code.commit(octets.span, try ReceivedCredential(message: octets.span), at: desk.now)
        #expect(desk.size == octets.count && !desk.isForgotten)
        #expect(try desk.take().bytes == octets)
        #expect(throws: RejectReason.credentialMissing) { try desk.take() }
        desk.code.commit(octets.span, refused: .messageMalformed, isEngagement: false, at: desk.now)
        #expect(throws: RejectReason.messageMalformed) { try desk.take() }
        _ = desk.code.end(isLasting: true)
        #expect(desk.size == 0)
    }

    @Test("offers in any case, and what only looks like one")
    func offers() throws {
        let desk = try Desk()
        for text in ["OPENID4VP://connect", "openid4vp:", "OpenId4Vp:x"] { #expect(desk.look(text) == .nothing) }
        for text in ["OPENID4VP", "openid4v", "xOPENID4VP:", "openid4vq://"] { #expect(desk.look(text) == .new) }
        #expect(desk.own == 3)
    }
}
