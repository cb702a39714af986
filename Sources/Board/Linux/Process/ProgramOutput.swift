import Glibc

/// What a program wrote and how it ended: one that is started for its output alone, with a bound on how much and on how long.
package struct ProgramOutput: Sendable {
    package enum Ending: Hashable, Sendable {
        /// By itself, with this exit code.
        case exited(Int32)
        /// By a signal.
        case killed(Int32)
        /// It wrote more than it may, and was killed for that.
        case tooMuch
        /// It was not done in time, and was killed for that.
        case tooLong
    }

    /// What it wrote to standard output.
    package private(set) var output: [UInt8] = []
    /// What it wrote to standard error: the end of it, where that is long.
    package private(set) var errors: [UInt8] = []
    package private(set) var ending = Ending.tooLong

    /// Octets of standard error that are kept.
    private static let mostErrors = 16 << 10

    /// Runs a program to its end.
    ///
    /// - Parameters:
    ///   - arguments: without the program's own name.
    ///   - most: octets of standard output.
    ///   - patience: after which it is killed, with all that it started.
    package init(_ program: String, _ arguments: [String], environment: [String], most: Int, patience: Duration) throws(SystemError) {
        let limit = ContinuousClock.now + patience
        let (standard, writing) = try Channel.pipe()
        defer { close(standard) }
        let (process, errors) = try Self.start(program, arguments, environment, writing)
        defer { close(errors) }
        if let cut = collect(standard, errors, most, until: limit) {
            ending = cut
        } else if let status = Self.wait(for: process, until: limit) {
            ending = status & 0x7F == 0 ? .exited(status >> 8 & 0xFF) : .killed(status & 0x7F)
            return
        }
        kill(-process, SIGKILL)
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
    }

    /// The process, and where its standard error is read. Here `output` is closed, whatever happens.
    private static func start(
        _ program: String, _ arguments: [String], _ environment: [String], _ output: Int32
    ) throws(SystemError) -> (process: pid_t, errors: Int32) {
        defer { close(output) }
        let errors = try Channel.pipe()
        defer { close(errors.writing) }
        do throws(SystemError) {
            let start = ProgramStart(program, [program] + arguments, environment: environment, output: output, errors: errors.writing)
            return (try start.start(), errors.reading)
        } catch {
            close(errors.reading)
            throw error
        }
    }

    /// Reads until both are at their end; why not, where it does not come to that.
    private mutating func collect(_ standard: Int32, _ other: Int32, _ most: Int, until limit: ContinuousClock.Instant) -> Ending? {
        var descriptors = [standard, other]
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while !descriptors.isEmpty {
            let left = (limit - ContinuousClock.now) / .milliseconds(1)
            guard left > 0 else { return .tooLong }
            var entries = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            if poll(&entries, nfds_t(entries.count), Int32(min(left.rounded(.up), 60_000))) < 0, errno != EINTR { return .tooLong }
            for entry in entries where entry.revents != 0 {
                let count = read(entry.fd, &chunk, chunk.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else {
                    descriptors.removeAll { $0 == entry.fd }
                    continue
                }
                if entry.fd == standard {
                    output += chunk[..<count]
                    guard output.count <= most else { return .tooMuch }
                } else {
                    errors = (errors + chunk[..<count]).suffix(Self.mostErrors)
                }
            }
        }
        return nil
    }

    /// How the process ended, as wait(2) has it; nil where it has not at the limit.
    private static func wait(for process: pid_t, until limit: ContinuousClock.Instant) -> Int32? {
        var status: Int32 = 0
        while true {
            let found = waitpid(process, &status, WNOHANG)
            if found == process { return status }
            guard found == 0 || errno == EINTR, ContinuousClock.now < limit else { return nil }
            _ = poll(nil, 0, 5)
        }
    }
}
