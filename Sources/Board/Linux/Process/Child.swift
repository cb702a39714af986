import Glibc

/// A program under test: its standard output and standard error as lines, and how it ended.
package final class Child {
    /// What to wait on for it to say something or to end.
    package private(set) var descriptor: Int32 = -1
    /// What it said since the last `takeLines`.
    private var lines: [String] = []
    private var unfinished: [UInt8] = []
    private var process: pid_t = -1
    private var chunk = [UInt8](repeating: 0, count: 16_384)
    /// A line longer than this is no line of a gate.
    private static let longestLine = 65_536
    private static let mostLines = 4096

    /// - Parameter arguments: without the program's own name.
    package init(_ program: String, _ arguments: [String]) throws(SystemError) {
        let (reading, writing) = try Channel.pipe()
        descriptor = reading
        defer { close(writing) }
        process = try ProgramStart(
            program, [program] + arguments, environment: ["SWIFT_BACKTRACE=enable=no", "PATH=/usr/bin:/bin"], output: writing,
            errors: writing
        ).start()
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    }

    deinit {
        if process > 0 { _ = end(patience: .zero) }
        close(descriptor)
    }

    /// Reads what there is; false at the end of its output.
    package func read() -> Bool {
        // Bounded, so that one who never stops talking does not stop the clock.
        for _ in 0..<64 {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0 { return errno == EAGAIN || errno == EINTR }
            guard count > 0 else { return false }
            for octet in chunk[..<count] {
                if octet != 0x0A, unfinished.count < Self.longestLine {
                    unfinished.append(octet)
                } else {
                    if lines.count < Self.mostLines { lines.append(String(decoding: unfinished, as: UTF8.self)) }
                    unfinished.removeAll(keepingCapacity: true)
                }
            }
        }
        return true
    }

    package func takeLines() -> [String] {
        defer { lines.removeAll(keepingCapacity: true) }
        return lines
    }

    /// How it ended, as wait(2) has it; nil while it runs.
    package func ending() -> Int32? {
        var status: Int32 = 0
        guard process > 0, waitpid(process, &status, WNOHANG) == process else { return nil }
        process = -1
        return status
    }

    /// Asks it to end, and kills it, with all of its own, when it has not after `patience`. How it ended, as wait(2) has it.
    package func end(patience: Duration) -> Int32 {
        guard process > 0 else { return 0 }
        kill(process, SIGTERM)
        let limit = ContinuousClock.now + patience
        while ContinuousClock.now < limit {
            if let status = ending() { return status }
            // Reading, or one with much to say would wait for it to be read.
            _ = read()
            poll(nil, 0, 5)
        }
        kill(-process, SIGKILL)
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        process = -1
        return status
    }
}
