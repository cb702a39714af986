import Devices
import Glibc
import Linux
import VisionProtocol

/// Who starts and kills workers for the gate.
public protocol WorkerStarter: AnyObject {
    var timeouts: WorkerTimeouts { get }
    /// To be watched for reading: then `takeReports`. -1 where nothing can be started any more.
    var descriptor: Int32 { get }
    /// Starts a worker; one of that role that runs is killed first.
    ///
    /// - Returns: its channel, which does not wait and is the caller's to close, and the number its end is reported under.
    func start(_ role: WorkerRole) throws(SupervisorError) -> (channel: Int32, serial: UInt32)
    /// Kills the worker of that role, if one runs.
    func stop(_ role: WorkerRole)
    /// Reads what was said about workers that ended.
    func takeReports()
    /// How the worker of that number ended, as wait(2) has it; nil while it is not known.
    func ending(of serial: UInt32) -> Int32?
}

/// The process that starts and kills for the gate, which can do neither once it is confined: workers, one of each role, and the camera's
/// program.
///
/// It is started while the gate still may, and ends with it. If it is lost, nothing can be started again until the gate is.
public final class Supervisor: WorkerStarter {
    public var descriptor: Int32 { child.descriptor }
    private let settings: SupervisorSettings
    public var timeouts: WorkerTimeouts { settings.timeouts }

    private let child: ChildProcess
    var process: pid_t { child.process }
    /// How the last ones ended, by serial number, the latest last.
    private var endings: [(serial: UInt32, status: Int32)] = []
    private static let mostEndings = 8
    /// Nanoseconds a start may take: the supervisor has nothing else to do.
    private static let startTimeout: UInt64 = 3_000_000_000

    public init(_ settings: SupervisorSettings) throws(SupervisorError) {
        self.settings = settings
        let path = settings.foundProgram
        guard access(path, X_OK) == 0 else { throw .noProgram }
        do throws(SystemError) { child = try ChildProcess(path, settings.arguments) } catch { throw .notStarted(errno: error.errno) }
    }

    /// Ends the supervisor, and with it everything it started.
    public func end() {
        child.end()
    }

    public func start(_ role: WorkerRole) throws(SupervisorError) -> (channel: Int32, serial: UInt32) {
        let (report, channel) = try ask(.start(role))
        guard case .workerStarted(let serial)? = report, channel >= 0 else { throw unexpected(channel) }
        return (channel, serial)
    }

    public func stop(_ role: WorkerRole) {
        say(.stop(role))
    }

    /// Starts the camera's program; one that runs is killed first.
    ///
    /// - Returns: what the program writes, which does not wait, to be read and closed by the caller.
    public func startCommand() throws(SupervisorError) -> Int32 {
        let (report, output) = try ask(.startCameraProgram)
        guard case .cameraProgramStarted? = report, output >= 0 else { throw unexpected(output) }
        return output
    }

    /// Ends the camera's program, if it runs.
    public func stopCommand() {
        say(.stopCameraProgram)
    }

    public func takeReports() {
        while descriptor >= 0 {
            do throws(SupervisorError) {
                guard let (report, passed) = try next() else { return }
                // A start nobody waits for any more.
                if passed >= 0 { close(passed) }
                note(report)
            } catch {
                return
            }
        }
    }

    public func ending(of serial: UInt32) -> Int32? {
        endings.last { $0.serial == serial }?.status
    }

    // MARK: the channel

    /// Says it and waits for the answer, a bounded time; reports that come before it are kept.
    private func ask(_ request: SupervisorRequest) throws(SupervisorError) -> (SupervisorReport?, Int32) {
        takeReports()
        guard say(request) else { throw .lost }
        let end = Clock.monotonic() + Self.startTimeout
        while true {
            if let (report, passed) = try next() {
                switch report {
                case .workerStarted, .cameraProgramStarted: return (report, passed)
                case .notStarted(let code): throw .notStarted(errno: code)
                case .workerEnded, .cameraProgramEnded: note(report)
                }
                continue
            }
            let now = Clock.monotonic()
            guard now < end else {
                child.lose()
                throw .silent
            }
            var source = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            _ = poll(&source, 1, Int32((end - now) / 1_000_000 + 1))
        }
    }

    @discardableResult
    private func say(_ request: SupervisorRequest) -> Bool {
        child.say(request.rawValue)
    }

    /// The next message; nil where there is none now.
    private func next() throws(SupervisorError) -> (SupervisorReport, Int32)? {
        guard let message = child.receive(most: SupervisorReport.size) else {
            if descriptor < 0 { throw .lost }
            return nil
        }
        guard message.bytes.count == SupervisorReport.size, let report = SupervisorReport(decoding: message.bytes.span) else {
            throw unexpected(message.descriptor)
        }
        return (report, message.descriptor)
    }

    private func note(_ report: SupervisorReport) {
        guard case .workerEnded(let serial, let status) = report else { return }
        if endings.count == Self.mostEndings { endings.removeFirst() }
        endings.append((serial, status))
    }

    /// It does not do what it is to do: it is not listened to again.
    private func unexpected(_ passed: Int32) -> SupervisorError {
        child.lose(passed)
        return .lost
    }
}

/// Why something could not be started.
public enum SupervisorError: Error, Hashable, Sendable {
    /// There is no `gatehouse-vision` beside the running program, or it is no program.
    case noProgram
    case notStarted(errno: Int32)
    /// The supervisor did not answer; it is not asked again.
    case silent
    /// The supervisor is gone.
    case lost
}

extension SupervisorError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .noProgram: "there is no gatehouse-vision beside this program"
        case .notStarted(let code): "it could not be started (\(systemCause(code)))"
        case .silent: "gatehouse-vision does not answer"
        case .lost: "gatehouse-vision is gone"
        }
    }
}

extension Supervisor: CommandStarter {}
