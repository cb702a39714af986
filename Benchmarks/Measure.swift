/// Nanoseconds `body` took, the median of `rounds`.
func median(rounds: Int, _ body: () -> Void) -> Double {
    let clock = ContinuousClock()
    let times = (0..<rounds).map { _ -> Double in
        let time = clock.measure(body)
        return Double(time.components.seconds) * 1e9 + Double(time.components.attoseconds) / 1e9
    }.sorted()
    return times[times.count / 2]
}

/// The least of some, in nanoseconds: what a busy machine adds is left out.
func least(rounds: Int, _ body: () -> Void) -> Double {
    (0..<rounds).reduce(.infinity) { least, _ in min(least, median(rounds: 1, body)) }
}

/// Two bodies by turns, so that both meet the same machine; their medians.
func medians(rounds: Int, _ a: () -> Void, _ b: () -> Void) -> (Double, Double) {
    var first: [Double] = []
    var second: [Double] = []
    for _ in 0..<rounds {
        first.append(median(rounds: 1, a))
        second.append(median(rounds: 1, b))
    }
    return (first.sorted()[rounds / 2], second.sorted()[rounds / 2])
}

/// `value` with `digits` behind the point.
func text(_ value: Double, _ digits: Int = 2) -> String {
    var scale = 1.0
    for _ in 0..<digits { scale *= 10 }
    let whole = Int((value * scale).rounded())
    guard digits > 0 else { return "\(whole)" }
    let fraction = "\(whole % Int(scale))"
    return "\(whole / Int(scale))." + String(repeating: "0", count: digits - fraction.count) + fraction
}

/// Keeps the optimizer from dropping what was computed.
@inline(never)
func keep<Value>(_ value: Value) {}
