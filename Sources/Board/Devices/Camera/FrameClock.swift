import CLinux
import Glibc

/// A clock that can be waited for like a camera: for pictures that are there all the time. The first tick comes at once.
struct FrameClock: ~Copyable {
    let descriptor: Int32

    /// - Parameter rate: ticks a second, at least 1.
    init(rate: UInt32) throws(CameraError) {
        let timer = timerfd_create(CLOCK_MONOTONIC, Int32(TFD_NONBLOCK | TFD_CLOEXEC))
        guard timer >= 0 else { throw .system(.timer, errno: errno) }
        let interval = 1_000_000_000 / Int(max(rate, 1))
        var times = itimerspec()
        times.it_interval = timespec(tv_sec: interval / 1_000_000_000, tv_nsec: interval % 1_000_000_000)
        // 0 would stop it.
        times.it_value = timespec(tv_sec: 0, tv_nsec: 1)
        guard timerfd_settime(timer, 0, &times, nil) == 0 else {
            let code = errno
            close(timer)
            throw .system(.timer, errno: code)
        }
        descriptor = timer
    }

    deinit {
        close(descriptor)
    }

    /// Whether there was a tick since the last call; several count as one.
    func hasTicked() -> Bool {
        var ticks: UInt64 = 0
        return read(descriptor, &ticks, MemoryLayout<UInt64>.size) == MemoryLayout<UInt64>.size
    }
}
