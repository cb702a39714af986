import Glibc

/// Writing to a terminal, a pipe or the journal without ever waiting long: a reader that stopped must not stop the gate.
enum Output {
    /// Octets a pipe that is writable takes without blocking (`PIPE_BUF`).
    private static let step = 4096

    /// Writes all octets, going on after partial writes and signals.
    ///
    /// - Parameter patience: milliseconds to wait, each time, for a reader that is slow.
    /// - Returns: false when the descriptor refused some or the patience ran out; some octets may be written then.
    @discardableResult
    static func write(_ octets: UnsafeRawBufferPointer, to descriptor: Int32, patience: Int32) -> Bool {
        var start = 0
        while start < octets.count {
            var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            let ready = poll(&entry, 1, patience)
            if ready < 0 && errno == EINTR { continue }
            guard ready > 0 else {
                if ready == 0 { errno = EAGAIN }
                return false
            }
            let count = Glibc.write(descriptor, octets.baseAddress.map { $0 + start }, min(octets.count - start, step))
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return false }
            start += count
        }
        return true
    }

    /// Writes a short text, or drops it when nobody reads.
    static func write(_ text: String, to descriptor: Int32) {
        var text = text
        text.withUTF8 { octets in
            _ = write(UnsafeRawBufferPointer(octets), to: descriptor, patience: 0)
        }
    }
}
