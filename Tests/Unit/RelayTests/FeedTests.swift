import Audit
import JSON
import Testing

@testable import Relay

private func place(_ sequence: UInt64) -> AuditPlace {
    AuditPlace(sequence: sequence, digest: String(repeating: "d", count: 64), previous: String(repeating: "c", count: 64))
}

private func line(_ sequence: UInt64, at: UInt64, _ rest: String) -> [UInt8] {
    Array(#"{"seq":\#(sequence),"prev":"\#(String(repeating: "c", count: 64))","at":\#(at),"up":7,\#(rest)}"#.utf8)
}

private let visit = """
    "event":"visit","visit":6,"outcome":"rejected","reasons":["no-match","expired"],"detail":"birth_date","form":"sd_jwt",\
    "issuer":"https://issuer.example","definition":"did:x","proven":["birth_date <= 20080926"],"docType":"a","bundle":12,"status":"good",\
    "holder":"bound","face":"match","faceBin":"far","faceMs":12,"mtu":517,"decidedMs":75,"something":"new"
    """

/// What leaves of a record, by each detail.
@Suite struct FeedTests {
    @Test func allIsTheLineOctetForOctet() throws {
        var composer = FeedComposer(FeedSettings(gate: "east-1", detail: .all))
        let octets = line(7, at: 100, visit)
        let recordTaken = composer.take(place(7), octets)
        let record = try #require(recordTaken)
        #expect(record.octets == octets)
        #expect(record.first == 7 && record.last == 7 && record.at == 100 && record.outcome == "rejected")
        #expect(record.reasons == ["no-match", "expired"])
    }

    @Test func verdictsHaveNeitherIssuerNorWhatWasProvenNorTimesInMilliseconds() throws {
        var composer = FeedComposer(FeedSettings(gate: "east-1"))
        let recordTaken = composer.take(place(7), line(7, at: 100, visit))
        let record = try #require(recordTaken)
        #expect(
            String(decoding: record.octets, as: UTF8.self) == """
                {"feed":1,"gate":"east-1","seq":7,"id":"dddddddddddddddd","at":100,"event":"visit","visit":6,"outcome":"rejected","reasons":["no-match","expired"],\
                "form":"sd_jwt","bundle":12}
                """)
        // What this version does not know leaves with its number alone.
        let otherTaken = composer.take(place(8), line(8, at: 101, #""event":"novelty","name":"Ada""#))
        let other = try #require(otherTaken)
        #expect(
            String(decoding: other.octets, as: UTF8.self) == """
                {"feed":1,"gate":"east-1","seq":8,"id":"dddddddddddddddd","at":101,"event":"novelty"}
                """)
        #expect(record.identity == "dddddddddddddddd")
    }

    @Test func countsStandForAStretchOfTime() throws {
        var composer = FeedComposer(FeedSettings(gate: "east-1", detail: .counts, period: 60))
        let accepted = #""event":"visit","outcome":"accepted""#
        for (number, at, rest) in [
            (1, 120, accepted), (2, 179, accepted), (3, 179, #""event":"door","what":"more","kind":"opened","count":4"#),
            (4, 179, #""event":"fruitless","links":9"#),
        ] as [(UInt64, UInt64, String)] {
            let early = composer.take(place(number), line(number, at: at, rest))
            #expect(early == nil)
        }
        let firstTaken = composer.take(place(5), line(5, at: 180, #""event":"started""#))
        let first = try #require(firstTaken)
        #expect(first.first == 1 && first.last == 4)
        #expect(
            String(decoding: first.octets, as: UTF8.self) == """
                {"feed":1,"gate":"east-1","event":"counts","from":1,"to":4,"id":"dddddddddddddddd","since":120,"seconds":60,"visits":{"accepted":2},\
                "door":{"opened":4},"links":9}
                """)
        // Not before its time is over; and then though nothing came.
        for now in [239, 240, 241] as [UInt64] {
            let early = composer.takeOver(now)
            #expect(early == nil)
        }
        let secondTaken = composer.takeOver(242)
        let second = try #require(secondTaken)
        #expect(second.first == 5 && second.last == 5)
        let empty = composer.takeOver(400)
        #expect(empty == nil)
        // Forgotten, nothing of it comes.
        _ = composer.take(place(6), line(6, at: 300, accepted))
        composer.reset()
        let forgotten = composer.takeOver(1000)
        #expect(forgotten == nil)
    }

    @Test func healthIsTheNewestOfEach() throws {
        var health = FeedHealth()
        for (number, rest) in [
            (1, #""event":"started","version":"9","slot":"A","clock":"sure","bundle":12,"bundleNotAfter":1000000"#),
            (2, #""event":"door","what":"held""#), (3, #""event":"door","what":"tamper""#), (4, #""event":"door","what":"held-ended""#),
            (5, #""event":"trust","bundle":13"#),
        ] as [(UInt64, String)] {
            health.take(place(number), line(number, at: 100 + number, rest))
        }
        #expect(health.door == ["tamper"] && health.bundle == 13 && health.version == "9" && health.started == 101)
        #expect(health.bundleDays(1_000_000 - 86_400) == 1 && health.bundleDays(1_000_000 - 86_399) == 0)
        #expect(health.bundleDays(1_000_001) == -1)
        let root = try JSONDocument(parsing: health.octets(gate: "east-1", now: 200, delivered: 4)).root
        #expect(root["trouble"]?.bool == true && root["delivered"]?.int64 == 4 && root["bundleDays"]?.int64 == 11)
        #expect(root["seq"]?.int64 == 5 && root["id"]?.string == "dddddddddddddddd" && root["lastAt"]?.int64 == 105)
        // Where only counts leave, that a record came is not told before its stretch is.
        let counted = try JSONDocument(parsing: health.counted(upTo: 3).octets(gate: "east-1", now: 200, delivered: 0)).root
        #expect(counted["seq"]?.int64 == 3 && counted["id"] == nil && counted["lastAt"] == nil && counted["trouble"]?.bool == true)
        // A record that was handed out is in the log, whatever was read of it.
        health.reach(place(4), at: 1)
        #expect(health.sequence == 5)
        health.reach(place(6), at: 109)
        #expect(health.sequence == 6 && health.at == 109)
        // A gate that was started anew says what is wrong at its door anew.
        health.take(place(7), line(7, at: 110, #""event":"started","version":"9""#))
        #expect(health.door.isEmpty)
    }

    @Test func whatIsInFlightIsDeliveredInOneRow() {
        var flight = RecordsInFlight(waitsForConfirmation: false)
        for key in 1...5 as ClosedRange<Int32> { flight.add(key, place(UInt64(key) + 10)) }
        flight.acknowledge(2)
        flight.acknowledge(3)
        flight.acknowledge(77)
        #expect(flight.delivered == nil && flight.unanswered == 3)
        flight.acknowledge(1)
        #expect(flight.delivered == place(13) && flight.count == 2)
        // The same answer again is nothing.
        flight.acknowledge(1)
        #expect(flight.unanswered == 2 && !flight.isWaiting(1) && flight.isWaiting(4))
        flight.forget()
        flight.acknowledge(4)
        #expect(flight.delivered == place(13) && flight.count == 0)
    }

    @Test func aConfirmationCountsForWhatIsAcknowledged() {
        var flight = RecordsInFlight(waitsForConfirmation: true)
        for key in 1...3 as ClosedRange<Int32> { flight.add(key, place(UInt64(key))) }
        flight.confirm(2)
        #expect(flight.delivered == nil)
        for key in 1...3 as ClosedRange<Int32> { flight.acknowledge(key) }
        #expect(flight.delivered == place(2))
        flight.confirm(1)
        flight.confirm(3)
        #expect(flight.delivered == place(3))
    }

    @Test func thePauseDoublesToAMinute() {
        var pause = RetryPause()
        let seconds = (0..<9).map { _ in pause.after(.short, chance: 1).map { $0 / 500_000_000 } }
        #expect(seconds == [1, 2, 4, 8, 16, 32, 64, 120, 120])
        for (kind, chance, wanted) in [
            (.minute, 1, 60_000_000_000), (.minute, 0, 15_000_000_000), (.forever, 0, nil), (.seconds(.max), 0, nil),
            // What an outlet asks for itself is never cut short.
            (.seconds(3), 0, 3_000_000_000), (.seconds(3), 1, 3_300_000_000), (.seconds(0), 1, 0),
            (.seconds(36_000), 1, 36_060_000_000_000), (.short, 0, RetryPause.least), (.short, 1, RetryPause.most),
        ] as [(OutletTrouble.Pause, Double, UInt64?)] {
            let found = pause.after(kind, chance: chance)
            #expect(found == wanted)
        }
        pause.reset()
        let first = pause.after(.short, chance: 1)
        #expect(first == RetryPause.first)
    }

    @Test func aThousandGatesDoNotComeBackInOneMoment() {
        // After minutes without their broker: by chance alone some 17 in each second; half as many again are few enough.
        var seconds: [UInt64: Int] = [:]
        for _ in 0..<10_000 {
            var pause = RetryPause()
            for _ in 0..<8 { _ = pause.after(.short, chance: 1) }
            if let length = pause.after(.short, chance: .random(in: 0...1)) { seconds[length / 1_000_000_000, default: 0] += 1 }
        }
        #expect(seconds.count >= 59 && seconds.values.allSatisfy { $0 < 300 })
    }

    @Test func haveIsANumberAndNothingElse() {
        for (text, number) in [("0", 0), ("100", 100), ("18446744073709551615", .max)] as [(String, UInt64)] {
            #expect(GateTopics.have(Array(text.utf8)) == number)
        }
        for text in ["", " 1", "1 ", "-1", "+1", "1e3", "0x1", "18446744073709551616", "100000000000000000000", "١"] {
            #expect(GateTopics.have(Array(text.utf8)) == nil, "\(text)")
        }
    }
}
