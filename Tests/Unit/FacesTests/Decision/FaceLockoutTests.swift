import TestSupport
import Testing

@testable import Faces

@Suite("The lockout")
struct FaceLockoutTests {
    private let minute = 60 * Scene.second
    private let failed = FaceOutcome(decision: .refused(.noMatch, .below), frames: 12, compared: 12, isTrial: true)
    private let bound = FaceOutcome(decision: .bound(.above), frames: 3, compared: 3, isTrial: true)

    private func key(_ number: Int) throws -> CredentialKey {
        try #require(CredentialKey((0..<32).map { UInt8(truncatingIfNeeded: number >> (8 * min($0, 7))) }))
    }

    @Test("locks a credential out after three trials, for ten minutes")
    func locks() throws {
        var lockout = FaceLockout(settings: .standard)
        let key = try key(1)
        var now: UInt64 = 0
        for _ in 0..<3 {
            #expect(lockout.permits(key, at: now))
            lockout.note(failed, of: key, at: now)
            now += Scene.second
        }
        let locked = now - Scene.second
        #expect(!lockout.permits(key, at: now))
        #expect(!lockout.permits(key, at: locked + 10 * minute - 1))
        #expect(lockout.permits(key, at: locked + 10 * minute))
        #expect(lockout.permits(try self.key(2), at: now))
    }

    @Test("is twice as long each time, up to an hour")
    func grows() throws {
        var lockout = FaceLockout(settings: .standard)
        let key = try key(1)
        var now: UInt64 = 0
        for length in [10, 20, 40, 60, 60] as [UInt64] {
            for _ in 0..<3 {
                #expect(lockout.permits(key, at: now))
                lockout.note(failed, of: key, at: now)
            }
            #expect(!lockout.permits(key, at: now + length * minute - 1))
            now += length * minute
            #expect(lockout.permits(key, at: now))
        }
    }

    @Test("failures are remembered for an hour: waiting between them gains little")
    func slowly() throws {
        var lockout = FaceLockout(settings: .standard)
        let key = try key(1)
        lockout.note(failed, of: key, at: 0)
        lockout.note(failed, of: key, at: 50 * minute)
        lockout.note(failed, of: key, at: 100 * minute)
        #expect(!lockout.permits(key, at: 100 * minute + 1))
        lockout = FaceLockout(settings: .standard)
        lockout.note(failed, of: key, at: 0)
        lockout.note(failed, of: key, at: 1)
        lockout.note(failed, of: key, at: 71 * minute)
        #expect(lockout.permits(key, at: 71 * minute + 1))
    }

    @Test("success clears, a dead camera counts for nothing, an attack counts")
    func whatCounts() throws {
        var lockout = FaceLockout(settings: .standard)
        let key = try key(1)
        let camera = FaceOutcome(refused: .cameraFailed)
        let attack = FaceOutcome(decision: .refused(.presentationAttack, nil), frames: 1, compared: 0, isTrial: true)
        for _ in 0..<20 { lockout.note(camera, of: key, at: 0) }
        lockout.note(failed, of: key, at: 0)
        lockout.note(attack, of: key, at: 0)
        #expect(lockout.permits(key, at: 0))
        lockout.note(bound, of: key, at: 0)
        lockout.note(failed, of: key, at: 0)
        lockout.note(attack, of: key, at: 0)
        #expect(lockout.permits(key, at: 0))
        lockout.note(attack, of: key, at: 0)
        #expect(!lockout.permits(key, at: 0))
    }

    @Test("refusing one that is locked out does not lengthen it")
    func refusals() throws {
        var lockout = FaceLockout(settings: .standard)
        let key = try key(1)
        for _ in 0..<3 { lockout.note(failed, of: key, at: 0) }
        for _ in 0..<50 { lockout.note(FaceOutcome(refused: .lockedOut), of: key, at: 9 * minute) }
        #expect(lockout.permits(key, at: 10 * minute))
    }

    @Test("a flood of other credentials makes no failure and no lockout forgotten before its time")
    func flood() throws {
        var lockout = FaceLockout(settings: .standard, capacity: 16)
        let stolen = try key(1), once = try key(2)
        for _ in 0..<3 { lockout.note(failed, of: stolen, at: 0) }
        lockout.note(failed, of: once, at: 0)
        lockout.note(failed, of: once, at: 0)
        var refused = 0
        for number in 100..<400 {
            let other = try key(number)
            guard lockout.permits(other, at: UInt64(number)) else {
                refused += 1
                continue
            }
            lockout.note(failed, of: other, at: UInt64(number))
        }
        #expect(refused == 300 - 14)
        #expect(!lockout.permits(stolen, at: 9 * minute))
        // Whoever is in it goes on: the third failure locks.
        #expect(lockout.permits(once, at: 9 * minute))
        lockout.note(failed, of: once, at: 9 * minute)
        #expect(!lockout.permits(once, at: 9 * minute))
        // When their time is over, places are to be had again.
        #expect(lockout.permits(try key(900), at: 11 * minute))
    }

    @Test("what is no longer held is given up oldest first, and only where a place is needed")
    func oldest() throws {
        var lockout = FaceLockout(settings: .standard, capacity: 2)
        let first = try key(1), second = try key(2)
        for _ in 0..<2 { lockout.note(failed, of: first, at: 0) }
        for _ in 0..<2 { lockout.note(failed, of: second, at: minute) }
        lockout.note(failed, of: try key(3), at: 12 * minute)
        lockout.note(failed, of: second, at: 12 * minute)
        #expect(!lockout.permits(second, at: 12 * minute))
        #expect(!lockout.permits(first, at: 12 * minute))
        #expect(lockout.permits(first, at: 23 * minute))
    }

    @Test("no credential ever has more than three trials in any ten minutes, whatever order things come in", arguments: 0..<20)
    func property(seed: UInt64) throws {
        var chance = SeededRandom(seed: seed)
        var lockout = FaceLockout(settings: .standard, capacity: 4)
        var trials: [Int: [UInt64]] = [:]
        var now: UInt64 = 0
        for _ in 0..<2_000 {
            now += UInt64.random(in: 0...minute, using: &chance)
            let number = Int.random(in: 0..<8, using: &chance)
            let key = try key(number)
            guard lockout.permits(key, at: now) else { continue }
            lockout.note(failed, of: key, at: now)
            trials[number, default: []].append(now)
        }
        for times in trials.values where times.count > 3 {
            for index in 3..<times.count { #expect(times[index] - times[index - 3] >= 10 * minute) }
        }
        #expect(trials.values.contains { $0.count > 3 })
    }

    @Test("a clock at its end traps nowhere")
    func endOfTime() throws {
        var lockout = FaceLockout(settings: .standard, capacity: 0)
        let key = try key(1)
        for _ in 0..<9 { lockout.note(failed, of: key, at: .max - 5) }
        #expect(!lockout.permits(key, at: .max - 1))
    }

    @Test("a key is 32 octets, all of which count")
    func keys() throws {
        #expect(CredentialKey([UInt8](repeating: 0, count: 31)) == nil)
        #expect(CredentialKey([UInt8](repeating: 0, count: 33)) == nil)
        #expect(CredentialKey([]) == nil)
        let zero = try #require(CredentialKey([UInt8](repeating: 0, count: 32)))
        for index in 0..<32 {
            var octets = [UInt8](repeating: 0, count: 32)
            octets[index] = 1
            #expect(CredentialKey(octets) != zero)
        }
    }
}
