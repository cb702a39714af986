import Testing

@testable import Credentials
@testable import Envelopes
@testable import Trust

@Suite struct BundleHighWaterTests {
    private func bundle(_ sequence: Int64, created: Int64 = TestBundle.created) throws -> TrustBundle {
        var test = TestBundle()
        test.sequence = sequence
        test.created = created
        return try test.bundle()
    }

    @Test("it only ever rises")
    func rises() throws {
        var mark = HighWater()
        #expect(mark.sequence == 0 && mark.time == 0)
        try mark.raise(to: bundle(5))
        #expect(mark.sequence == 5 && mark.time == TestBundle.created)
        try mark.raise(to: bundle(4, created: TestBundle.created + 10))
        #expect(mark.sequence == 5 && mark.time == TestBundle.created + 10)
        #expect(try mark.isOf(bundle(5)) && !mark.isOf(bundle(4)))
        #expect(try !mark.isOf(bundle(5, created: TestBundle.created + 1)), "the same number, another bundle")
        mark.raise(toTime: 3)
        mark.raise(toTime: .min)
        #expect(mark.time == TestBundle.created + 10)
        mark.raise(toTime: .max)
        #expect(mark.time == Timestamp.latest)
        #expect(try HighWater(decoding: #require(mark.encoded)) == mark)
    }

    @Test("every octet of it is guarded, and so is its length")
    func damage() throws {
        var mark = HighWater()
        try mark.raise(to: bundle(5))
        let octets = try #require(mark.encoded)
        #expect(HighWater(decoding: octets) == mark && octets.count < HighWater.longest)
        for length in octets.indices { #expect(HighWater(decoding: Array(octets[..<length])) == nil) }
        for position in octets.indices {
            for bit in 0..<8 {
                var changed = octets
                changed[position] ^= 1 << bit
                #expect(HighWater(decoding: changed) == nil)
            }
        }
        #expect(HighWater(decoding: octets + octets) == nil)
        #expect(HighWater(decoding: [UInt8](repeating: 0, count: octets.count)) == nil)
    }

    @Test("a clock behind the mark is unsure, and time does not go back with it")
    func clock() {
        #expect(TrustedClock(wall: 100, highWater: 100) == .sure(100))
        #expect(TrustedClock(wall: 101, highWater: 100) == .sure(101))
        #expect(TrustedClock(wall: 99, highWater: 100) == .unsure(atLeast: 100))
        #expect(TrustedClock(wall: .min, highWater: 0) == .unsure(atLeast: 0))
        #expect(TrustedClock(wall: 0, highWater: 100).now == 100 && TrustedClock(wall: 200, highWater: 100).now == 200)
    }

    @Test(
        "times are written as they are read",
        arguments: [
            (0, "1970-01-01T00:00:00Z"), (951_782_400, "2000-02-29T00:00:00Z"), (1_767_225_599, "2025-12-31T23:59:59Z"),
            (1_800_000_000, "2027-01-15T08:00:00Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"), (253_402_300_799, "9999-12-31T23:59:59Z"),
        ] as [(Int64, String)])
    func times(_ seconds: Int64, _ text: String) {
        #expect(Timestamp.text(seconds) == text)
    }

    @Test func everyFewWeeksForEightThousandYears() {
        for time in stride(from: 0, through: Timestamp.latest, by: 3_456_789) {
            #expect(Timestamp.text(time).flatMap(Timestamp.seconds) == time)
        }
        #expect(Timestamp.text(-1) == nil && Timestamp.text(Timestamp.latest + 1) == nil)
    }
}
