import Linux

/// Words that nobody read at once, offered again now and then.
struct Speech {
    /// When `pass` wants to be called, in nanoseconds of the monotonic clock; nil where nothing waits.
    private(set) var dueAt: UInt64?

    /// Nanoseconds until words that nobody read are offered again.
    private static let pause: UInt64 = 250_000_000

    mutating func pass(_ now: UInt64) {
        guard Words.output.areWaiting || Words.errors.areWaiting else { return dueAt = nil }
        Words.output.flush()
        Words.errors.flush()
        dueAt = now + Self.pause
    }
}
