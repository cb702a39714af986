/// The normal distribution, for the axes of a detection error trade-off plot (ISO/IEC 19795-1): a rate is drawn where a standard normal variable has
/// it below.
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
