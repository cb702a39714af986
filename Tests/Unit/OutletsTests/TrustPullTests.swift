import Testing

@testable import TrustPull

@Suite("Looking for a newer bundle")
struct TrustPullTests {
    @Test("all is well: a tenth earlier or later, so that gates spread")
    func spread() {
        var schedule = PullSchedule(interval: 3600)
        #expect(schedule.looked(true, 0) == 3240)
        #expect(schedule.looked(true, 0.5) == 3600)
        #expect(schedule.looked(true, 1) == 3960)
        #expect(schedule.first(0) == 0 && schedule.first(1) == 360)
        #expect(PullSchedule(interval: 86_400).first(1) == 600)
    }

    @Test("a server in trouble is asked less and less often, at least once a day, and as before when it is well")
    func trouble() {
        var schedule = PullSchedule(interval: 3600), pauses: [UInt64] = []
        for _ in 0..<14 { pauses.append(schedule.looked(false, 0.5)) }
        #expect(pauses[..<4] == [60, 120, 240, 480])
        #expect(pauses.allSatisfy { $0 <= 86_400 } && pauses.last == 86_400)
        #expect(zip(pauses, pauses.dropFirst()).allSatisfy { $0 <= $1 })
        #expect(schedule.looked(true, 0.5) == 3600)
        #expect(schedule.looked(false, 0.5) == 60)
        for _ in 0..<1000 { #expect(schedule.looked(false, .nan) >= 1) }
    }

    @Test("a week stays a week", arguments: [604_800 as UInt64])
    func long(_ interval: UInt64) {
        var schedule = PullSchedule(interval: interval)
        #expect(schedule.looked(true, 0.5) == interval)
        for _ in 0..<40 { #expect(schedule.looked(false, 1) <= interval) }
    }

    @Test("tags that can be sent back", arguments: ["\"\"", "\"33a64df5\"", "W/\"a:b!\""])
    func tags(_ text: String) { #expect(EntityTag(text)?.text == text) }

    @Test(
        "and what is none",
        arguments: ["", "\"", "33a64df5", "\"a", "a\"", "w/\"a\"", "\"a\"b\"", "\"a b\"", "\"a\r\nx: y\"", "\"é\"", "\"\u{7F}\""])
    func noTags(_ text: String) { #expect(EntityTag(text) == nil) }

    @Test func longTags() {
        func tag(_ count: Int) -> String { "\"" + String(repeating: "a", count: count - 2) + "\"" }
        #expect(EntityTag(tag(EntityTag.longest)) != nil && EntityTag(tag(EntityTag.longest + 1)) == nil)
    }
}
