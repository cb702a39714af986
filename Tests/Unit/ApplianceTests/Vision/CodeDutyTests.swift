import Testing

@testable import Appliance

@Suite("When the camera looks for codes")
struct CodeDutyTests {
    private static let second: UInt64 = 1_000_000_000

    /// How many of a camera's pictures are looked at, of so many seconds.
    private func looks(_ duty: inout CodeDuty, from start: UInt64, seconds: UInt64, rate: UInt64) -> Int {
        var count = 0
        for number in 0..<seconds * rate {
            let now = start + number * Self.second / rate
            guard duty.isDue(at: now) else { continue }
            duty.look(at: now)
            count += 1
        }
        return count
    }

    @Test("off, nothing is looked at, whoever wants it and whatever is pressed or moves")
    func off() {
        var duty = CodeDuty(.off)
        duty.want(true, at: 0)
        duty.press(at: 0)
        duty.see(change: 255, hasCode: true, at: 0)
        #expect(!duty.needsCamera(at: 1) && !duty.isDue(at: 1) && !duty.isAlert(at: 1) && duty.deadline(at: 1) == nil)
    }

    @Test("always: ten looks a second in the long run, from a camera of any rate, and from a slow one each picture")
    func rates() {
        for (rate, least, most) in [(30, 99, 101), (60, 99, 101), (25, 99, 101), (10, 100, 100), (5, 50, 50), (15, 75, 101)] {
            var duty = CodeDuty(.always)
            duty.want(true, at: 0)
            let count = looks(&duty, from: Self.second, seconds: 10, rate: UInt64(rate))
            #expect((least...most).contains(count), "\(rate) pictures a second: \(count)")
        }
    }

    @Test("after a pause there are no more looks than after none")
    func noBurst() {
        var duty = CodeDuty(.always)
        duty.want(true, at: 0)
        duty.look(at: 0)
        let late = 3600 * Self.second
        #expect(looks(&duty, from: late, seconds: 1, rate: 100) <= 11)
    }

    @Test("nothing is looked at while no visit may begin")
    func unwanted() {
        for policy in CodePolicy.allCases {
            var duty = CodeDuty(policy)
            #expect(!duty.needsCamera(at: 1) && !duty.isDue(at: 1))
            duty.press(at: 1)
            #expect(!duty.needsCamera(at: 1) && !duty.isDue(at: 1))
            duty.want(true, at: 2)
            duty.want(false, at: 3)
            #expect(!duty.isDue(at: 4), "\(policy)")
        }
    }

    @Test("the camera stays on for a minute after a visit began, and then goes off")
    func lingers() throws {
        for policy in [CodePolicy.always, .motion] {
            var duty = CodeDuty(policy)
            duty.want(true, at: 0)
            #expect(duty.needsCamera(at: 1000 * Self.second) && duty.deadline(at: 1000 * Self.second) == nil)
            duty.want(false, at: 1000 * Self.second)
            let end = try #require(duty.deadline(at: 1001 * Self.second))
            #expect(end == 1000 * Self.second + CodeDuty.lingerTime)
            #expect(duty.needsCamera(at: end - 1) && !duty.needsCamera(at: end) && duty.deadline(at: end) == nil)
            duty.want(true, at: end + 1)
            #expect(duty.needsCamera(at: end + 1))
        }
    }

    @Test("motion: two looks a second while nothing moves, ten for ten seconds after something did, or a code came into sight")
    func motion() {
        var duty = CodeDuty(.motion)
        duty.want(true, at: 0)
        // Whoever wanted it first may have somebody before them.
        #expect(looks(&duty, from: 0, seconds: 10, rate: 30) >= 99)
        #expect((19...22).contains(looks(&duty, from: 10 * Self.second, seconds: 10, rate: 30)))
        duty.see(change: CodeDuty.motion - 1, hasCode: false, at: 20 * Self.second)
        #expect((19...21).contains(looks(&duty, from: 20 * Self.second, seconds: 10, rate: 30)))
        for (change, hasCode) in [(CodeDuty.motion, false), (0, true)] {
            duty.see(change: change, hasCode: hasCode, at: 30 * Self.second)
            #expect(duty.isAlert(at: 40 * Self.second - 1) && !duty.isAlert(at: 40 * Self.second))
        }
        #expect(looks(&duty, from: 30 * Self.second, seconds: 10, rate: 30) >= 95)
        // A poster: until it was out of sight for a picture.
        duty.see(change: 0, hasCode: true, at: 39 * Self.second)
        #expect(!duty.isAlert(at: 40 * Self.second))
        duty.see(change: 0, hasCode: false, at: 50 * Self.second)
        #expect(!duty.isAlert(at: 50 * Self.second))
        duty.see(change: 0, hasCode: true, at: 51 * Self.second)
        #expect(duty.isAlert(at: 61 * Self.second - 1) && duty.needsCamera(at: 1000 * Self.second))
    }

    @Test("button: the camera is off until it is pressed, on for thirty seconds, and longer when it is pressed again")
    func button() throws {
        var duty = CodeDuty(.button)
        duty.want(true, at: 0)
        duty.see(change: 255, hasCode: true, at: 0)
        #expect(!duty.needsCamera(at: Self.second) && !duty.isDue(at: Self.second))
        duty.press(at: 100 * Self.second)
        #expect(duty.needsCamera(at: 100 * Self.second) && duty.isDue(at: 100 * Self.second))
        #expect(duty.deadline(at: 100 * Self.second) == 130 * Self.second)
        duty.press(at: 120 * Self.second)
        #expect(duty.deadline(at: 121 * Self.second) == 150 * Self.second)
        #expect(!duty.needsCamera(at: 150 * Self.second) && !duty.isDue(at: 150 * Self.second))
        // A visit in between takes nothing of the time.
        duty.press(at: 200 * Self.second)
        duty.want(false, at: 201 * Self.second)
        #expect(duty.needsCamera(at: 229 * Self.second) && !duty.isDue(at: 210 * Self.second))
        duty.want(true, at: 215 * Self.second)
        #expect(duty.isDue(at: 216 * Self.second) && !duty.isDue(at: 230 * Self.second))
    }

    @Test("the button is nothing where the camera is on without it")
    func pressed() {
        var duty = CodeDuty(.motion)
        duty.want(true, at: 0)
        duty.press(at: 60 * Self.second)
        #expect(!duty.isAlert(at: 60 * Self.second))
    }

    @Test("times at the end of the clock's range do no harm")
    func overflow() {
        for policy in CodePolicy.allCases {
            var duty = CodeDuty(policy)
            duty.want(true, at: .max - 1)
            duty.press(at: .max - 1)
            duty.see(change: 255, hasCode: true, at: .max - 1)
            _ = duty.isDue(at: .max)
            duty.look(at: .max)
            duty.want(false, at: .max)
            _ = (duty.deadline(at: .max), duty.isDue(at: .max), duty.needsCamera(at: .max))
        }
    }
}
