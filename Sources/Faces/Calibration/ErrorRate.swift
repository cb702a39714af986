/// So many errors in so many trials, and what that says about the rate behind them.
///
/// The bounds are exact for independent trials (C. J. Clopper and E. S. Pearson, Biometrika 26, 1934): errors are binomial. Where none was seen the
/// upper one is close to 3 / trials with 95 % confidence, the rule of three (ISO/IEC 19795-1, annex B).
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
    /// All terms are taken in units of the one of exactly `errors`, from which each follows by a ratio: nothing has to be known of factorials.
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
