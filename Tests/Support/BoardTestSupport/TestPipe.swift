import Foundation

/// A pipe whose writing end never waits.
package final class TestPipe {
    package private(set) var reading: Int32 = -1
    package private(set) var writing: Int32 = -1

    package init() {
        // By a name, because only `open` gives descriptors that no program of another test inherits.
        let stage = Stage()
        guard mkfifo(stage.path("pipe"), 0o600) == 0 else { return }
        reading = open(stage.path("pipe"), O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        writing = open(stage.path("pipe"), O_WRONLY | O_NONBLOCK | O_CLOEXEC)
        // As a pipe from the shell would be.
        _ = fcntl(reading, F_SETFL, 0)
    }

    /// - Returns: how many octets there was room for.
    @discardableResult
    package func write(_ octets: [UInt8]) -> Int { Foundation.write(writing, octets, octets.count) }

    package func end() {
        if writing >= 0 { close(writing) }
        writing = -1
    }

    /// Somebody else closes the reading end.
    package func handOver() -> Int32 {
        defer { reading = -1 }
        return reading
    }

    deinit {
        end()
        if reading >= 0 { close(reading) }
    }
}
