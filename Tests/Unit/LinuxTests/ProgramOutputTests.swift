import Testing

@testable import Linux

/// Programs that are started for what they write.
@Suite struct ProgramOutputTests {
    private func run(_ script: String, most: Int = 100, patience: Duration = .seconds(60)) throws -> ProgramOutput {
        try ProgramOutput("/bin/sh", ["-c", script], environment: ["WORD=given"], most: most, patience: patience)
    }

    @Test func whatItWroteAndHowItEnded() throws {
        let done = try run("echo one; echo two >&2; echo $WORD; echo $HOME; exit 3")
        #expect(String(decoding: done.output, as: UTF8.self) == "one\ngiven\n\n")
        #expect(String(decoding: done.errors, as: UTF8.self) == "two\n" && done.ending == .exited(3))
        #expect(try run("kill -TERM $$").ending == .killed(15))
        #expect(try run("exit 0").ending == .exited(0))
    }

    @Test func nothingIsLeftOpenForIt() throws {
        // Standard input is empty, and there are no descriptors but the three, and the one that `ls` looks with.
        #expect(try String(decoding: run("cat; ls /proc/self/fd").output, as: UTF8.self) == "0\n1\n2\n3\n")
    }

    @Test func aBoundOnHowMuch() throws {
        #expect(try run("head -c 100 /dev/zero").output.count == 100)
        #expect(try run("head -c 101 /dev/zero").ending == .tooMuch)
        #expect(try run("exec cat /dev/zero").ending == .tooMuch)
        // Of standard error only the end is kept.
        let talker = try run("head -c 100000 /dev/zero | tr '\\0' x >&2; echo last >&2", patience: .seconds(60))
        #expect(talker.errors.count == 16_384 && talker.errors.suffix(6) == Array("xlast\n".utf8)[...])
    }

    @Test func aBoundOnHowLong() throws {
        // Whether it is silent, talks, or has closed everything.
        for script in ["exec sleep 600", "while :; do echo; sleep 0.01; done", "exec >&- 2>&-; exec sleep 600"] {
            #expect(try run(script, most: 1 << 20, patience: .milliseconds(200)).ending == .tooLong)
        }
    }

    @Test func aProgramThatIsNotThere() {
        #expect(throws: SystemError(errno: 2)) {
            try ProgramOutput("/nonexistent", [], environment: [], most: 1, patience: .seconds(1))
        }
    }
}
