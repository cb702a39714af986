import Glibc

/// A process that does for the gate what a confined gate may not do itself. It is started while the gate still may, is spoken to over a
/// socket of packets, and ends when that is closed. It is lost for good once it cannot be spoken to, or says what it should not.
package final class ChildProcess {
    /// To be watched for reading: then `receive`. -1 once it is lost.
    package private(set) var descriptor: Int32
    package let process: pid_t
    private var isWaitedFor = false

    /// - Parameter arguments: the first is the program's own name. The socket is its descriptor 3.
    package init(_ path: String, _ arguments: [String]) throws(SystemError) {
        let ends = try Channel.pair(SocketType.packets)
        defer { close(ends.there) }
        let start = ProgramStart(path, arguments, environment: ["SWIFT_BACKTRACE=enable=no"], channel: ends.there, errors: 2, holdsOn: true)
        do throws(SystemError) {
            process = try start.start()
        } catch {
            close(ends.here)
            throw error
        }
        descriptor = ends.here
    }

    deinit {
        end()
    }

    /// Says one octet; false where it is lost.
    package func say(_ word: UInt8) -> Bool {
        var octet = word
        guard descriptor >= 0 else { return false }
        if withUnsafeBytes(of: &octet, { Channel.write($0, to: descriptor) }) == 1 { return true }
        lose()
        return false
    }

    /// The next message of at most so many octets, and the descriptor that came with it, or -1. nil where there is none now, or it is lost.
    package func receive(most: Int) -> (bytes: [UInt8], descriptor: Int32)? {
        guard descriptor >= 0 else { return nil }
        do throws(SystemError) {
            return try Channel.receive(descriptor, most: most)
        } catch {
            lose()
            return nil
        }
    }

    /// Listens to it no more.
    ///
    /// - Parameter passed: a descriptor that came with what it said, which is closed; -1 for none.
    package func lose(_ passed: Int32 = -1) {
        if passed >= 0 { close(passed) }
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
    }

    /// Ends it, and with it everything it started; waits until it has.
    package func end() {
        lose()
        guard !isWaitedFor else { return }
        isWaitedFor = true
        // It has nothing to do but to see that the channel is closed; a confined gate may not even ask.
        for _ in 0..<200 {
            if waitpid(process, nil, WNOHANG) != 0 { return }
            _ = poll(nil, 0, 5)
        }
        kill(process, SIGKILL)
        waitpid(process, nil, 0)
    }
}
