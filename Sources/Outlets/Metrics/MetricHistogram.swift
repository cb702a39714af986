/// How many durations were at most so long: a histogram as Prometheus has them, counted in milliseconds and said in seconds.
public struct MetricHistogram: Hashable, Sendable {
    /// Upper bounds in microseconds, ascending; what is longer is only in `count`.
    public let bounds: [UInt64]
    /// For each bound, how many were at most that and longer than the bound before.
    public private(set) var buckets: [UInt64]
    public private(set) var count: UInt64 = 0
    /// Milliseconds of all of them together.
    public private(set) var sum: UInt64 = 0

    /// - Parameter bounds: microseconds, ascending.
    public init(bounds: [UInt64]) {
        self.bounds = bounds
        buckets = [UInt64](repeating: 0, count: bounds.count)
    }

    /// As it was kept; nil where what was kept has other bounds, or counts more in its buckets than altogether.
    init?(bounds: [UInt64], buckets: [UInt64], count: UInt64, sum: UInt64) {
        guard buckets.count == bounds.count else { return nil }
        var inside: UInt64 = 0
        for bucket in buckets {
            let (next, overflow) = inside.addingReportingOverflow(bucket)
            guard !overflow else { return nil }
            inside = next
        }
        guard inside <= count else { return nil }
        (self.bounds, self.buckets, self.count, self.sum) = (bounds, buckets, count, sum)
    }

    public mutating func count(milliseconds: UInt64) {
        let (microseconds, overflow) = milliseconds.multipliedReportingOverflow(by: 1000)
        if !overflow, let index = bounds.firstIndex(where: { microseconds <= $0 }) { buckets[index] &+= 1 }
        count &+= 1
        sum &+= milliseconds
    }

    /// The sample lines of one family, cumulative, the last bucket without a bound.
    func write(_ name: String, to text: inout MetricText) {
        var inside: UInt64 = 0
        for (bound, bucket) in zip(bounds, buckets) {
            inside &+= bucket
            text.sample(name + "_bucket", [("le", Self.decimal(bound, places: 6))], "\(inside)")
        }
        text.sample(name + "_bucket", [("le", "+Inf")], "\(count)")
        text.sample(name + "_sum", [], Self.decimal(sum, places: 3))
        text.sample(name + "_count", [], "\(count)")
    }

    /// A number of parts as a decimal fraction without trailing zeros: 2500 with six places is 0.0025. No rounding, unlike a `Double`.
    static func decimal(_ parts: UInt64, places: Int) -> String {
        var digits = String(parts)
        digits = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
        var fraction = digits.suffix(places)
        while fraction.last == "0" { fraction.removeLast() }
        return digits.dropLast(places) + (fraction.isEmpty ? "" : "." + fraction)
    }
}
