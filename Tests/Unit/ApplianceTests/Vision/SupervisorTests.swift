import Foundation
import Glibc
import Linux
import Testing
import VisionProtocol

@testable import Appliance

/// Processes as /proc has them.
enum Processes {
    /// Those that still run; who has ended but was not waited for does not.
    static func children(of parent: Int32) -> [Int32] {
        guard let folder = opendir("/proc") else { return [] }
        defer { closedir(folder) }
        var found: [Int32] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            if let process = Int32(name), let (state, itsParent) = facts(process), itsParent == parent, state != "Z" {
                found.append(process)
            }
        }
        return found
    }

    static func runs(_ process: Int32) -> Bool { facts(process).map { $0.state != "Z" } ?? false }

    private static func facts(_ process: Int32) -> (state: String, parent: Int32)? {
        guard let file = fopen("/proc/\(process)/stat", "r") else { return nil }
        defer { fclose(file) }
        var octets = [UInt8](repeating: 0, count: 1024)
        let count = fread(&octets, 1, octets.count, file)
        // The name before may hold anything.
        let fields = String(decoding: octets.prefix(count), as: UTF8.self).split(separator: ")").last?.split(separator: " ") ?? []
        guard fields.count > 2, let parent = Int32(fields[1]) else { return nil }
        return (String(fields[0]), parent)
    }

    /// The sockets and pipes a process has open, by the kernel's numbers.
    static func channels(of process: String) -> [String] {
        guard let folder = opendir("/proc/\(process)/fd") else { return [] }
        defer { closedir(folder) }
        var found: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            if let target = link("/proc/\(process)/fd/\(name)"), target.hasPrefix("socket:") || target.hasPrefix("pipe:") {
                found.append(target)
            }
        }
        return found
    }

    static func link(_ path: String) -> String? {
        var octets = [CChar](repeating: 0, count: 256)
        let count = readlink(path, &octets, octets.count)
        return count < 0 ? nil : String(decoding: octets.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Looks again until it holds; false where that takes longer than anything here can.
    static func eventually(_ holds: () -> Bool) -> Bool {
        for _ in 0..<2000 {
            if holds() { return true }
            _ = poll(nil, 0, 10)
        }
        return false
    }
}

@Suite("The supervisor")
struct SupervisorTests {
    @Test("nothing is left of fifty workers: no descriptor and no process")
    func restarts() throws {
        let workers = try TestMatchers("test_matcher")
        try workers.worker.prepare()
        let supervisor = workers.supervisor.process, before = Processes.channels(of: "\(supervisor)")
        var channels: Set<String> = []
        for _ in 0..<50 {
            try workers.worker.prepare()
            channels.insert(try #require(Processes.link("/proc/self/fd/\(workers.worker.descriptor)")))
            workers.worker.restart(at: Clock.monotonic())
        }
        try workers.worker.prepare()
        #expect(workers.worker.starts == 51 && channels.count == 50)
        #expect(channels.isDisjoint(with: Processes.channels(of: "self")))
        #expect(Processes.eventually { Processes.children(of: supervisor).count == 1 })
        #expect(Processes.channels(of: "\(supervisor)") == before)
        #expect(try workers.compare().similarity == 1)
    }

    @Test("ends with the gate's end of its channel, and its worker with it")
    func ending() throws {
        let workers = try TestMatchers("test_matcher")
        try workers.worker.prepare()
        let supervisor = workers.supervisor.process, worker = try #require(Processes.children(of: supervisor).first)
        workers.supervisor.end()
        #expect(!Processes.runs(supervisor))
        #expect(Processes.eventually { !Processes.runs(worker) })
        #expect(throws: SupervisorError.lost) { try workers.supervisor.startCommand() }
        #expect(throws: WorkerFailure.vanished) { try workers.compare() }
        #expect(throws: WorkerFailure.notStarted(.lost)) { try workers.compare() }
    }

    @Test("ends when the gate is killed, its worker with it, even where somebody holds the channel", arguments: [true, false])
    func killedGate(_ isHeld: Bool) throws {
        var ends: [Int32] = [-1, -1]
        #expect(socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
        var settings = SupervisorSettings()
        settings.plugin = TestPlugins.path("test_matcher")
        settings.models = "/usr/share"
        // A shell is the gate: it holds the gate's end as its standard output.
        let script = "\"$@\" >/dev/null & wait"
        let texts = ["sh", "-c", script, "sh", settings.foundProgram] + settings.arguments.dropFirst()
        let shell = try ProgramStart("/bin/sh", texts, environment: [], channel: ends[1], output: ends[0], errors: 2).start()
        var request = SupervisorRequest.startMatcher.rawValue
        #expect(send(ends[0], &request, 1, 0) == 1)
        close(ends[1])
        if !isHeld { close(ends[0]) }
        #expect(Processes.eventually { Processes.children(of: shell).first.map { !Processes.children(of: $0).isEmpty } ?? false })
        let supervisor = try #require(Processes.children(of: shell).first)
        let worker = try #require(Processes.children(of: supervisor).first)
        kill(shell, SIGKILL)
        waitpid(shell, nil, 0)
        #expect(Processes.eventually { !Processes.runs(supervisor) && !Processes.runs(worker) })
        if isHeld { close(ends[0]) }
    }

    @Test("starts the camera's program and hands over what it writes; stopping it ends everything it started")
    func command() throws {
        let workers = try TestMatchers("test_matcher") { $0.command = "echo frames; sleep 1000 & sleep 1000" }
        let output = try workers.supervisor.startCommand()
        defer { close(output) }
        var source = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
        #expect(poll(&source, 1, 20_000) == 1)
        var octets = [UInt8](repeating: 0, count: 16)
        #expect(read(output, &octets, 16) == 7 && octets.starts(with: Array("frames\n".utf8)))
        #expect(read(output, &octets, 16) < 0 && errno == EAGAIN)
        workers.supervisor.stopCommand()
        // The end of the pipe is the end of the last process that could write.
        #expect(poll(&source, 1, 20_000) == 1)
        #expect(read(output, &octets, 16) == 0)
        workers.supervisor.stopCommand()
        #expect(try workers.compare().similarity == 1, "and a worker besides")
    }

    @Test("a program that is not there, and a command nobody named")
    func missing() throws {
        #expect(throws: SupervisorError.noProgram) { _ = try TestMatchers("test_matcher") { $0.program = "/no/such/program" } }
        let workers = try TestMatchers("test_matcher")
        #expect(throws: SupervisorError.notStarted(errno: ENOENT)) { try workers.supervisor.startCommand() }
    }

    @Test("a supervisor that does not understand what it is told is lost, and nothing of it stays")
    func misunderstood() throws {
        let workers = try TestMatchers("test_matcher") { $0.memory = 100 }
        #expect(throws: WorkerFailure.notStarted(.lost)) { try workers.worker.prepare() }
        #expect(workers.supervisor.descriptor == -1 && workers.worker.deadline == nil)
        workers.supervisor.end()
        #expect(kill(workers.supervisor.process, 0) < 0 && errno == ESRCH)
    }

    @Test("a configuration that cannot be read, or has no end, is not passed on")
    func configurations() throws {
        for path in ["/no/such/file", "/usr", "/dev/zero"] {
            let workers = try TestMatchers("test_matcher") { $0.configuration = path }
            #expect(throws: WorkerFailure.cannotOpen(status: OpenFailure.badConfiguration.rawValue)) { try workers.worker.prepare() }
        }
        let workers = try TestMatchers("test_matcher") {
            $0.configuration = "/etc/hostname"
            $0.isLenient = true
        }
        #expect(try workers.compare().similarity == 1)
    }

    @Test("a worker may become another user", .enabled(if: geteuid() == 0))
    func otherUser() throws {
        let workers = try TestMatchers("test_matcher") { $0.user = "nobody" }
        do {
            try workers.worker.prepare()
            let worker = try #require(Processes.children(of: workers.supervisor.process).first)
            var facts = stat()
            #expect(stat("/proc/\(worker)/status", &facts) == 0)
            let status = try String(contentsOfFile: "/proc/\(worker)/status", encoding: .utf8)
            #expect(status.contains("Uid:\t65534\t65534\t65534\t65534"))
            #expect(try workers.compare().similarity == 1)
        } catch {
            // Where the folder of the repository is closed to others.
            #expect(error as? WorkerFailure == .cannotOpen(status: OpenFailure.notLoadable.rawValue))
        }
        let nowhere = try TestMatchers("test_matcher") { $0.user = "no-such-user" }
        #expect(throws: WorkerFailure.cannotOpen(status: OpenFailure.notConfined.rawValue)) { try nowhere.worker.prepare() }
    }
}
