import Glibc
import Linux
import ListenerProtocol

/// Why the keeper of the socket could not be had.
enum KeeperError: Error, Hashable, Sendable {
    /// There is no `gatehouse-http` beside the running program, or it is no program.
    case noProgram
    case notStarted(errno: Int32)
    /// The address is not there, is taken, or is not this user's to take.
    case notBound(errno: Int32)
    /// It did not say in time whether it has the address, or what it said is nothing.
    case silent
}

extension KeeperError: CustomStringConvertible {
    var description: String {
        switch self {
        case .noProgram: "there is no gatehouse-http beside this program"
        case .notStarted(let code): "gatehouse-http could not be started (\(systemCause(code)))"
        case .notBound(EADDRNOTAVAIL): "this board has no such address now: bring its network up before the gate"
        case .notBound(EADDRINUSE): "another program listens there already"
        case .notBound(EACCES): "ports below 1024 are root's: start as root with --user, give the unit CAP_NET_BIND_SERVICE, or use another"
        case .notBound(let code): "the address cannot be had (\(systemCause(code)))"
        case .silent: "gatehouse-http does not answer"
        }
    }
}

/// The gate's end of the process that has the listening socket, and starts and kills listeners for a gate that may do neither once it is
/// confined. It is started while the gate still may, and ends with it. Nothing here waits after the beginning.
final class ListenerKeeper {
    enum Event {
        /// The channel does not wait, and is the receiver's to close.
        case started(channel: Int32, serial: UInt32)
        /// As wait(2) has it.
        case ended(serial: UInt32, status: Int32)
        case notStarted(errno: Int32)
        /// It is gone, for good.
        case lost
    }

    /// To be watched for reading: then `next`. -1 once it is lost.
    private(set) var descriptor: Int32

    private let process: pid_t
    private var isWaitedFor = false
    private var isLossTold = false
    /// Milliseconds for taking the address and giving up the rest.
    private static let patience: Int32 = 10_000

    /// Starts it, and waits until the address is its own.
    init(_ settings: ListenerSettings) throws(KeeperError) {
        let path = settings.program ?? SiblingProgram.path("gatehouse-http")
        guard access(path, X_OK) == 0 else { throw .noProgram }
        let ends: (here: Int32, there: Int32)
        do throws(SystemError) { ends = try Channel.pair(SocketType.packets) } catch { throw .notStarted(errno: error.errno) }
        defer { close(ends.there) }
        let start = ProgramStart(
            path, settings.arguments, environment: ["SWIFT_BACKTRACE=enable=no"], channel: ends.there, errors: 2, holdsOn: true)
        do throws(SystemError) {
            process = try start.start()
        } catch {
            close(ends.here)
            throw .notStarted(errno: error.errno)
        }
        descriptor = ends.here
        var source = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        _ = poll(&source, 1, Self.patience)
        switch receive()?.report {
        case .bound: break
        case .notBound(let code):
            end()
            throw .notBound(errno: code)
        default:
            end()
            throw .silent
        }
    }

    deinit {
        end()
    }

    /// False where it is lost.
    @discardableResult
    func ask(_ request: KeeperRequest) -> Bool {
        var octet = request.rawValue
        guard descriptor >= 0 else { return false }
        if withUnsafeBytes(of: &octet, { Channel.write($0, to: descriptor) }) == 1 { return true }
        lose()
        return false
    }

    /// What it said; nil where there is nothing now.
    func next() -> Event? {
        while descriptor >= 0, let (report, passed) = receive() {
            switch report {
            case .started(let serial) where passed >= 0: return .started(channel: passed, serial: serial)
            case .ended(let serial, let status) where passed < 0: return .ended(serial: serial, status: status)
            case .notStarted(let code) where passed < 0: return .notStarted(errno: code)
            default:
                if passed >= 0 { close(passed) }
                lose()
            }
        }
        guard descriptor < 0, !isLossTold else { return nil }
        isLossTold = true
        return .lost
    }

    /// Ends it, and with it the listener.
    func end() {
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

    /// The next message; nil where there is none now. What is none loses it.
    private func receive() -> (report: KeeperReport, descriptor: Int32)? {
        let message: (bytes: [UInt8], descriptor: Int32)?
        do throws(SystemError) {
            message = try Channel.receive(descriptor, most: KeeperReport.size)
        } catch {
            lose()
            return nil
        }
        guard let message else { return nil }
        guard let report = KeeperReport(decoding: message.bytes.span) else {
            if message.descriptor >= 0 { close(message.descriptor) }
            lose()
            return nil
        }
        return (report, message.descriptor)
    }

    private func lose() {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
    }
}
