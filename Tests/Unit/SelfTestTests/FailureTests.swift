import Glibc
import Testing

@testable import SelfTest

/// Gates that are none: the failure says what is wrong with each. The real one's visits are in Tests/Peers/command/test_self_test.py.
@Suite struct FailureTests {
    /// What is wrong with a shell script in the place of a gate. It finds the air's path in `$air`.
    private func failure(of script: String, patience: Duration = .seconds(20)) -> RehearsalFailure? {
        let find = #"while [ $# -gt 0 ]; do case $1 in --hci) air=${2#unix:};; esac; shift; done; "#
        let rehearsal = Rehearsal(program: "/bin/sh", arguments: ["-c", find + script, "gate"], patience: patience, trust: { _, _ in [] })
        do throws(RehearsalFailure) {
            try rehearsal.perform(at: 1_800_000_000)
            return nil
        } catch {
            return error
        }
    }

    @Test("a program that is not there is not started")
    func absent() {
        #expect(throws: RehearsalFailure.notStarted(errno: ENOENT)) {
            try Rehearsal(program: "/nonexistent/gatehouse", patience: .seconds(20), trust: { _, _ in [] }).perform(at: 0)
        }
    }

    @Test("one that ends at once is named with its exit code")
    func endsAtOnce() {
        #expect(failure(of: "exit 3") == .ended(.start, status: 3 << 8))
    }

    @Test("one that crashes is named with its signal")
    func crashes() {
        #expect(failure(of: "kill -SEGV $$") == .ended(.start, status: SIGSEGV))
    }

    @Test("one that does nothing takes too long, and is not waited for any longer than that")
    func doesNothing() {
        #expect(failure(of: "exec sleep 600", patience: .milliseconds(100)) == .tookTooLong(.start))
    }

    @Test("one that never stops talking takes too long as well")
    func talks() {
        #expect(failure(of: "exec yes", patience: .milliseconds(200)) == .tookTooLong(.start))
    }

    @Test("one that closes its output and stays takes too long")
    func isSilent() {
        #expect(failure(of: "exec sleep 600 > /dev/null 2>&1", patience: .milliseconds(100)) == .tookTooLong(.start))
    }

    @Test("an issuer that cannot be believed is no gate's fault")
    func noIssuer() {
        #expect(throws: RehearsalFailure.noIssuer) {
            try Rehearsal(program: "/bin/false", patience: .seconds(20), trust: { _, _ in throw RehearsalFailure.noIssuer }).perform(at: 0)
        }
    }

    @Test("every line of the gate is heard")
    func isHeard() {
        var lines: [String] = []
        let rehearsal = Rehearsal(
            program: "/bin/sh", arguments: ["-c", "echo one; echo two >&2; exit 1"], patience: .seconds(20), trust: { _, _ in [] },
            listener: { lines.append($0) })
        #expect(throws: RehearsalFailure.ended(.start, status: 256)) { try rehearsal.perform(at: 0) }
        #expect(lines == ["one", "two"])
    }

    @Test("every failure has a word of its own")
    func words() {
        let failures: [RehearsalFailure] = [
            .noPlace(errno: 1), .noIssuer, .notStarted(errno: 1), .ended(.start, status: 1), .ended(.light, status: 1), .tookTooLong(.code),
            .tookTooLong(.transfer), .wrongCode, .wronglyAccepted, .wronglyRejected, .wrongLight, .endedBadly(status: 1),
        ]
        #expect(Set(failures.map(\.code)).count == failures.count)
    }

    @Test("nothing of a rehearsal stays behind")
    func leavesNothing() throws {
        // The script tells where the air was.
        let found = "/tmp/gatehouse-test-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
        _ = failure(of: "dirname $air > \(found); exit 1")
        let file = try #require(fopen(found, "r"))
        defer {
            fclose(file)
            unlink(found)
        }
        var line = [CChar](repeating: 0, count: 256)
        _ = try #require(fgets(&line, 256, file))
        let folder = String(decoding: line.prefix { $0 != 0 && $0 != 0x0A }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        #expect(folder.hasPrefix("/tmp/gatehouse-"))
        #expect(access(folder, F_OK) != 0)
    }

    @Test("a place that is only half made leaves nothing behind either")
    func halfMade() throws {
        let parent = try TemporaryFolder()
        // Too long a path for a socket, and none for a folder.
        let long = parent.path + "/" + String(repeating: "x", count: 100)
        try #require(mkdir(long, 0o700) == 0)
        #expect(throws: RehearsalFailure.noPlace(errno: ENAMETOOLONG)) { _ = try Place(at: 0, in: long) }
        #expect(rmdir(long) == 0)
    }

    @Test("a temporary folder goes with all that is in it, and with nothing that is not")
    func temporaryFolder() throws {
        let other = try TemporaryFolder()
        try #require(mkdir(other.path + "/kept", 0o700) == 0)
        var folder: TemporaryFolder? = try TemporaryFolder()
        let path = try #require(folder?.path)
        try #require(
            mkdir(path + "/one", 0o700) == 0 && mkdir(path + "/one/two", 0o700) == 0 && symlink(other.path, path + "/one/link") == 0)
        folder = nil
        #expect(access(path, F_OK) != 0)
        #expect(access(other.path + "/kept", F_OK) == 0)
    }
}
