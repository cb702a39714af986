import Glibc
import Linux

/// Sleep of an outlet that waits for nobody.
enum Pause {
    /// - Parameter deadline: nanoseconds of `Clock.monotonic`. A signal may end it earlier.
    static func sleep(until deadline: UInt64) {
        let now = Clock.monotonic()
        guard deadline > now else { return }
        var nothing = pollfd()
        poll(&nothing, 0, Int32(clamping: (deadline - now) / 1_000_000 + 1))
    }
}
