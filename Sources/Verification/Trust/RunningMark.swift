import Envelopes

/// A time that had certainly passed at a moment of the board's running, and goes by from there.
private struct RunningMark: Hashable, Sendable {
    /// Seconds since 1970.
    let time: Seconds
    /// Seconds that the board had run for.
    let anchor: Seconds

    func time(at uptime: Seconds) -> Seconds {
        let (sum, isOver) = max(time, 0).addingReportingOverflow(elapsed(uptime))
        return isOver ? Timestamp.latest : min(sum, Timestamp.latest)
    }

    /// What has certainly gone by. Both moments are whole seconds, so that a moment across a second's edge counts as one that has not
    /// passed: one less. And less one part in a thousand: no crystal is that fast.
    private func elapsed(_ uptime: Seconds) -> Seconds {
        let (elapsed, isOver) = uptime.subtractingReportingOverflow(anchor)
        guard !isOver, elapsed > 1 else { return 0 }
        let whole = elapsed - 1
        return whole - (whole - 1) / 1000 - 1
    }
}

/// The latest of a few marks. Each loses up to three seconds once, from its own beginning on. Whoever began a mark anew at every reload
/// would lose them each time, and a gate that is reloaded every few seconds would know a time that stands still: what is known from before
/// stays until something later by more than that takes its place.
struct RunningMarks: Hashable, Sendable {
    private var marks: [RunningMark]

    /// Seconds that a mark loses at most by beginning anew.
    private static let slack: Seconds = 3
    /// Two marks within the slack of each other are rare.
    private static let most = 4

    /// - Parameters:
    ///   - time: certainly passed, in seconds since 1970.
    ///   - uptime: seconds that the board has run for when it had.
    init(_ time: Seconds, at uptime: Seconds) { marks = [RunningMark(time: time, anchor: uptime)] }

    /// Never less than for an earlier `uptime`. One before the first mark counts as then.
    func time(at uptime: Seconds) -> Seconds { marks.map { $0.time(at: uptime) }.max() ?? 0 }

    /// The moment of the newest.
    var newest: Seconds { marks.map(\.anchor).max() ?? 0 }

    /// The same, and at all times at least as late as `old`.
    func following(_ old: RunningMarks) -> RunningMarks {
        // All at the latest of the moments: a time there is one for good.
        let both = max(newest, old.newest)
        var joined = old
        for mark in marks {
            let time = mark.time(at: both)
            guard time > joined.time(at: both) else { continue }
            joined.marks.removeAll { $0.time(at: both) <= time - Self.slack }
            joined.marks.append(mark)
        }
        joined.marks = Array(joined.marks.sorted { $0.time(at: both) > $1.time(at: both) }.prefix(Self.most))
        return joined
    }
}
