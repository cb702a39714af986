import Faces
import TestSupport
import Testing

/// What a stranger gains by many frames. The attempts are real ones: each pattern of passing frames goes through a `FaceCheck`.
@Suite("The vote")
struct FaceVoteTests {
    /// For each pattern of twelve frames, a bit for each that would pass, whether it ends in a bound visitor.
    private static let accepted: [Bool] = (0..<1 << 12).map { pattern in
        guard var attempt = try? Scene.looking() else { return true }
        for frame in 0..<12 { attempt.see(Scene.face(pattern >> frame & 1 == 1 ? 0.9 : 0.1)) }
        return attempt.isBound
    }

    /// How likely an attempt is to be accepted where each frame passes with this probability, independently: exact, over all patterns.
    private func acceptance(_ probability: Double) -> Double {
        var sum = 0.0
        for (pattern, accepted) in Self.accepted.enumerated() where accepted {
            var product = 1.0
            for frame in 0..<12 { product *= pattern >> frame & 1 == 1 ? probability : 1 - probability }
            sum += product
        }
        return sum
    }

    @Test("every accepted pattern has three passes among five, and every such pattern is accepted")
    func patterns() {
        for (pattern, accepted) in Self.accepted.enumerated() {
            let isVote = (0...7).contains { (pattern >> $0 & 0b11111).nonzeroBitCount >= 3 }
            #expect(accepted == isVote)
        }
    }

    @Test(
        "frames that are independent make an attempt harder to pass than one comparison, where the best of twelve would be twelve times as easy"
    )
    func independent() {
        for probability in [0.000_1, 0.001, 0.01, 0.05, 0.1] {
            let vote = acceptance(probability), best = 1 - (0..<12).reduce(1.0) { product, _ in product * (1 - probability) }
            #expect(vote < probability)
            #expect(vote <= 52 * probability * probability * probability)
            #expect(best > 7 * probability)
        }
        #expect(acceptance(0.001) < 1e-7)
    }

    @Test("a look-alike's gain is small: whichever part of the frames passes, an attempt passes at most 1.8 times as often")
    func lookAlike() {
        let gain = (1...99).map { acceptance(Double($0) / 100) / (Double($0) / 100) }.max() ?? .infinity
        #expect(gain < 1.8)
        // And somebody of whom half the frames pass is accepted: the threshold, not the vote, has to keep him out.
        #expect(acceptance(0.5) > 0.88)
    }

    @Test("however frames hang together, an attempt passes at most four times as often as a frame")
    func worst() {
        // Each accepted pattern has at least 3 passes of 12: no distribution of patterns makes more than 12 / 3 attempts of one frame's
        // probability.
        for (pattern, accepted) in Self.accepted.enumerated() where accepted { #expect(pattern.nonzeroBitCount >= 3) }
    }

    @Test("scores drawn by chance are accepted as often as the sum over all patterns says", arguments: [0.05, 0.2])
    func drawn(probability: Double) throws {
        var chance = SeededRandom(seed: 7)
        var accepted = 0
        let attempts = 20_000
        for _ in 0..<attempts {
            var attempt = try Scene.looking()
            for _ in 0..<12 { attempt.see(Scene.face(Double.random(in: 0..<1, using: &chance) < probability ? 0.9 : 0.1)) }
            if attempt.isBound { accepted += 1 }
        }
        let expected = acceptance(probability) * Double(attempts)
        #expect(abs(Double(accepted) - expected) < 5 * expected.squareRoot())
    }
}

@Suite("Any order of events")
struct FaceCheckPropertyTests {
    private enum Event: CaseIterable {
        case pass, fail, notANumber, nobody, black, two, blurred, elsewhere, attack, unscored, repeated, workerReady, reference, died,
            expire, wait
    }

    /// The rule in other words: the newest frames backwards, up to whatever breaks the face's row.
    private func isVoted(_ row: [Bool]) -> Bool { row.suffix(5).filter { $0 }.count >= 3 }

    @Test("bind nobody without three passes of one face in a row, after an attack, or without a worker and a reference", arguments: 0..<40)
    func property(seed: UInt64) throws {
        var chance = SeededRandom(seed: seed)
        var bound = 0
        for _ in 0..<250 {
            let events = (0..<Int.random(in: 0...40, using: &chance)).map { _ in Self.draw(&chance) }
            bound += try run(events, prepared: Int.random(in: 0..<8, using: &chance) != 0) ? 1 : 0
        }
        #expect(bound > 0)
    }

    private static func draw(_ chance: inout SeededRandom) -> Event {
        // Mostly passing frames: otherwise nobody is ever bound and nothing is shown.
        if Int.random(in: 0..<10, using: &chance) < 5 { return .pass }
        return Event.allCases.randomElement(using: &chance) ?? .pass
    }

    private func run(_ events: [Event], prepared: Bool) throws -> Bool {
        let thresholds = try Scene.thresholds()
        var attempt = prepared ? try Scene.looking(checksAttacks: true) : Attempt()
        var row: [Bool] = [], place: Float = 100, compared = 0, ended = false, workers = prepared ? 1 : 0, references = prepared ? 1 : 0
        for event in events {
            let before = attempt.check.outcome
            switch event {
            case .pass, .fail, .notANumber:
                let score = event == .pass ? 0.8 : event == .fail ? 0.7 : Double.nan
                attempt.see(Scene.face(score, x: place, attack: -1))
                row.append(event == .pass)
                compared += 1
            case .nobody, .black, .two:
                attempt.see(event == .nobody ? Scene.nobody : event == .black ? Scene.black : Scene.two)
                row = []
            case .blurred:
                var frame = Scene.blurred
                frame.face.x = place
                attempt.see(frame)
            case .elsewhere:
                place = place < 300 ? 400 : 100
                attempt.see(Scene.face(0.9, x: place, attack: -1))
                row = [true]
                compared += 1
            case .attack, .unscored:
                attempt.see(Scene.face(1, x: place, attack: event == .attack ? 1 : nil))
                ended = true
            case .repeated:
                attempt.check.takeProbe(Scene.face(1, x: place, attack: -1), captured: attempt.shown, at: attempt.now)
            case .workerReady:
                attempt.check.workerReady(Scene.identity(checksAttacks: true), thresholds: thresholds, at: attempt.now)
                workers += 1
            case .reference:
                attempt.check.takeReference(Scene.face(nil), at: attempt.now)
                references += 1
            case .died:
                attempt.check.workerFailed(.workerFailed)
                ended = true
            case .expire:
                attempt.check.expire(at: attempt.now)
            case .wait:
                attempt.now += 1_500 * Scene.millisecond
                row = []
            }
            if before != nil { #expect(attempt.check.outcome == before) }
            if before == nil, attempt.isBound {
                #expect(isVoted(row) && !ended && workers == 1 && references == 1 && compared <= 12)
            }
            #expect((attempt.check.outcome == nil) == (attempt.check.deadline != nil))
            #expect((attempt.check.outcome == nil) == (attempt.check.wants != .nothing))
        }
        attempt.check.expire(at: .max)
        #expect(attempt.check.outcome != nil)
        return attempt.isBound
    }
}
