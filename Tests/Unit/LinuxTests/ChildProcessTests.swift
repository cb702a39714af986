import BoardTestSupport
import Glibc
import Testing

@testable import Linux

/// A process that is spoken to over a socket of packets, by a shell that has it as descriptor 3.
@Suite struct ChildProcessTests {
    private func child(_ script: String) throws -> ChildProcess { try ChildProcess("/bin/sh", ["sh", "-c", script]) }

    private func answer(_ child: ChildProcess, most: Int) -> [UInt8]? {
        guard awaitReadable(child.descriptor, milliseconds: 60_000) else { return nil }
        return child.receive(most: most)?.bytes
    }

    @Test func itHearsAnOctetAndIsHeard() throws {
        let child = try child("head -c 1 <&3 >&3; read -r rest <&3")
        #expect(child.receive(most: 8) == nil && child.descriptor >= 0, "nothing was said, and it is not lost")
        let isSaid = child.say(0x41)
        #expect(isSaid && answer(child, most: 8) == [0x41])
        child.end()
        #expect(child.descriptor == -1 && kill(child.process, 0) != 0 && errno == ESRCH)
        // Again, and after the end.
        child.end()
        let isSaidLater = child.say(0x42)
        #expect(!isSaidLater && child.receive(most: 8) == nil)
    }

    @Test func whatIsLongerThanItMayBeLosesIt() throws {
        let child = try child("printf 123456789 >&3; read -r rest <&3")
        #expect(answer(child, most: 8) == nil && child.descriptor == -1)
        let good = try self.child("printf 12345678 >&3; read -r rest <&3")
        #expect(answer(good, most: 8)?.count == 8 && good.descriptor >= 0)
    }

    @Test func oneThatDoesNotSeeTheEndIsKilled() throws {
        let child = try child("exec sleep 100000")
        let process = child.process
        #expect(kill(process, 0) == 0)
        child.end()
        #expect(kill(process, 0) != 0 && errno == ESRCH)
    }

    @Test func aDescriptorThatCameWithWhatLosesItIsClosed() throws {
        let child = try child("read -r rest <&3")
        let (reading, writing) = try Channel.pipe()
        defer { close(reading) }
        child.lose(writing)
        var octet: UInt8 = 0
        #expect(child.descriptor == -1)
        #expect(awaitReadable(reading) && read(reading, &octet, 1) == 0, "nobody has the other end")
    }
}
