import Faces
import TestSupport
import Testing

@Suite("Labelled scores")
struct LabelledScoresTests {
    static func pair(_ first: Int, _ second: Int, _ similarity: Double) -> LabelledPair {
        LabelledPair(first: first, second: second, similarity: similarity)
    }

    /// Independent scores in 0 ..< 1, the genuine ones from 0.4 up; a person is in as few pairs as possible.
    static func drawn(impostors: Int, genuine: Int = 200, seed: UInt64 = 1) throws -> LabelledScores {
        var chance = SeededRandom(seed: seed)
        let others = (0..<impostors).map { pair(2 * $0, 2 * $0 + 1, Double.random(in: 0..<0.6, using: &chance)) }
        let same = (0..<genuine).map { pair($0, $0, Double.random(in: 0.4..<1, using: &chance)) }
        return try LabelledScores(others + same)
    }

    @Test("count what passes at the threshold and what does not")
    func counts() throws {
        let scores = try LabelledScores([
            Self.pair(0, 0, 0.9), Self.pair(0, 0, 0.7), Self.pair(1, 1, 0.5), Self.pair(0, 1, 0.7), Self.pair(0, 2, 0.2),
            Self.pair(1, 0, 0.6),
            Self.pair(1, 0, 0.1),
        ])
        #expect(scores.people == 3)
        #expect(scores.independentPairs == 1)
        #expect(scores.falseNonMatches(at: 0.7) == ErrorRate(errors: 1, trials: 3))
        #expect(scores.falseMatches(at: 0.7) == ErrorRate(errors: 1, trials: 4))
        #expect(scores.falseMatches(at: 0.7.nextUp) == ErrorRate(errors: 0, trials: 4))
        #expect(scores.falseMatches(at: 0) == ErrorRate(errors: 4, trials: 4))
        #expect(scores.falseMatchesOfPeople(at: 0.6) == ErrorRate(errors: 1, trials: 2))
        #expect(scores.falseMatchesOfPeople(at: 0.2) == ErrorRate(errors: 2, trials: 2))
    }

    @Test("are refused where nothing can be said from them, or they are no scores")
    func refused() {
        #expect(throws: CalibrationError.noGenuinePairs) { try LabelledScores([Self.pair(0, 1, 0.5)]) }
        #expect(throws: CalibrationError.noImpostorPairs) { try LabelledScores([Self.pair(1, 1, 0.5)]) }
        #expect(throws: CalibrationError.noGenuinePairs) { try LabelledScores([]) }
        for score in [Double.nan, -0.1, 1.1, .infinity] {
            #expect(throws: CalibrationError.notAScore) { try LabelledScores([Self.pair(0, 1, 0.5), Self.pair(1, 1, score)]) }
        }
    }
}

@Suite("The choice of a threshold")
struct ThresholdChoiceTests {
    @Test("says that too few pairs show nothing, and keeps all of them out")
    func tooFew() throws {
        let scores = try LabelledScoresTests.drawn(impostors: 500)
        let choice = try ThresholdChoice(scores, falseMatchRate: 0.001)
        #expect(!choice.isShown)
        #expect(choice.falseMatches == ErrorRate(errors: 0, trials: 500))
        #expect(choice.bound < 3.0 / 500 && choice.bound > 2.9 / 500)
    }

    @Test("too few pairs do not lower the threshold in force, and enough do")
    func inForce() throws {
        let few = try LabelledScoresTests.drawn(impostors: 500), many = try LabelledScoresTests.drawn(impostors: 5_000)
        #expect(try ThresholdChoice(few, falseMatchRate: 0.001, inForce: 0.75).threshold == 0.75)
        #expect(try ThresholdChoice(few, falseMatchRate: 0.001, inForce: 0.3).threshold > 0.59)
        #expect(try ThresholdChoice(few, falseMatchRate: 0.001, inForce: 0.75).falseNonMatches == few.falseNonMatches(at: 0.75))
        #expect(try ThresholdChoice(many, falseMatchRate: 0.001, inForce: 0.75).threshold < 0.6)
    }

    @Test("shows a rate with as many pairs as it takes, and not with one fewer")
    func enough() throws {
        let needed = try #require(ThresholdChoice.pairsNeeded(falseMatchRate: 0.01))
        #expect(needed == 299)
        #expect(ThresholdChoice.pairsNeeded(falseMatchRate: 0.001) == 2995)
        #expect(ThresholdChoice.pairsNeeded(falseMatchRate: 0) == nil)
        #expect(ThresholdChoice.pairsNeeded(falseMatchRate: .nan) == nil)
        #expect(try ThresholdChoice(LabelledScoresTests.drawn(impostors: needed), falseMatchRate: 0.01).isShown)
        #expect(try !ThresholdChoice(LabelledScoresTests.drawn(impostors: needed - 1), falseMatchRate: 0.01).isShown)
    }

    @Test("allows as many errors as the bound leaves room for, and lies right above the next")
    func errors() throws {
        let scores = try LabelledScoresTests.drawn(impostors: 5_000)
        let choice = try ThresholdChoice(scores, falseMatchRate: 0.01)
        #expect(choice.isShown)
        #expect(choice.bound <= 0.01)
        #expect(choice.falseMatches.upperBound() <= 0.01)
        #expect(ErrorRate(errors: choice.falseMatches.errors + 1, trials: 5_000).upperBound() > 0.01)
        // A little lower, one more would pass.
        #expect(scores.falseMatches(at: choice.threshold - 2e-6).errors == choice.falseMatches.errors + 1)
    }

    @Test("the bound holds although the threshold is taken from the same scores")
    func honest() throws {
        // Impostors are uniform from 0 to 0.6, so that the true rate above a threshold is known.
        var wrong = 0
        for seed in 0..<400 {
            let choice = try ThresholdChoice(
                LabelledScoresTests.drawn(impostors: 400, genuine: 1, seed: UInt64(seed)), falseMatchRate: 0.02)
            if (0.6 - choice.threshold) / 0.6 > choice.bound { wrong += 1 }
        }
        // One in twenty on average; 40 of 400 would be more than four standard deviations off.
        #expect(wrong < 40)
        #expect(wrong > 4)
    }

    @Test("a stricter wish never gives a laxer threshold")
    func monotone() throws {
        let scores = try LabelledScoresTests.drawn(impostors: 3_000)
        var last = 0.0
        for wanted in [1.0, 0.9, 0.5, 0.1, 0.05, 0.01, 0.002, 0.001, 0.0001] {
            let choice = try ThresholdChoice(scores, falseMatchRate: wanted)
            #expect(choice.threshold >= last)
            #expect(choice.threshold > 0)
            last = choice.threshold
        }
    }

    @Test("equal scores are kept out together, and no threshold keeps out the highest score there is")
    func ties() throws {
        let tied = (0..<400).map { LabelledScoresTests.pair(0, 1, $0 < 20 ? 0.8 : 0.3) } + [LabelledScoresTests.pair(0, 0, 0.9)]
        let choice = try ThresholdChoice(try LabelledScores(tied), falseMatchRate: 0.02)
        #expect(choice.threshold > 0.8)
        #expect(choice.falseMatches.errors == 0)
        let highest = try LabelledScores([LabelledScoresTests.pair(0, 1, 1), LabelledScoresTests.pair(0, 0, 1)])
        #expect(throws: CalibrationError.noThreshold) { try ThresholdChoice(highest, falseMatchRate: 0.01) }
    }
}

/// Whether every element of a picture ends, and every coordinate is a number.
private func isWellFormed(_ svg: String) -> Bool {
    var open: [Substring] = []
    for part in svg.split(separator: "<") {
        let tag = part.prefix { $0 != ">" }, name = tag.prefix { $0.isLetter || $0 == "/" }
        if name.hasPrefix("/") {
            guard open.popLast() == name.dropFirst() else { return false }
        } else if !tag.hasSuffix("/") {
            open.append(name)
        }
    }
    return open.isEmpty && !svg.contains("nan") && !svg.contains("inf")
}

@Suite("The plot")
struct DETPlotTests {
    /// The corners of the curve, in the plot's coordinates.
    private func corners(_ svg: String) throws -> [(x: Double, y: Double)] {
        let rest = try #require(svg.split(separator: "points=\"").last)
        let points = try #require(rest.split(separator: "\"").first)
        return points.split(separator: " ").map { corner in
            let numbers = corner.split(separator: ",").compactMap { Double($0) }
            return (numbers[0], numbers[1])
        }
    }

    @Test("falls from the strictest threshold to the laxest, within its frame")
    func curve() throws {
        let scores = try LabelledScoresTests.drawn(impostors: 4_000)
        let svg = DETPlot(scores, choice: try ThresholdChoice(scores, falseMatchRate: 0.01)).svg
        let corners = try corners(svg)
        #expect(corners.count > 50)
        for (left, right) in zip(corners, corners.dropFirst()) {
            #expect(left.x <= right.x && left.y <= right.y)
        }
        for corner in corners { #expect(corner.x >= 70 && corner.x <= 570 && corner.y >= 70 && corner.y <= 570) }
    }

    @Test("is a document whose elements all end")
    func wellFormed() throws {
        let scores = try LabelledScoresTests.drawn(impostors: 300)
        for choice in [nil, try ThresholdChoice(scores, falseMatchRate: 0.1)] {
            let svg = DETPlot(scores, choice: choice).svg
            #expect(isWellFormed(svg))
        }
    }

    @Test("draws perfect separation at the edge")
    func perfect() throws {
        let scores = try LabelledScores([
            LabelledScoresTests.pair(0, 0, 0.9), LabelledScoresTests.pair(0, 1, 0.2),
        ])
        #expect(try corners(DETPlot(scores, choice: nil).svg).contains { $0.x == 70 && $0.y == 570 })
    }
}

@Suite("The histogram")
struct ScoreHistogramTests {
    @Test("counts each score once, one of 1 in the last bin, as shares of its kind")
    func shares() {
        let shares = ScoreHistogram.shares([0, 0.019, 0.02, 0.5, 0.999, 1, 1, 1])
        #expect(shares.count == ScoreHistogram.bins)
        #expect(shares[0] == 0.25 && shares[1] == 0.125 && shares[25] == 0.125 && shares[49] == 0.5)
        #expect(shares.reduce(0, +) == 1)
        #expect(ScoreHistogram.shares([]).allSatisfy { $0 == 0 })
    }

    @Test("draws each kind in its colour where its scores are, and the threshold at its place")
    func places() throws {
        let scores = try LabelledScores([LabelledScoresTests.pair(0, 0, 0.9), LabelledScoresTests.pair(0, 1, 0.1)])
        let svg = ScoreHistogram(scores, threshold: 0.75).svg
        // One bin of each kind is as high as the frame: from 0.9 and from 0.1 of its width of 500 on.
        for (colour, from, to) in [("#06c", "520.0", "530.0"), ("#c60", "120.0", "130.0")] {
            let outline = try #require(svg.split(separator: "<path d=\"").first { $0.contains("fill=\"\(colour)\" fill-opacity") })
            #expect(outline.contains("H\(from)V70.0H\(to)V370.0"), "\(outline)")
        }
        #expect(svg.contains("<path d=\"M445.0 70V370\""))
    }

    @Test("stays within its frame, and every element ends", arguments: [nil, 0, 0.75, 1])
    func drawn(threshold: Double?) throws {
        let scores = try LabelledScoresTests.drawn(impostors: 300)
        let svg = ScoreHistogram(scores, threshold: threshold).svg
        #expect(isWellFormed(svg))
        #expect(svg.contains("stroke-dasharray") == (threshold != nil))
        #expect(svg.contains("300 pairs of two people") && svg.contains("\(scores.genuine.count) pairs of one person"))
        let outlines = svg.split(separator: "<path d=\"").filter { $0.contains("fill-opacity") }
        #expect(outlines.count == 2)
        for outline in outlines {
            let heights = outline.prefix { $0 != "\"" }.split(separator: "V").dropFirst().compactMap {
                Double($0.prefix { $0 != "H" && $0 != "Z" })
            }
            #expect(heights.count == ScoreHistogram.bins + 1 && heights.allSatisfy { $0 >= 70 && $0 <= 370 } && heights.last == 370)
            #expect(try #require(heights.min()) < 370)
        }
    }
}
