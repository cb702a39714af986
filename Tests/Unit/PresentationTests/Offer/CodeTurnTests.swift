import Bluetooth
import Testing
import Tuvali

@testable import Presentation

/// Several codes of one gate, one after the other on its screen.
@Suite("Codes take turns") struct CodeTurnTests {
    /// An offer with its memory, and a clock.
    private final class Desk {
        let texts = UnsafeMutableRawBufferPointer.allocate(byteCount: Offer.textSize, alignment: 8)
        var offer: Offer
        var now = Instant(nanoseconds: 1_000_000_000)

        init(_ settings: OfferSettings) throws {
            texts.initializeMemory(as: UInt8.self, repeating: 0)
            offer = try Offer(
                name: VerifierName(Array("OVPGATE".utf8).span), version: .v05, lifetime: 600_000, settings: settings, texts: texts)
        }

        deinit { texts.deallocate() }

        func begin() {
            _ = offer.renew()
            offer.showCode(at: now)
        }

        @discardableResult func put(_ text: String, _ kind: OfferedKind) -> Bool {
            let octets = Array(text.utf8)
            return offer.put(octets.span, of: kind)
        }

        func pass(_ milliseconds: UInt64) {
            now = now.adding(milliseconds: milliseconds)
            if let deadline = offer.deadline, deadline <= now { offer.expire(at: now) }
        }

        var text: String { offer.withURI { text in String(decoding: text.withUnsafeBufferPointer { Array($0) }, as: UTF8.self) } ?? "" }
        var number: UInt64 { offer.number }
        var shown: OfferedKind? { offer.shown }
        func remove(_ kind: OfferedKind) { offer.remove(kind) }
        func passOver() -> Bool { offer.passOver(at: now) }
        func passOverNone() { offer.passOverNone() }
        func withdraw() { offer.withdraw() }
        var isWiped: Bool { texts.allSatisfy { $0 == 0 } }
    }

    @Test("one kind alone stands as long as its key")
    func alone() throws {
        let desk = try Desk(OfferSettings())
        desk.begin()
        let number = desk.number
        #expect(!desk.put("didcomm://x", .aries), "it is not offered")
        desk.pass(599_999)
        #expect(desk.number == number && desk.text.hasPrefix("OPENID4VP://"))
        desk.pass(1)
        #expect(desk.number == number + 1)
    }

    @Test("each has its time, and every change has a number")
    func turns() throws {
        let desk = try Desk(OfferSettings([.tuvali, .aries, .trustedKey], turn: 8_000))
        desk.put("didcomm://a", .aries)
        desk.begin()
        desk.put("https://w", .trustedKey)
        var seen: [OfferedKind?] = [], numbers: Set<UInt64> = []
        for _ in 0..<6 {
            seen.append(desk.shown)
            numbers.insert(desk.number)
            desk.pass(7_999)
            #expect(desk.shown == seen.last)
            desk.pass(1)
        }
        #expect(Set(seen).count == 3 && seen[0] == seen[3] && seen[1] == seen[4] && seen[2] == seen[5] && numbers.count == 6)
    }

    @Test("a text in place of the one that is shown has a number, and one that waits has none yet")
    func replaced() throws {
        let desk = try Desk(OfferSettings([.aries, .trustedKey]))
        desk.put("didcomm://a", .aries)
        desk.begin()
        desk.put("https://w", .trustedKey)
        #expect(desk.shown == .aries && desk.text == "didcomm://a")
        let number = desk.number
        desk.put("https://v", .trustedKey)
        #expect(desk.number == number)
        desk.put("didcomm://b", .aries)
        #expect(desk.number == number + 1 && desk.text == "didcomm://b")
        desk.remove(.aries)
        #expect(desk.number == number + 2 && desk.text == "https://v")
        desk.remove(.trustedKey)
        #expect(desk.text == "" && desk.shown == nil && desk.isWiped)
    }

    @Test("the longest text has room, a longer one is none, and nothing stays of a text that is over")
    func length() throws {
        let desk = try Desk(OfferSettings([.tuvali, .aries]))
        desk.begin()
        let longest = String(repeating: "a", count: Offer.longestText)
        #expect(desk.put(longest, .aries) && !desk.put(longest + "a", .aries) && desk.isWiped)
        #expect(!desk.put("", .aries))
        #expect(desk.put(longest, .aries) && !desk.isWiped)
        desk.withdraw()
        #expect(desk.isWiped && desk.text == "")
        desk.pass(100_000)
        #expect(desk.text == "")
    }

    @Test("a code without room is passed over as long as there is another, until the screen is another one")
    func room() throws {
        let desk = try Desk(OfferSettings([.tuvali, .aries]))
        desk.put("didcomm://a", .aries)
        desk.begin()
        while desk.shown != .aries { desk.pass(8_000) }
        #expect(desk.passOver() && desk.shown == .tuvali)
        #expect(!desk.passOver(), "there is no other")
        desk.pass(20_000)
        #expect(desk.shown == .tuvali)
        desk.put("didcomm://b", .aries)
        #expect(desk.shown == .tuvali)
        desk.passOverNone()
        desk.pass(8_000)
        #expect(desk.shown == .aries)
    }

    @Test("settings hold themselves within their bounds")
    func settings() {
        #expect(OfferSettings([]).kinds == [.tuvali] && OfferSettings([.aries], turn: 1).turn == 2_000)
        #expect(OfferSettings([.aries], turn: .max).turn == 60_000 && OfferSettings().turn == 8_000)
    }
}
