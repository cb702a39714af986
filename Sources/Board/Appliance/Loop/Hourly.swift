/// Something the gate does once an hour, and once more at its end: what a power cut may cost an hour of, and no more, without wearing a
/// card out.
struct Hourly {
    /// Nanoseconds.
    static let interval: UInt64 = 3600 * 1_000_000_000

    private let work: () -> Void
    /// When it is due, by the monotonic clock.
    private(set) var due: UInt64

    init(_ work: @escaping () -> Void, now: UInt64) {
        self.work = work
        due = now &+ Self.interval
    }

    mutating func pass(_ now: UInt64) {
        guard now >= due else { return }
        due = now &+ Self.interval
        work()
    }

    func end() { work() }
}
