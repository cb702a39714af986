import TestSupport
import Testing

@testable import Door

/// The same door once more, by a plain list of what happened: nothing of it is shared with `Doorway`, and it keeps no state but that list.
private struct NaiveDoor {
    let debounce: UInt64 = 30, pulse: UInt64 = 3000
    /// Levels of the exit button and of the emergency release, millisecond by millisecond; nil while the lines are away.
    var exit: [Bool?] = [], emergency: [Bool?] = []
    var admits: [Int] = [], losses: [Int] = [], begins: [Int] = []

    /// Whether a level counts, for each moment up to the end: it does once the 30 ms before were all like it, without a gap.
    ///
    /// - Parameter isFound: whether the level at which lines are found counts at once.
    func settled(_ levels: [Bool?], at end: Int, isFound: Bool) -> [Bool] {
        var counted: [Bool] = [], value = false
        for moment in 0...end {
            let before = levels[max(moment - Int(debounce), 0)..<moment]
            if before.count == Int(debounce), let level = before.last ?? nil, before.allSatisfy({ $0 == level }) { value = level }
            if isFound, begins.contains(moment), let level = levels[moment] { value = level }
            counted.append(value)
        }
        return counted
    }

    func isOpen(at end: Int) -> Bool {
        if settled(emergency, at: end, isFound: false)[end] { return true }
        let presses = settled(exit, at: end, isFound: true)
        let pressed = (1...max(end, 1)).filter {
            $0 <= end && presses[$0] && !presses[$0 - 1] && !begins.contains($0)
        }.filter { settled in
            // Its level began so long before; lines that have just been taken find theirs.
            let since = settled - Int(debounce)
            return !begins.contains { ($0..<$0 + Int(debounce)).contains(since) }
        }
        return (admits + pressed).contains { start in
            end < start + Int(pulse) && !losses.contains { $0 >= start && $0 <= end }
        }
    }
}

@Suite("Door: random doors against a plain list")
struct DoorPropertyTests {
    @Test("The lock is open while a pulse runs or an emergency stands, and never else", arguments: 0..<24)
    func random(seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        let isQuiet = seed % 3 == 0
        var doorway = Doorway(DoorSettings()), naive = NaiveDoor()
        var levels: DoorSignals = [], areThere = true
        for moment in 0..<1500 {
            let now = UInt64(moment + 1000) * 1_000_000
            // Levels that last for a moment, or for long.
            for signal in DoorSignal.allCases where Int.random(in: 0..<(moment % 300 < 150 ? 40 : 8), using: &random) == 0 {
                if isQuiet, signal == .exit || signal == .emergency { continue }
                levels.formSymmetricDifference(DoorSignals(signal))
            }
            if moment == 0 {
                doorway.begin(levels, hasSecond: false, at: now)
                naive.begins.append(0)
            } else if Int.random(in: 0..<400, using: &random) == 0 {
                areThere.toggle()
                if areThere {
                    doorway.begin(levels, hasSecond: false, at: now)
                    naive.begins.append(moment)
                } else {
                    doorway.lose(at: now)
                    naive.losses.append(moment)
                }
            }
            naive.exit.append(areThere ? levels.contains(.exit) : nil)
            naive.emergency.append(areThere ? levels.contains(.emergency) : nil)
            doorway.see(levels, at: now)
            if !isQuiet, Int.random(in: 0..<500, using: &random) == 0, doorway.admit(at: now) { naive.admits.append(moment) }
            if isQuiet {
                #expect(doorway.openings == [], "nobody was let in")
            } else if moment % 7 == 0 {
                #expect(doorway.openings.contains(.entry) == naive.isOpen(at: moment), "seed \(seed), \(moment) ms")
            }
        }
    }
}
