/// So many errors in so many trials, and what that says about the rate behind them.
///
/// The bounds are exact for independent trials (C. J. Clopper and E. S. Pearson, Biometrika 26, 1934): errors are binomial. Where none was
/// seen the upper one is close to 3 / trials with 95 % confidence, the rule of three (ISO/IEC 19795-1, annex B).
public struct ErrorRate: Hashable, Sendable {
    public let errors: Int
    public let trials: Int

    /// What cannot be is cut to what can.
    public init(errors: Int, trials: Int) {
        self.trials = max(0, trials)
        self.errors = min(max(0, errors), self.trials)
    }

    /// Nil without trials.
    public var rate: Double? { trials > 0 ? Double(errors) / Double(trials) : nil }

    /// The rate is not above it, with this confidence; 1 without trials.
    ///
    /// - Parameter confidence: above 0, below 1.
    public func upperBound(confidence: Double = 0.95) -> Double {
        guard errors < trials, confidence > 0, confidence < 1 else { return 1 }
        var low = Double(errors) / Double(trials), high = 1.0
        // The more likely an error, the less likely so few of them: halve until nothing lies between.
        while true {
            let middle = low + (high - low) / 2
            guard middle > low, middle < high else { return high }
            if probabilityOfSoFew(rate: middle) > 1 - confidence { low = middle } else { high = middle }
        }
    }

    /// The rate is not below it, with this confidence; 0 without trials.
    public func lowerBound(confidence: Double = 0.95) -> Double {
        1 - ErrorRate(errors: trials - errors, trials: trials).upperBound(confidence: confidence)
    }

    /// The rate lies within, with this confidence: half of the doubt on either side.
    public func interval(confidence: Double = 0.95) -> ClosedRange<Double> {
        let side = 1 - (1 - confidence) / 2
        let low = lowerBound(confidence: side)
        return low...max(low, upperBound(confidence: side))
    }

    /// The probability of `errors` or fewer in `trials`.
    ///
    /// All terms are taken in units of the one of exactly `errors`, from which each follows by a ratio: nothing has to be known of
    /// factorials.
    private func probabilityOfSoFew(rate: Double) -> Double {
        let odds = rate / (1 - rate)
        var fewer = 1.0, term = 1.0
        for count in stride(from: errors, to: 0, by: -1) {
            term *= Double(count) / Double(trials - count + 1) / odds
            fewer += term
            if term < fewer * 1e-17 { break }
        }
        var more = 0.0
        term = 1
        for count in errors..<trials {
            let ratio = Double(trials - count) / Double(count + 1) * odds
            term *= ratio
            more += term
            // Far above the rate nothing is added any more; far below it the answer is as good as 0.
            if ratio < 1 && term < more * 1e-17 || more > fewer * 1e12 { break }
        }
        return fewer / (fewer + more)
    }
}

/// The normal distribution, for the axes of a detection error trade-off plot (ISO/IEC 19795-1): a rate is drawn where a standard normal
/// variable has it below.
enum NormalDeviate {
    /// Rates nearer to 0 and 1 are drawn at the same place.
    static let least = 1e-12

    /// The deviate below which lies `probability`.
    static func of(_ probability: Double) -> Double {
        let probability = min(max(probability, least), 1 - least)
        var low = -8.0, high = 8.0
        for _ in 0..<60 {
            let middle = (low + high) / 2
            if below(middle) < probability { low = middle } else { high = middle }
        }
        return (low + high) / 2
    }

    /// The probability below a deviate from -8 to 8: 1/2 + φ(z)·(z + z³/3 + z⁵/15 + ...).
    static func below(_ deviate: Double) -> Double {
        var term = deviate, sum = deviate, odd = 1.0
        while abs(term) > 1e-18 * max(1, abs(sum)) {
            odd += 2
            term *= deviate * deviate / odd
            sum += term
        }
        return 0.5 + sum * exponential(-deviate * deviate / 2) / (2 * Double.pi).squareRoot()
    }

    /// e to the power of -32 to 0: its Taylor series at a 1024th, squared ten times.
    private static func exponential(_ power: Double) -> Double {
        let small = power / 1024
        var term = 1.0, sum = 1.0
        for count in 1...10 {
            term *= small / Double(count)
            sum += term
        }
        for _ in 0..<10 { sum *= sum }
        return sum
    }
}

/// The lowest threshold that keeps a false match rate, as far as the pairs can show it.
///
/// How many false matches are allowed follows from the number of pairs alone: as many as leave the upper bound at or below the wanted rate.
/// The threshold lies just above the highest score that is not among them. So chosen, the bound holds although the threshold was taken from
/// the same scores (S. S. Wilks, Annals of Mathematical Statistics 12, 1941: the rate above an order statistic has the distribution that
/// Clopper and Pearson invert).
public struct ThresholdChoice: Hashable, Sendable {
    /// Thresholds are rounded up to so many parts of 1.
    private static let steps = 1_000_000.0

    public let threshold: Double
    public let falseMatches: ErrorRate
    public let falseNonMatches: ErrorRate
    /// The false match rate of one comparison is not above it, with this confidence, as if pairs were independent.
    public let bound: Double
    /// Whether that is at most what was wanted. Otherwise there are too few pairs to show it, and the threshold is the one that keeps all
    /// of them out, or the one in force where that is stricter.
    public let isShown: Bool

    /// - Parameters:
    ///   - wanted: the false match rate of one comparison.
    ///   - confidence: above 0, below 1.
    ///   - inForce: the threshold that would be replaced. Too few pairs are no reason to lower it.
    public init(
        _ scores: LabelledScores, falseMatchRate wanted: Double, confidence: Double = 0.95, inForce: Double = 0
    ) throws(CalibrationError) {
        let allowed = Self.allowedErrors(trials: scores.impostor.count, wanted: wanted, confidence: confidence)
        let index = scores.impostor.count - 1 - (allowed ?? 0)
        // All errors are allowed where every rate is: then the lowest score there is will do.
        let highest = index >= 0 ? scores.impostor[index] : 0
        let exact = highest.nextUp
        let rounded = (exact * Self.steps).rounded(.up) / Self.steps
        let lowest = rounded > highest ? rounded : exact
        guard lowest <= 1 else { throw .noThreshold }
        threshold = allowed == nil ? max(lowest, inForce) : lowest
        falseMatches = scores.falseMatches(at: threshold)
        falseNonMatches = scores.falseNonMatches(at: threshold)
        bound = ErrorRate(errors: allowed ?? 0, trials: scores.impostor.count).upperBound(confidence: confidence)
        isShown = allowed != nil
    }

    /// The most errors whose upper bound is not above `wanted`; nil where even none is too many to show it.
    static func allowedErrors(trials: Int, wanted: Double, confidence: Double) -> Int? {
        func isAllowed(_ errors: Int) -> Bool { ErrorRate(errors: errors, trials: trials).upperBound(confidence: confidence) <= wanted }
        guard isAllowed(0) else { return nil }
        var low = 0, high = trials
        while low < high {
            let middle = (low + high + 1) / 2
            if isAllowed(middle) { low = middle } else { high = middle - 1 }
        }
        return low
    }

    /// How many independent pairs without an error it takes to show a rate; nil where no number does.
    public static func pairsNeeded(falseMatchRate wanted: Double, confidence: Double = 0.95) -> Int? {
        guard wanted > 0, confidence > 0, confidence < 1 else { return nil }
        var low = 0, high = 1 << 40
        guard ErrorRate(errors: 0, trials: high).upperBound(confidence: confidence) <= wanted else { return nil }
        while low + 1 < high {
            let middle = (low + high) / 2
            if ErrorRate(errors: 0, trials: middle).upperBound(confidence: confidence) <= wanted { high = middle } else { low = middle }
        }
        return high
    }
}
