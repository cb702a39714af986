import CConfinement
import CProcess
import Faces
import Glibc
import Sandbox

/// Starts and kills on the gate's word, since a confined gate can do neither. It reads one octet at a time and nothing that a visitor made.
///
/// It ends with the gate: at the end of its channel, which nobody else holds. What it started ends with it.
final class NurseryProcess {
    private static let channel: Int32 = 3
    /// At most so many processes at a time; those killed a moment ago among them.
    private static let most = 16

    private enum Kind { case worker, command }

    private struct Child {
        let process: pid_t
        let serial: UInt32
        let kind: Kind
        var isKilled = false
    }

    private let options: Options
    private let gate = getppid()
    private var signals: Int32 = -1
    private var children: [Child] = []
    private var serial: UInt32 = 0

    init(_ options: Options) {
        self.options = options
    }

    func run() -> Never {
        children.reserveCapacity(Self.most)
        guard prepare() else { _exit(WorkerExit.notConfined.rawValue) }
        while true {
            var sources = [
                pollfd(fd: Self.channel, events: Int16(POLLIN), revents: 0), pollfd(fd: signals, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&sources, 2, -1) >= 0 || errno == EINTR else { end() }
            if sources[1].revents != 0 { takeSignals() }
            if sources[0].revents != 0 { takeRequest() }
        }
    }

    // MARK: before the first request

    private func prepare() -> Bool {
        signals = signals_open()
        // Root needs its own to change the user of what it starts; anybody else was only lent the gate's.
        if geteuid() != 0 {
            do throws(ConfinementError) { try Capabilities().keepOnly() } catch { return false }
        }
        // The parent is a thread to the kernel: the signal says only that one ended.
        return signals >= 0 && process_follow_parent(SIGUSR1) == 0 && process_set_no_new_privileges() == 0 && process_set_not_dumpable() == 0
    }

    // MARK: what happens

    private func takeSignals() {
        signals_drain(signals)
        if getppid() != gate { end() }
        var status: Int32 = 0
        while true {
            let process = waitpid(-1, &status, WNOHANG)
            guard process > 0 else { return }
            guard let index = children.firstIndex(where: { $0.process == process }) else { continue }
            let child = children.remove(at: index)
            // Whatever it left behind in its group.
            Glibc.kill(-process, SIGKILL)
            tell(child.kind == .worker ? .workerEnded(serial: child.serial, status: status) : .commandEnded(serial: child.serial, status: status))
        }
    }

    private func takeRequest() {
        var octet: UInt8 = 0
        let count = recv(Self.channel, &octet, 1, Int32(MSG_DONTWAIT))
        if count < 0, errno == EAGAIN || errno == EINTR { return }
        guard count == 1, let request = NurseryRequest(rawValue: octet) else { end() }
        switch request {
        case .startWorker: startWorker()
        case .stopWorker: kill(.worker)
        case .startCommand: startCommand()
        case .stopCommand: kill(.command)
        }
    }

    private func end() -> Never {
        for kind in [Kind.worker, .command] { kill(kind) }
        _exit(0)
    }

    // MARK: what is done

    /// Each has a process group of its own, with whatever it started.
    private func kill(_ kind: Kind) {
        for index in children.indices where children[index].kind == kind && !children[index].isKilled {
            Glibc.kill(-children[index].process, SIGKILL)
            children[index].isKilled = true
        }
    }

    private func startWorker() {
        kill(.worker)
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else { return tell(.notStarted(errno: errno)) }
        start(.worker, keeping: ends[0], giving: ends[1])
    }

    private func startCommand() {
        kill(.command)
        guard options.command != nil else { return tell(.notStarted(errno: ENOENT)) }
        var ends: [Int32] = [-1, -1]
        let code = pipe_open(&ends)
        guard code == 0 else { return tell(.notStarted(errno: code)) }
        start(.command, keeping: ends[0], giving: ends[1])
    }

    /// Starts itself in another role, and sends the gate its end. Both ends are closed here.
    private func start(_ kind: Kind, keeping kept: Int32, giving given: Int32) {
        defer {
            close(kept)
            close(given)
        }
        guard children.count < Self.most else { return tell(.notStarted(errno: EAGAIN)) }
        // The gate's loop never waits.
        guard fcntl(kept, F_SETFL, fcntl(kept, F_GETFL) | O_NONBLOCK) == 0 else { return tell(.notStarted(errno: errno)) }
        let isWorker = kind == .worker
        let arguments = ["gatehouse-face", isWorker ? "worker" : "command", "--parent", "\(getpid())"] + options.texts
        var process: Int32 = -1
        let code = CStrings.with(arguments) { arguments in
            CStrings.with(isWorker ? WorkerProcess.environment : CommandProcess.environment) { environment in
                Self.itself.withCString { itself in
                    var program = program(
                        path: itself, arguments: arguments, environment: environment, channel: isWorker ? given : -1, output: isWorker ? -1 : given,
                        errors: isWorker ? -1 : 2, holds_on: isWorker ? 1 : 0)
                    return program_start(&program, &process)
                }
            }
        }
        guard code == 0 else { return tell(.notStarted(errno: code)) }
        serial &+= 1
        children.append(Child(process: process, serial: serial, kind: kind))
        tell(isWorker ? .workerStarted(serial: serial) : .commandStarted(serial: serial), with: kept)
    }

    /// The program as it was when it was started, whatever lies in its place now.
    private static let itself = "/proc/self/exe"

    private func tell(_ report: NurseryReport, with descriptor: Int32 = -1) {
        let octets = report.octets
        // A gate that does not read its reports has forgotten about its nursery.
        if channel_send(Self.channel, octets, octets.count, descriptor) != 0 { end() }
    }
}
