import Glibc
import Linux
import Testing
import VisionProtocol

@testable import Appliance

@Suite("The gate's end of a worker for codes that does as a script says")
struct CodeReaderTests {
    private let starter = ScriptedStarter()
    private let reader: CodeReader
    private static let second: UInt64 = 1_000_000_000
    private static let library = CodeLibrary(name: "zxing-cpp", version: "2.3.0")

    init() { reader = CodeReader(supervisor: starter) }

    private static var reading: CodeReading {
        var made = CodeReading(.read)
        (made.text, made.width, made.height) = ([0x41], 640, 480)
        return made
    }

    private func isReady(_ event: CodeReader.Event?) -> Bool { if case .ready(Self.library)? = event { true } else { false } }

    private func failure(_ event: CodeReader.Event?) -> WorkerFailure? { if case .failed(let why)? = event { why } else { nil } }

    private func becomeIdle(at now: UInt64 = 0) throws {
        reader.start(now)
        try starter.say(.codeLibrary(Self.library), request: 0)
        #expect(isReady(reader.next(now)) && reader.state == .idle && reader.deadline == nil && reader.library == Self.library)
    }

    private func show(at now: UInt64 = 0) -> Bool {
        [UInt8](arrayLiteral: 1, 2, 3).withUnsafeBytes { reader.show(PictureHeader(format: .jpeg), $0, now) }
    }

    @Test("a frame goes out whole, and what was read of it comes once; until then no other is taken")
    func dialogue() throws {
        #expect(!show())
        try becomeIdle()
        #expect(starter.roles == [.codes])
        #expect(show(at: 5) && reader.state == .busy && reader.deadline == 5 + 2 * Self.second)
        #expect(starter.heard() == [31, 0, 0, 0, 4, 0, 1, 0, 1, 0, 0, 0, 16, 0] + [UInt8](repeating: 0, count: 26) + [1, 2, 3])
        #expect(!show() && starter.heard().isEmpty && reader.next(6) == nil)
        try starter.say(.reading(Self.reading), request: 1)
        guard case .read(let reading)? = reader.next(6) else { return #expect(Bool(false)) }
        #expect(reading == Self.reading && reader.state == .idle && reader.next(6) == nil)
    }

    @Test("a longest text arrives octet by octet")
    func longest() throws {
        try becomeIdle()
        #expect(show())
        var reading = Self.reading
        reading.text = [UInt8](repeating: 0x30, count: CodeReading.mostText)
        var octets = [UInt8](repeating: 0, count: WorkerReply.most)
        var span = octets.mutableSpan
        let count = try WorkerReply.reading(reading).encode(request: 1, into: &span)
        #expect(count == octets.count)
        // A socket holds some hundred writes, however small each is.
        for octet in octets.dropLast() {
            starter.say([octet])
            #expect(reader.next(0) == nil)
        }
        #expect(reader.state == .busy)
        starter.say([octets[count - 1]])
        guard case .read(reading)? = reader.next(0) else { return #expect(Bool(false)) }
    }

    @Test("a picture that is none is not sent, and harms nobody")
    func noPicture() throws {
        try becomeIdle()
        let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
        #expect(!reader.show(PictureHeader(format: .jpeg), nothing, 0))
        #expect(!reader.show(PictureHeader(format: .yuyv, width: 8192, height: 8192, stride: 16384), nothing, 0))
        #expect(reader.state == .idle && show())
    }

    /// What is said instead of an answer to frame 1.
    private static let lies: [(String, @Sendable (ScriptedStarter) throws -> Void, MessageError)] = [
        ("garbage", { $0.say([UInt8](repeating: 0xFF, count: 64)) }, .wrongVersion),
        ("a text longer than any", { $0.say([0, 0x1C, 0, 0, 4, 0x80, 1, 0, 1, 0, 0, 0]) }, .wrongLength),
        ("an answer to the next frame", { try $0.say(.reading(reading), request: 2) }, .notAsked),
        ("an answer about a face", { try $0.say(.assessment(.probe, FrameAssessment(status: 8)), request: 1) }, .notAsked),
        ("that it forgot", { try $0.say(.forgotten, request: 1) }, .notAsked),
        ("its library again", { try $0.say(.codeLibrary(library), request: 1) }, .notAsked),
        (
            "no text where it read one", { $0.say([28, 0, 0, 0, 4, 0x80, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0] + .zeros(20)) },
            .wrongLength
        ),
        ("words without end", { starter in for _ in 0..<17 { try starter.say(.note(level: 0, code: "x"), request: 1) } }, .notAsked),
    ]

    @Test("a lie ends the worker, and another one is there at once", arguments: lies.indices)
    func lying(_ index: Int) throws {
        try becomeIdle()
        #expect(show())
        try Self.lies[index].1(starter)
        #expect(failure(reader.next(1)) == .lied(Self.lies[index].2), "\(Self.lies[index].0)")
        #expect(starter.kills == 1 && reader.deadline == 1)
        reader.passTime(1)
        #expect(reader.state == .starting && starter.roles == [.codes, .codes])
        try starter.say(.codeLibrary(Self.library), request: 0)
        #expect(isReady(reader.next(1)) && show())
    }

    @Test("one that is a matcher, another library than before, and words before it is ready are none")
    func beginnings() throws {
        let identity = PluginIdentity(
            id: "a", version: "1", modelSHA256: String(repeating: "0", count: 64), capabilities: 1, referenceMinimum: 0)
        reader.start(0)
        try starter.say(.hello(identity), request: 0)
        #expect(failure(reader.next(0)) == .lied(.notAsked))
        reader.passTime(0)
        try starter.say(.reading(Self.reading), request: 0)
        #expect(failure(reader.next(0)) == .lied(.notAsked))
        reader.passTime(Self.second)
        try starter.say(.codeLibrary(Self.library), request: 0)
        #expect(isReady(reader.next(Self.second)))
        starter.closeFar()
        #expect(reader.next(Self.second) == nil)
        reader.passTime(2 * Self.second)
        #expect(failure(reader.next(2 * Self.second)) == .vanished)
        while reader.state == .dead, let due = reader.deadline { reader.passTime(due) }
        try starter.say(.codeLibrary(CodeLibrary(name: "zxing-cpp", version: "9")), request: 0)
        #expect(failure(reader.next(3 * Self.second)) == .changed && reader.library == Self.library)
    }

    @Test("one that is late is killed: with its start, or a frame")
    func late() throws {
        reader.start(10)
        #expect(reader.deadline == 10 + 20 * Self.second)
        reader.passTime(10 + 20 * Self.second)
        #expect(failure(reader.next(10 + 20 * Self.second)) == .timedOut && starter.kills == 1)
        try starter.say(.codeLibrary(Self.library), request: 0)
        #expect(isReady(reader.next(0)))
        #expect(show(at: 100))
        reader.passTime(99 + 2 * Self.second)
        #expect(reader.state == .busy)
        reader.passTime(100 + 2 * Self.second)
        #expect(failure(reader.next(100 + 2 * Self.second)) == .timedOut && starter.kills == 2 && reader.state == .dead)
    }

    @Test("how it crashed is what the supervisor says")
    func crashed() throws {
        try becomeIdle()
        #expect(show())
        starter.end(status: SIGSEGV)
        starter.closeFar()
        #expect(failure(reader.next(1)) == .crashed(signal: SIGSEGV))
    }

    @Test("stopped, it is started by nobody but its owner; forgetting is a request of its own")
    func stopping() throws {
        try becomeIdle()
        reader.forget(1)
        #expect(starter.heard() == [0, 0, 0, 0, 3, 0, 1, 0, 1, 0, 0, 0])
        try starter.say(.forgotten, request: 1)
        #expect(reader.next(1) == nil && reader.state == .idle)
        reader.stop()
        #expect(reader.state == .dead && reader.deadline == nil && starter.kills == 1)
        try becomeIdle(at: 2)
    }

    @Test("in one loop with a matcher each is heard by its own token, and both learn by one that the supervisor spoke")
    func together() throws {
        let loop = try EventLoop()
        let other = ScriptedStarter(), matcher = VisionClient(supervisor: other)
        // One supervisor of two, which says nothing.
        let silent = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        defer { close(silent) }
        (starter.descriptor, other.descriptor) = (silent, silent)
        matcher.join(loop, 0)
        reader.join(loop, 0)
        #expect(try loop.wait(until: Clock.monotonic()) == 0)
        try starter.say(.codeLibrary(Self.library), request: 0)
        #expect(try loop.wait(until: Clock.monotonic() + Self.second) == 1 && loop.readiness(at: 0)?.token == CodeReader.token)
        #expect(isReady(reader.next(0)))
        other.say([0])
        #expect(try loop.wait(until: Clock.monotonic() + Self.second) == 1 && loop.readiness(at: 0)?.token == VisionClient.token)
    }
}

extension [UInt8] {
    fileprivate static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
}
