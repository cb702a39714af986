import Glibc
import Linux
import VisionProtocol

/// Starts and kills on the gate's word, since a confined gate can do neither. It reads one octet at a time and nothing that a visitor made.
///
/// It ends with the gate: at the end of its channel, which nobody else holds. What it started ends with it.
final class SupervisorProcess {
    private static let channel: Int32 = 3
    /// At most so many processes at a time; those killed a moment ago among them.
    private static let most = 16

    private enum Kind: Hashable {
        case worker(WorkerRole)
        case cameraProgram
    }

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
        guard let signals = OwnProcess.watchChildren() else { return false }
        self.signals = signals
        // Root needs its own to change the user of what it starts; anybody else was only lent the gate's.
        if geteuid() != 0 {
            do throws(ConfinementError) { try Capabilities().keepOnly() } catch { return false }
        }
        // The parent is a thread to the kernel: the signal says only that one ended.
        guard OwnProcess.followParent(with: SIGUSR1) else { return false }
        do throws(ConfinementError) { try OwnProcess.giveUpPrivileges() } catch { return false }
        return true
    }

    // MARK: what happens

    private func takeSignals() {
        OwnProcess.drain(signals)
        if getppid() != gate { end() }
        var status: Int32 = 0
        while true {
            let process = waitpid(-1, &status, WNOHANG)
            guard process > 0 else { return }
            guard let index = children.firstIndex(where: { $0.process == process }) else { continue }
            let child = children.remove(at: index)
            // Whatever it left behind in its group.
            Glibc.kill(-process, SIGKILL)
            tell(
                child.kind == .cameraProgram
                    ? .cameraProgramEnded(serial: child.serial, status: status) : .workerEnded(serial: child.serial, status: status))
        }
    }

    private func takeRequest() {
        var octet: UInt8 = 0
        let count = withUnsafeMutableBytes(of: &octet) { Channel.read(into: $0, from: Self.channel) }
        if count < 0, errno == EAGAIN || errno == EINTR { return }
        guard count == 1, let request = SupervisorRequest(rawValue: octet) else { end() }
        switch request {
        case .startMatcher: start(.matcher)
        case .stopMatcher: kill(.worker(.matcher))
        case .startCodeReader: start(.codes)
        case .stopCodeReader: kill(.worker(.codes))
        case .startCameraProgram: startCameraProgram()
        case .stopCameraProgram: kill(.cameraProgram)
        }
    }

    private func end() -> Never {
        for kind in [.worker(.matcher), .worker(.codes), Kind.cameraProgram] { kill(kind) }
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

    private func start(_ role: WorkerRole) {
        kill(.worker(role))
        do throws(SystemError) {
            let (here, there) = try Channel.pair(SocketType.stream)
            start(.worker(role), keeping: here, giving: there)
        } catch {
            tell(.notStarted(errno: error.errno))
        }
    }

    private func startCameraProgram() {
        kill(.cameraProgram)
        guard options.command != nil else { return tell(.notStarted(errno: ENOENT)) }
        do throws(SystemError) {
            let (reading, writing) = try Channel.pipe()
            start(.cameraProgram, keeping: reading, giving: writing)
        } catch {
            tell(.notStarted(errno: error.errno))
        }
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
        let isWorker = kind != .cameraProgram, (role, environment) = Self.image(of: kind)
        let start = ProgramStart(
            Self.itself, ["gatehouse-vision", role, "--parent", "\(getpid())"] + options.texts, environment: environment,
            channel: isWorker ? given : -1, output: isWorker ? -1 : given, errors: isWorker ? -1 : 2, holdsOn: isWorker)
        let process: pid_t
        do throws(SystemError) { process = try start.start() } catch { return tell(.notStarted(errno: error.errno)) }
        serial &+= 1
        children.append(Child(process: process, serial: serial, kind: kind))
        tell(isWorker ? .workerStarted(serial: serial) : .cameraProgramStarted(serial: serial), with: kept)
    }

    /// The word for its role, and its environment.
    private static func image(of kind: Kind) -> (role: String, environment: [String]) {
        switch kind {
        case .worker(.matcher): ("matcher", MatcherProcess.environment)
        case .worker(.codes): ("code", CodeProcess.environment)
        case .cameraProgram: ("camera-program", CameraProgram.environment)
        }
    }

    /// The program as it was when it was started, whatever lies in its place now.
    private static let itself = "/proc/self/exe"

    private func tell(_ report: SupervisorReport, with descriptor: Int32 = -1) {
        let octets = report.octets
        // A gate that does not read its reports has forgotten about its supervisor.
        do throws(SystemError) { try Channel.send(octets, with: descriptor, over: Self.channel) } catch { end() }
    }
}
