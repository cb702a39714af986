import Testing

@testable import Faces

@Suite("An error rate")
struct ErrorRateTests {
    /// Errors, trials, the two-sided 95 % interval and the one-sided upper bound: scipy 1.17.1,
    /// `binomtest(...).proportion_ci(method="exact")` and `beta.ppf(0.95, errors + 1, trials - errors)`.
    private static let known: [(Int, Int, Double, Double, Double)] = [
        (0, 10, 0.0, 0.30849710781876294, 0.2588655508930522),
        (0, 3000, 0.0, 0.0012288708038255011, 0.0009980790119965865),
        (1, 10, 0.0025285785444625728, 0.44501611702819543, 0.39416330243650466),
        (5, 10, 0.1870860284474045, 0.8129139715525955, 0.7775588989918706),
        (10, 10, 0.6915028921812371, 1.0, 1.0),
        (3, 5542, 0.000111647282518979, 0.0015811462074976888, 0.001398471984488241),
        (0, 5542, 0.0, 0.0006654009429859534, 0.0005404046818397252),
        (50, 1000, 0.03733539760466063, 0.06539048791549365, 0.06286340351237973),
        (2, 61, 0.003995603167252444, 0.11347216718833968, 0.0996348801942324),
        (900, 1000, 0.8797120634813063, 0.91789466564442, 0.9152152323315307),
        (12345, 1_000_000, 0.012129493825566821, 0.012563337660844883, 0.012528172364617746),
        (0, 1, 0.0, 0.975, 0.95),
        (1, 1, 0.025, 1.0, 1.0),
        (999_999, 1_000_000, 0.9999944283693444, 0.9999999746821948, 0.9999999487067069),
    ]

    @Test("has the exact bounds of Clopper and Pearson", arguments: known.indices)
    func bounds(index: Int) {
        let (errors, trials, low, high, upper) = Self.known[index]
        let rate = ErrorRate(errors: errors, trials: trials), interval = rate.interval()
        #expect(abs(interval.lowerBound - low) <= 1e-8 * max(low, 1e-6))
        #expect(abs(interval.upperBound - high) <= 1e-8 * high)
        #expect(abs(rate.upperBound() - upper) <= 1e-8 * upper)
    }

    @Test("is below 3 in so many trials where none had an error", arguments: [100, 1_000, 3_000, 100_000, 10_000_000])
    func ruleOfThree(trials: Int) {
        let bound = ErrorRate(errors: 0, trials: trials).upperBound() * Double(trials)
        #expect(bound < 3)
        #expect(bound > 2.95)
    }

    @Test("has a higher bound with more errors, and a lower one with more trials")
    func monotone() {
        for trials in 1...40 {
            for errors in 0..<trials {
                let bound = ErrorRate(errors: errors, trials: trials).upperBound()
                #expect(bound < ErrorRate(errors: errors + 1, trials: trials).upperBound() || errors + 1 == trials)
                #expect(bound > ErrorRate(errors: errors, trials: trials + 1).upperBound())
                #expect(bound > Double(errors) / Double(trials))
            }
        }
    }

    @Test("of nothing, or of what cannot be, is anything")
    func nothing() {
        #expect(ErrorRate(errors: 0, trials: 0).rate == nil)
        #expect(ErrorRate(errors: 0, trials: 0).upperBound() == 1)
        #expect(ErrorRate(errors: 0, trials: 0).interval() == 0...1)
        #expect(ErrorRate(errors: 5, trials: 3) == ErrorRate(errors: 3, trials: 3))
        #expect(ErrorRate(errors: -5, trials: -3) == ErrorRate(errors: 0, trials: 0))
        for confidence in [0.0, 1, -1, 2, .nan, .infinity] {
            #expect(ErrorRate(errors: 1, trials: 9).upperBound(confidence: confidence) == 1)
        }
    }
}

@Suite("Normal deviates")
struct NormalDeviateTests {
    @Test("are those of the tables, and lie the same on both sides")
    func known() {
        let known = [
            1e-5: -4.264890793922825, 0.001: -3.090232306167813, 0.02425: -1.972961051311885, 0.2: -0.8416212335729142, 0.5: 0,
            0.6: 0.2533471031357997, 0.975: 1.959963984540054, 0.9999: 3.719016485455709,
        ]
        for (probability, deviate) in known { #expect(abs(NormalDeviate.of(probability) - deviate) < 1e-9) }
        for rate in [0.001, 0.07, 0.3] { #expect(abs(NormalDeviate.of(rate) + NormalDeviate.of(1 - rate)) < 1e-9) }
    }

    @Test("of the impossible and the certain are finite", arguments: [0.0, 1, -1, 2, .nan])
    func ends(probability: Double) {
        #expect(NormalDeviate.of(probability).isFinite)
    }
}
