import Audit
import Testing

@testable import Relay

@Suite("The collector's word")
struct CollectorWordTests {
    private func place(_ sequence: UInt64, _ digit: String = "a") -> AuditPlace {
        AuditPlace(sequence: sequence, digest: String(repeating: digit, count: 64), previous: "")
    }

    private func word(_ text: String) throws -> CollectorWord { try #require(CollectorWord(Array(text.utf8))) }

    private func flight(_ numbers: ClosedRange<UInt64>) -> RecordsInFlight {
        var flight = RecordsInFlight(waitsForConfirmation: true)
        for number in numbers {
            flight.add(Int32(number), place(number))
            flight.acknowledge(Int32(number))
        }
        return flight
    }

    @Test("a number, and perhaps sixteen digits behind one space")
    func form() throws {
        let identity = String(repeating: "a", count: 16)
        #expect(try word("7").identity == nil && word("7").sequence == 7)
        #expect(try word("7 \(identity)").identity == identity)
        for text in ["", " ", "7 ", " 7", "7  \(identity)", "7 \(identity) ", "7 \(identity)a", "7 \(identity.uppercased())", "-7", "7\n"] {
            #expect(CollectorWord(Array(text.utf8)) == nil, "\(text)")
        }
    }

    @Test("with an identity it counts for that record, and for no other of its number")
    func identities() throws {
        var flight = flight(1...5)
        let another = try word("3 bbbbbbbbbbbbbbbb"), good = try word("3 aaaaaaaaaaaaaaaa"), late = try word("1 aaaaaaaaaaaaaaaa")
        let ignored = flight.confirm(another, logReaches: 5)
        #expect(ignored == .ignored && flight.delivered == nil)
        let taken = flight.confirm(good, logReaches: 5)
        #expect(taken == .taken && flight.delivered == place(3) && flight.count == 2)
        // What is delivered already is in flight no more.
        let old = flight.confirm(late, logReaches: 5)
        #expect(old == .ignored && flight.delivered == place(3))
    }

    @Test("ahead of what was handed out it waits, without an identity only as far as the log is not known to reach")
    func ahead() throws {
        var flight = flight(1...2)
        let bare = try word("4"), whole = try word("4 aaaaaaaaaaaaaaaa")
        let waits = flight.confirm(bare, logReaches: 3), waitsToo = flight.confirm(whole, logReaches: 9)
        #expect(waits == .ahead && waitsToo == .ahead && flight.delivered == nil && !flight.isNextConfirmed)
        let taken = flight.confirm(bare, logReaches: 4)
        #expect(taken == .taken && flight.delivered == place(2) && flight.isNextConfirmed)
        // After everything is handed out again, it has to be said again.
        flight.forget()
        #expect(!flight.isNextConfirmed)
        flight.add(3, place(3))
        flight.acknowledge(3)
        #expect(flight.delivered == place(2) && flight.count == 1)
    }

    @Test("what was thinned out is delivered with what comes behind it")
    func thinned() throws {
        var flight = flight(1...4000)
        flight.add(4001, place(4001))
        flight.thin()
        #expect(flight.count == 1 && flight.unanswered == 1 && flight.delivered == nil)
        flight.acknowledge(4001)
        let taken = flight.confirm(try word("4001 aaaaaaaaaaaaaaaa"), logReaches: 4001)
        #expect(taken == .taken && flight.delivered == place(4001))
    }

    @Test("without a collector nobody's word is waited for")
    func broker() throws {
        var flight = RecordsInFlight(waitsForConfirmation: false)
        flight.add(1, place(1))
        let ignored = flight.confirm(try word("1"), logReaches: 1)
        #expect(ignored == .ignored && !flight.isNextConfirmed)
        flight.acknowledge(1)
        #expect(flight.delivered == place(1))
    }
}
