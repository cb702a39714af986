import Glibc
import Linux
import ListenerProtocol

/// Has the one listening socket, and starts and kills listeners on the gate's word, since a confined gate can do neither. It reads one
/// octet at a time and nothing that a stranger sent; it never takes a connection.
///
/// It ends with the gate: at the end of its channel, which nobody else holds. What it started ends with it.
final class KeeperProcess {
    private static let channel: Int32 = 3
    /// Connections that wait for a listener to take them.
    private static let backlog: Int32 = 16
    /// Listeners at a time; those killed a moment ago among them.
    private static let most = 8

    private struct Child {
        let process: pid_t
        let serial: UInt32
    }

    private let options: Options
    private let gate = getppid()
    private var children: [Child] = []
    private var serial: UInt32 = 0

    init(_ options: Options) {
        self.options = options
    }

    func run() -> Never {
        guard let signals = OwnProcess.watchChildren() else { _exit(Exit.system.rawValue) }
        let socket: ListeningSocket
        do throws(SystemError) {
            socket = try ListeningSocket(address: options.address, port: options.port, backlog: Self.backlog)
        } catch {
            tell(.notBound(errno: error.errno))
            _exit(Exit.system.rawValue)
        }
        do throws(ConfinementError) { try giveUp() } catch { _exit(Exit.notConfined.rawValue) }
        tell(.bound)
        while true {
            var sources = [
                pollfd(fd: Self.channel, events: Int16(POLLIN), revents: 0), pollfd(fd: signals, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&sources, 2, -1) >= 0 || errno == EINTR else { end() }
            if sources[1].revents != 0 { takeSignals(signals) }
            if sources[0].revents != 0 { takeRequest(socket) }
        }
    }

    /// A port below 1024 is taken by now: nothing of root's is needed any more, by it or by what it starts.
    private func giveUp() throws(ConfinementError) {
        if geteuid() == 0, let name = options.user { try User(named: name).become(keeping: []) }
        try Capabilities().keepOnly()
        // After the change of user, which takes it back. The parent is a thread to the kernel: the signal says only that one ended.
        guard OwnProcess.followParent(with: SIGUSR1), getppid() == gate else { throw .process(errno: ESRCH) }
        try OwnProcess.giveUpPrivileges()
    }

    // MARK: what happens

    private func takeSignals(_ signals: Int32) {
        OwnProcess.drain(signals)
        if getppid() != gate { end() }
        var status: Int32 = 0
        while true {
            let process = waitpid(-1, &status, WNOHANG)
            guard process > 0 else { return }
            guard let index = children.firstIndex(where: { $0.process == process }) else { continue }
            tell(.ended(serial: children.remove(at: index).serial, status: status))
        }
    }

    private func takeRequest(_ socket: ListeningSocket) {
        var octet: UInt8 = 0
        let count = withUnsafeMutableBytes(of: &octet) { Channel.read(into: $0, from: Self.channel) }
        if count < 0, errno == EAGAIN || errno == EINTR { return }
        guard count == 1, let request = KeeperRequest(rawValue: octet) else { end() }
        killAll()
        if request == .start { start(socket) }
    }

    private func end() -> Never {
        killAll()
        _exit(0)
    }

    // MARK: what is done

    private func killAll() {
        for child in children { kill(child.process, SIGKILL) }
    }

    /// Starts itself as a listener, and sends the gate its end of the channel. Both ends are closed here.
    private func start(_ socket: ListeningSocket) {
        guard children.count < Self.most else { return tell(.notStarted(errno: EAGAIN)) }
        do throws(SystemError) {
            let (here, there) = try Channel.pair(SocketType.stream)
            defer {
                close(here)
                close(there)
            }
            // The gate's loop never waits.
            guard fcntl(here, F_SETFL, fcntl(here, F_GETFL) | O_NONBLOCK) == 0 else { throw SystemError(errno: errno) }
            let lenient = options.isLenient ? ["--lenient"] : []
            let process = try ProgramStart(
                Self.itself, ["gatehouse-http", "listener", "--parent", "\(getpid())"] + lenient,
                environment: ["LC_ALL=C", "MALLOC_ARENA_MAX=1", "SWIFT_BACKTRACE=enable=no"], channel: there,
                listener: socket.descriptor, errors: 2, holdsOn: true
            ).start()
            serial &+= 1
            children.append(Child(process: process, serial: serial))
            tell(.started(serial: serial), with: here)
        } catch {
            tell(.notStarted(errno: error.errno))
        }
    }

    /// The program as it was when it was started, whatever lies in its place now.
    private static let itself = "/proc/self/exe"

    private func tell(_ report: KeeperReport, with descriptor: Int32 = -1) {
        // A gate that does not read its reports has forgotten about its keeper.
        do throws(SystemError) { try Channel.send(report.octets, with: descriptor, over: Self.channel) } catch { end() }
    }
}
