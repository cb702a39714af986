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
    var descriptor: Int32 { child.descriptor }

    private let child: ChildProcess
    private var isLossTold = false
    /// Milliseconds for taking the address and giving up the rest.
    private static let patience: Int32 = 10_000

    /// Starts it, and waits until the address is its own.
    init(_ settings: ListenerSettings) throws(KeeperError) {
        let path = settings.program ?? SiblingProgram.path("gatehouse-http")
        guard access(path, X_OK) == 0 else { throw .noProgram }
        do throws(SystemError) { child = try ChildProcess(path, settings.arguments) } catch { throw .notStarted(errno: error.errno) }
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

    /// False where it is lost.
    @discardableResult
    func ask(_ request: KeeperRequest) -> Bool {
        child.say(request.rawValue)
    }

    /// What it said; nil where there is nothing now.
    func next() -> Event? {
        while descriptor >= 0, let (report, passed) = receive() {
            switch report {
            case .started(let serial) where passed >= 0: return .started(channel: passed, serial: serial)
            case .ended(let serial, let status) where passed < 0: return .ended(serial: serial, status: status)
            case .notStarted(let code) where passed < 0: return .notStarted(errno: code)
            default:
                child.lose(passed)
            }
        }
        guard descriptor < 0, !isLossTold else { return nil }
        isLossTold = true
        return .lost
    }

    /// Ends it, and with it the listener.
    func end() {
        child.end()
    }

    /// The next message; nil where there is none now. What is none loses it.
    private func receive() -> (report: KeeperReport, descriptor: Int32)? {
        guard let message = child.receive(most: KeeperReport.size) else { return nil }
        guard let report = KeeperReport(decoding: message.bytes.span) else {
            child.lose(message.descriptor)
            return nil
        }
        return (report, message.descriptor)
    }
}
