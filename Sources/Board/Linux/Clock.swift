import CLinux
import Glibc

/// The clocks of a board.
public enum Clock {
    /// Nanoseconds since some moment before the process began; never runs backwards. For deadlines.
    public static func monotonic() -> UInt64 {
        read(CLOCK_MONOTONIC)
    }

    /// Nanoseconds since 1970-01-01T00:00:00Z, as far as the board knows. For validity and for the log.
    public static func wall() -> UInt64 {
        read(CLOCK_REALTIME)
    }

    /// Whole seconds of `wall`, which may lag behind it by a tick of the kernel's: no device is asked, so it may be read for every packet.
    public static func wallSeconds() -> UInt64 {
        read(CLOCK_REALTIME_COARSE) / 1_000_000_000
    }

    /// Whole seconds since the board was started, those it slept included; never runs backwards, and nobody sets it.
    public static func uptime() -> Int64 {
        Int64(clamping: read(CLOCK_BOOTTIME) / 1_000_000_000)
    }

    /// Sets the board's clock, in seconds since 1970, which needs CAP_SYS_TIME. Returns 0, or the errno.
    public static func set(_ seconds: Int64) -> Int32 {
        var time = timespec(tv_sec: Int(clamping: seconds), tv_nsec: 0)
        return clock_settime(CLOCK_REALTIME, &time) == 0 ? 0 : errno
    }

    /// Whether somebody keeps the wall clock right (adjtimex(2), STA_UNSYNC); nil where the kernel does not say.
    public static var isSynchronised: Bool? {
        switch system_clock_is_synchronised() {
        case 0: false
        case 1: true
        default: nil
        }
    }

    private static func read(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        // Fails only for a clock that does not exist.
        guard clock_gettime(clock, &time) == 0, time.tv_sec >= 0 else { return 0 }
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }
}
