import Appliance
import ArgumentParser
import Audit
import Glibc
import Linux

struct AuditRecent: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tail", abstract: "Show the last records of the audit log, and with --follow those that come.",
        discussion: """
            A line is the time (UTC), the record's number, and what happened. With --follow it goes on, looking once a second, from one segment \
            to the next, until SIGINT or SIGTERM. A running gate is not disturbed, and the chain is not checked. Exit code: 0 shown, 2 there is \
            no log to read.
            """)

    @OptionGroup var options: AuditFolderOptions

    @Option(
        name: [.customShort("n"), .customLong("lines")],
        help: ArgumentHelp("How many of the last records, at most \(AuditFollower.most).", valueName: "count"))
    var lines = 10

    @Flag(help: "Go on with what comes, until SIGINT or SIGTERM.")
    var follow = false

    @Flag(help: "The records as they are in the log, a JSON object a line.")
    var json = false

    /// Milliseconds from one look to the next.
    private static let pause: Int32 = 1000

    func validate() throws {
        guard (0...AuditFollower.most).contains(lines) else { throw ValidationError("--lines \(lines): use 0 to \(AuditFollower.most)") }
    }

    func run() throws {
        let outlet = follow ? try opened("signals") { () throws(EventLoopError) in try Outlet() } : nil
        func show(_ line: AuditFollower.Line) -> Bool {
            let text = json ? AuditLineText.json(of: line) : AuditLineText(line).text
            if let outlet { return outlet.put(text + "\n") }
            say(text, to: 1)
            return true
        }
        do throws(AuditError) {
            let follower = try AuditFollower(options.path, last: lines)
            guard follower.last.allSatisfy(show), let outlet else { return }
            while try follower.take(show), outlet.wait(Self.pause) {}
        } catch {
            throw AuditFolderOptions.unreadable(options.folder, error)
        }
    }
}

/// Standard output, to which is written until somebody ends it: a signal, or a reader who has gone. Neither waits for the other.
private final class Outlet {
    private let signals: Signals
    /// What a pipe takes without blocking, when it takes anything (`PIPE_BUF`).
    private static let step = 4096

    init() throws(EventLoopError) { signals = try Signals() }

    /// False: it is over.
    func put(_ text: String) -> Bool {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            guard look(for: Int16(POLLOUT), -1) else { return false }
            let count = rest.prefix(Self.step).withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Lets so many milliseconds pass. False: it is over.
    func wait(_ milliseconds: Int32) -> Bool { look(for: 0, milliseconds) }

    private func look(for event: Int16, _ milliseconds: Int32) -> Bool {
        var entries = [pollfd(fd: 1, events: event, revents: 0), pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0)]
        while poll(&entries, 2, milliseconds) < 0 { guard errno == EINTR else { return false } }
        return entries[1].revents == 0 && entries[0].revents & Int16(POLLERR | POLLHUP | POLLNVAL) == 0
    }
}
