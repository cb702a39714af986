/// The lowest threshold that keeps a false match rate, as far as the pairs can show it.
///
/// How many false matches are allowed follows from the number of pairs alone: as many as leave the upper bound at or below the wanted rate. The
/// threshold lies just above the highest score that is not among them. So chosen, the bound holds although the threshold was taken from the same
/// scores (S. S. Wilks, Annals of Mathematical Statistics 12, 1941: the rate above an order statistic has the distribution that Clopper and Pearson
/// invert).
public struct ThresholdChoice: Hashable, Sendable {
    /// Thresholds are rounded up to so many parts of 1.
    private static let steps = 1_000_000.0

    public let threshold: Double
    public let falseMatches: ErrorRate
    public let falseNonMatches: ErrorRate
    /// The false match rate of one comparison is not above it, with this confidence, as if pairs were independent.
    public let bound: Double
    /// Whether that is at most what was wanted. Otherwise there are too few pairs to show it, and the threshold is the one that keeps all of them
    /// out, or the one in force where that is stricter.
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
