import CProcess
import Faces
import Glibc
import Sandbox

/// Who starts and kills workers for the gate.
public protocol WorkerStarter: AnyObject {
    var patience: WorkerPatience { get }
    /// To be watched for reading: then `takeReports`. -1 where nothing can be started any more.
    var descriptor: Int32 { get }
    /// Starts a worker; one that runs is killed first.
    ///
    /// - Returns: its channel, which does not wait and is the caller's to close, and the number its end is reported under.
    func startWorker() throws(NurseryError) -> (channel: Int32, serial: UInt32)
    /// Kills the worker, if one runs.
    func stopWorker()
    /// Reads what was said about workers that ended.
    func takeReports()
    /// How the worker of that number ended, as wait(2) has it; nil while it is not known.
    func ending(of serial: UInt32) -> Int32?
}

/// The process that starts and kills for the gate, which can do neither once it is confined: matchers' workers and the camera's program.
///
/// It is started while the gate still may, and ends with it. If it is lost, nothing can be started again until the gate is.
public final class Nursery: WorkerStarter {
    public private(set) var descriptor: Int32 = -1
    private let settings: NurserySettings
    public var patience: WorkerPatience { settings.patience }

    let process: pid_t
    /// How the last ones ended, by serial number, the latest last.
    private var endings: [(serial: UInt32, status: Int32)] = []
    private static let mostEndings = 8
    private var isWaitedFor = false
    /// Nanoseconds a start may take: the nursery has nothing else to do.
    private static let patienceForStart: UInt64 = 3_000_000_000

    public init(_ settings: NurserySettings) throws(NurseryError) {
        self.settings = settings
        let path = settings.foundProgram
        guard access(path, X_OK) == 0 else { throw .noProgram }
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw .notStarted(errno: errno) }
        var started: Int32 = -1
        let code = Self.start(path, settings.arguments, channel: ends[1], &started)
        close(ends[1])
        process = started
        guard code == 0 else {
            close(ends[0])
            throw .notStarted(errno: code)
        }
        descriptor = ends[0]
    }

    deinit {
        end()
    }

    /// Ends the nursery, and with it everything it started.
    public func end() {
        lose()
        guard !isWaitedFor else { return }
        isWaitedFor = true
        // It has nothing to do but to see that the channel is closed; a confined gate may not even ask.
        for _ in 0..<200 {
            let ended = waitpid(process, nil, WNOHANG)
            if ended != 0 { return }
            _ = poll(nil, 0, 5)
        }
        kill(process, SIGKILL)
        waitpid(process, nil, 0)
    }

    public func startWorker() throws(NurseryError) -> (channel: Int32, serial: UInt32) {
        let (report, channel) = try ask(.startWorker)
        guard case .workerStarted(let serial)? = report, channel >= 0 else { throw unexpected(channel) }
        return (channel, serial)
    }

    public func stopWorker() {
        say(.stopWorker)
    }

    /// Starts the camera's program; one that runs is killed first.
    ///
    /// - Returns: what the program writes, which does not wait, to be read and closed by the caller.
    public func startCommand() throws(NurseryError) -> Int32 {
        let (report, output) = try ask(.startCommand)
        guard case .commandStarted? = report, output >= 0 else { throw unexpected(output) }
        return output
    }

    /// Ends the camera's program, if it runs.
    public func stopCommand() {
        say(.stopCommand)
    }

    public func takeReports() {
        while descriptor >= 0 {
            do throws(NurseryError) {
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

    private static func start(_ path: String, _ arguments: [String], channel: Int32, _ process: inout Int32) -> Int32 {
        let copies: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        let environment: [UnsafeMutablePointer<CChar>?] = [strdup("SWIFT_BACKTRACE=enable=no"), nil]
        defer { for copy in copies + environment { free(copy) } }
        return path.withCString { path in
            copies.withUnsafeBufferPointer { copies in
                environment.withUnsafeBufferPointer { environment in
                    var program = program(
                        path: path, arguments: copies.baseAddress, environment: environment.baseAddress, channel: channel, output: -1,
                        errors: 2, holds_on: 1)
                    return program_start(&program, &process)
                }
            }
        }
    }

    /// Says it and waits for the answer, a bounded time; reports that come before it are kept.
    private func ask(_ request: NurseryRequest) throws(NurseryError) -> (NurseryReport?, Int32) {
        takeReports()
        guard say(request) else { throw .lost }
        let end = Clock.monotonic() + Self.patienceForStart
        while true {
            if let (report, passed) = try next() {
                switch report {
                case .workerStarted, .commandStarted: return (report, passed)
                case .notStarted(let code): throw .notStarted(errno: code)
                case .workerEnded, .commandEnded: note(report)
                }
                continue
            }
            let now = Clock.monotonic()
            guard now < end else {
                lose()
                throw .silent
            }
            var source = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            _ = poll(&source, 1, Int32((end - now) / 1_000_000 + 1))
        }
    }

    @discardableResult
    private func say(_ request: NurseryRequest) -> Bool {
        var octet = request.rawValue
        guard descriptor >= 0 else { return false }
        if send(descriptor, &octet, 1, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)) == 1 { return true }
        lose()
        return false
    }

    /// The next message; nil where there is none now.
    private func next() throws(NurseryError) -> (NurseryReport, Int32)? {
        guard descriptor >= 0 else { throw .lost }
        var octets = [UInt8](repeating: 0, count: NurseryReport.size)
        var passed: Int32 = -1
        let count = channel_receive(descriptor, &octets, octets.count, &passed)
        if count == -Int(EAGAIN) { return nil }
        guard count == octets.count, let report = NurseryReport(decoding: octets.span) else {
            throw unexpected(passed)
        }
        return (report, passed)
    }

    private func note(_ report: NurseryReport) {
        guard case .workerEnded(let serial, let status) = report else { return }
        if endings.count == Self.mostEndings { endings.removeFirst() }
        endings.append((serial, status))
    }

    /// It does not do what it is to do: it is not listened to again.
    private func unexpected(_ passed: Int32) -> NurseryError {
        if passed >= 0 { close(passed) }
        lose()
        return .lost
    }

    private func lose() {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
    }
}

/// Why something could not be started.
public enum NurseryError: Error, Hashable, Sendable {
    /// There is no `gatehouse-face` beside the running program, or it is no program.
    case noProgram
    case notStarted(errno: Int32)
    /// The nursery did not answer; it is not asked again.
    case silent
    /// The nursery is gone.
    case lost
}

extension NurseryError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .noProgram: "there is no gatehouse-face beside this program"
        case .notStarted(let code): "it could not be started (\(systemCause(code)))"
        case .silent: "gatehouse-face does not answer"
        case .lost: "gatehouse-face is gone"
        }
    }
}

extension Nursery: CommandStarter {}
