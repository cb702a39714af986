import Glibc
import Testing
import VisionProtocol

@testable import Appliance

/// Starts nothing, but gives out channels whose far end a test holds.
final class ScriptedStarter: WorkerStarter {
    var timeouts = WorkerTimeouts()
    var descriptor: Int32 = 0
    var refusal: SupervisorError?
    private(set) var far: Int32 = -1
    private(set) var kills = 0
    private(set) var roles: [WorkerRole] = []
    private(set) var serial: UInt32 = 0
    private var endings: [UInt32: Int32] = [:]
    private var told: [UInt32: Int32] = [:]

    deinit { closeFar() }

    func start(_ role: WorkerRole) throws(SupervisorError) -> (channel: Int32, serial: UInt32) {
        roles.append(role)
        if let refusal { throw refusal }
        closeFar()
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw .notStarted(errno: errno)
        }
        _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
        _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
        far = ends[1]
        serial += 1
        return (ends[0], serial)
    }

    func stop(_ role: WorkerRole) { kills += 1 }
    func takeReports() { endings = told }
    func ending(of serial: UInt32) -> Int32? { endings[serial] }

    // MARK: what the script does

    func end(status: Int32) { told[serial] = status }

    func closeFar() {
        if far >= 0 { close(far) }
        far = -1
    }

    func say(_ octets: [UInt8]) { #expect(write(far, octets, octets.count) == octets.count) }

    func say(_ reply: WorkerReply, request: UInt32) throws {
        var octets = [UInt8](repeating: 0, count: WorkerReply.most)
        var span = octets.mutableSpan
        let count = try reply.encode(request: request, into: &span)
        say(Array(octets.prefix(count)))
    }

    /// Everything that was asked and not yet read.
    func heard() -> [UInt8] {
        var all: [UInt8] = []
        var octets = [UInt8](repeating: 0, count: 65_536)
        while case let count = read(far, &octets, octets.count), count > 0 { all += octets.prefix(count) }
        return all
    }
}

@Suite("The gate's end of a worker that does as a script says")
struct VisionClientTests {
    private let starter = ScriptedStarter()
    private let worker: VisionClient
    private static let second: UInt64 = 1_000_000_000
    private static let identity = PluginIdentity(
        id: "a", version: "1", modelSHA256: String(repeating: "0", count: 64), capabilities: 1, referenceMinimum: 0)

    init() { worker = VisionClient(supervisor: starter) }

    private static var probe: FrameAssessment {
        var made = FrameAssessment(status: 0)
        (made.width, made.height, made.faces) = (10, 10, 1)
        made.face = FaceBox(x: 0, y: 0, width: 5, height: 5)
        made.similarity = 0.5
        return made
    }

    private func becomeIdle(at now: UInt64 = 0) throws {
        worker.start(at: now)
        try starter.say(.hello(Self.identity), request: 0)
        #expect(worker.take(at: now) == .hello(Self.identity))
        #expect(worker.state == .idle && worker.deadline == nil)
    }

    private func ask(_ role: FaceRole = .probe, at now: UInt64 = 0) throws {
        let isSent = try [UInt8](arrayLiteral: 1, 2, 3).withUnsafeBytes {
            try worker.send(.picture(role, PictureHeader(format: .jpeg)), $0, at: now)
        }
        #expect(isSent && worker.state == .busy)
    }

    @Test("a request goes out whole, and its answer is taken once")
    func dialogue() throws {
        try becomeIdle()
        try ask(at: 5)
        #expect(worker.deadline == 5 + 2 * Self.second)
        #expect(starter.heard() == [31, 0, 0, 0, 2, 0, 1, 0, 1, 0, 0, 0, 16, 0] + [UInt8](repeating: 0, count: 26) + [1, 2, 3])
        #expect(worker.take(at: 6) == nil)
        try starter.say(.assessment(.probe, Self.probe), request: 1)
        #expect(worker.take(at: 6) == .assessment(.probe, Self.probe))
        #expect(worker.state == .idle && worker.take(at: 6) == nil && worker.takeFailure() == nil)
        #expect(starter.kills == 0)
    }

    @Test("an answer may come octet by octet")
    func pieces() throws {
        try becomeIdle()
        try ask()
        var octets = [UInt8](repeating: 0, count: WorkerReply.most)
        var span = octets.mutableSpan
        let count = try WorkerReply.assessment(.probe, Self.probe).encode(request: 1, into: &span)
        for octet in octets.prefix(count - 1) {
            starter.say([octet])
            #expect(worker.take(at: 0) == nil && worker.state == .busy)
        }
        starter.say([octets[count - 1]])
        #expect(worker.take(at: 0) == .assessment(.probe, Self.probe))
    }

    @Test("a picture larger than the channel takes goes out by and by, and no answer is believed before")
    func large() throws {
        try becomeIdle()
        let picture = [UInt8](repeating: 7, count: 3_000_000)
        #expect(try picture.withUnsafeBytes { try worker.send(.picture(.reference, PictureHeader(format: .jpeg)), $0, at: 0) })
        #expect(worker.hasUnsent)
        var heard = 0
        while worker.hasUnsent {
            heard += starter.heard().count
            worker.flush(at: 0)
        }
        heard += starter.heard().count
        #expect(heard == 3_000_040 && worker.state == .busy)
        try becomeBusyWithUnsent()
        try starter.say(.assessment(.reference, FrameAssessment(status: 8)), request: 2)
        #expect(worker.take(at: 0) == nil && worker.takeFailure() == .lied(.notAsked))
    }

    private func becomeBusyWithUnsent() throws {
        try starter.say(.assessment(.reference, FrameAssessment(status: 8)), request: 1)
        #expect(worker.take(at: 0) != nil)
        let picture = [UInt8](repeating: 7, count: 3_000_000)
        #expect(try picture.withUnsafeBytes { try worker.send(.picture(.reference, PictureHeader(format: .jpeg)), $0, at: 0) })
        #expect(worker.hasUnsent)
    }

    /// What is said instead of an answer to probe 1, and what is made of it.
    private static let lies: [(String, @Sendable (ScriptedStarter) throws -> Void, MessageError)] = [
        ("garbage", { $0.say([UInt8](repeating: 0xFF, count: 64)) }, .wrongVersion),
        ("an answer without end", { $0.say([255, 255, 255, 0, 2, 0x80, 1, 0, 1, 0, 0, 0]) }, .tooLong),
        ("an answer longer than any", { $0.say([0, 32, 0, 0, 2, 0x80, 1, 0, 1, 0, 0, 0]) }, .wrongLength),
        ("an answer of no type", { $0.say([0, 0, 0, 0, 9, 0x80, 1, 0, 1, 0, 0, 0]) }, .unknownType),
        ("an answer to the next question", { try $0.say(.assessment(.probe, probe), request: 2) }, .notAsked),
        ("an answer to no question", { try $0.say(.assessment(.probe, probe), request: 0) }, .notAsked),
        ("an answer about a reference", { try $0.say(.assessment(.reference, FrameAssessment(status: 8)), request: 1) }, .notAsked),
        ("that it forgot", { try $0.say(.forgotten, request: 1) }, .notAsked),
        ("hello again", { try $0.say(.hello(identity), request: 1) }, .notAsked),
        ("an answer about a code", { try $0.say(.reading(CodeReading(.undecodable)), request: 1) }, .notAsked),
        ("what codes are read by", { try $0.say(.codeLibrary(CodeLibrary(name: "a", version: "1")), request: 1) }, .notAsked),
        ("that it could not open", { try $0.say(.cannotOpen(status: 2), request: 1) }, .notAsked),
        ("a word of another request", { try $0.say(.note(level: 0, code: "x"), request: 0) }, .notAsked),
        ("words without end", { starter in for _ in 0..<17 { try starter.say(.note(level: 0, code: "x"), request: 1) } }, .notAsked),
    ]

    @Test("a lie ends the worker", arguments: lies.indices)
    func lying(_ index: Int) throws {
        try becomeIdle()
        try ask()
        try Self.lies[index].1(starter)
        while case .note? = worker.take(at: 1) {}
        #expect(worker.takeFailure() == .lied(Self.lies[index].2), "\(Self.lies[index].0)")
        #expect(worker.state == .dead && worker.descriptor == -1 && starter.kills == 1)
        try becomeIdleAgain(at: 1)
    }

    private func becomeIdleAgain(at now: UInt64) throws {
        #expect(worker.deadline.map { $0 <= now } == true, "at once after a first failure")
        worker.expire(at: now)
        #expect(worker.state == .starting)
        try starter.say(.hello(Self.identity), request: 0)
        #expect(worker.take(at: now) == .hello(Self.identity) && worker.state == .idle)
    }

    @Test("one that says it reads codes is no matcher")
    func otherRole() throws {
        worker.start(at: 0)
        #expect(starter.roles == [.matcher])
        try starter.say(.codeLibrary(CodeLibrary(name: "a", version: "1")), request: 0)
        #expect(worker.take(at: 0) == nil && worker.takeFailure() == .lied(.notAsked) && worker.library == nil)
    }

    @Test("what is said unasked ends it as well: twice the answer, an answer while idle, anything before hello")
    func unasked() throws {
        try becomeIdle()
        try ask()
        try starter.say(.assessment(.probe, Self.probe), request: 1)
        try starter.say(.assessment(.probe, Self.probe), request: 1)
        #expect(worker.take(at: 0) != nil)
        #expect(worker.take(at: 0) == nil && worker.takeFailure() == .lied(.notAsked))
        worker.expire(at: 0)
        try starter.say(.forgotten, request: 0)
        #expect(worker.take(at: 0) == nil && worker.takeFailure() == .lied(.notAsked))
    }

    @Test("an answer without the attack score of a plug-in that has one is a lie")
    func withoutAttackScore() throws {
        var identity = Self.identity
        identity.capabilities = 5
        worker.start(at: 0)
        try starter.say(.hello(identity), request: 0)
        #expect(worker.take(at: 0) != nil)
        try ask()
        try starter.say(.assessment(.probe, Self.probe), request: 1)
        #expect(worker.take(at: 0) == nil && worker.takeFailure() == .lied(.badNumber))
    }

    @Test("another plug-in, or other models, than the first time are not taken")
    func changed() throws {
        try becomeIdle()
        worker.restart(at: 1)
        #expect(worker.state == .starting && starter.kills == 1 && worker.takeFailure() == nil)
        var other = Self.identity
        other.modelSHA256 = String(repeating: "1", count: 64)
        try starter.say(.hello(other), request: 0)
        #expect(worker.take(at: 1) == nil && worker.takeFailure() == .changed && worker.identity == Self.identity)
    }

    @Test("time ends: with its start, a reference, a probe")
    func timeouts() throws {
        worker.start(at: 10)
        #expect(worker.deadline == 10 + 20 * Self.second)
        worker.expire(at: 9 + 20 * Self.second)
        #expect(worker.state == .starting)
        worker.expire(at: 10 + 20 * Self.second)
        #expect(worker.takeFailure() == .timedOut && starter.kills == 1 && worker.state == .starting, "and another one")
        try starter.say(.hello(Self.identity), request: 0)
        #expect(worker.take(at: 0) != nil)
        try ask(.reference, at: 100)
        #expect(worker.deadline == 100 + 5 * Self.second)
        worker.expire(at: 100 + 5 * Self.second)
        #expect(worker.takeFailure() == .timedOut && worker.state == .dead && starter.kills == 2)
    }

    @Test("how it ended is what the supervisor says, and what it said before it ended still counts")
    func endings() throws {
        for (status, failure) in [(SIGSEGV, WorkerFailure.crashed(signal: SIGSEGV)), (67 << 8, .exited(code: 67))] {
            let starter = ScriptedStarter()
            let worker = VisionClient(supervisor: starter)
            worker.start(at: 0)
            try starter.say(.hello(Self.identity), request: 0)
            starter.closeFar()
            #expect(worker.take(at: 0) == .hello(Self.identity))
            #expect(worker.take(at: 0) == nil && worker.takeFailure() == nil && worker.state == .dead)
            worker.start(at: 0)
            #expect(worker.starts == 1, "not while nobody knows what became of it")
            starter.end(status: status)
            worker.serveSupervisor(at: 0)
            #expect(worker.takeFailure() == failure)
        }
    }

    @Test("nobody says how it ended: that is a failure too")
    func vanishing() throws {
        try becomeIdle()
        starter.closeFar()
        #expect(worker.take(at: 0) == nil)
        let deadline = try #require(worker.deadline)
        worker.expire(at: deadline - 1)
        #expect(worker.takeFailure() == nil)
        worker.expire(at: deadline)
        #expect(worker.takeFailure() == .vanished && worker.state == .starting)
    }

    @Test("one that fails again and again is started with growing pauses, until one does well")
    func pauses() throws {
        var now: UInt64 = 0
        var pauses: [UInt64] = []
        worker.start(at: now)
        for _ in 0..<8 {
            starter.say([UInt8](repeating: 0xFF, count: 12))
            #expect(worker.take(at: now) == nil && worker.takeFailure() == .lied(.wrongVersion))
            let next = try #require(worker.deadline)
            pauses.append((next - now) / 1_000_000)
            now = next
            worker.expire(at: now)
            #expect(worker.state == .starting)
        }
        #expect(pauses == [0, 250, 500, 1000, 2000, 4000, 8000, 8000])
        try starter.say(.hello(Self.identity), request: 0)
        #expect(worker.take(at: now) != nil)
        try ask(at: now)
        try starter.say(.assessment(.probe, Self.probe), request: 1)
        #expect(worker.take(at: now) != nil)
        starter.say([UInt8](repeating: 0xFF, count: 12))
        #expect(worker.take(at: now) == nil && worker.deadline == now)
    }

    @Test("without a supervisor there is no worker, and no other attempt")
    func withoutSupervisor() {
        starter.refusal = .lost
        starter.descriptor = -1
        worker.start(at: 0)
        #expect(worker.takeFailure() == .notStarted(.lost) && worker.deadline == nil && worker.state == .dead)
    }

    @Test("forgetting is a request to one that is idle, and the end of one that is busy")
    func forgetting() throws {
        worker.forget(at: 0)
        try becomeIdle()
        worker.forget(at: 1)
        #expect(starter.heard() == [0, 0, 0, 0, 3, 0, 1, 0, 1, 0, 0, 0] && worker.state == .busy)
        try starter.say(.forgotten, request: 1)
        #expect(worker.take(at: 1) == .forgotten && worker.state == .idle)
        try ask(at: 2)
        worker.forget(at: 3)
        #expect(starter.kills == 1 && worker.state == .starting && worker.takeFailure() == nil)
    }

    @Test("nothing is sent to one that is not idle, nor what is no request")
    func notSent() throws {
        let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
        #expect(try !worker.send(.forget, nothing, at: 0))
        try becomeIdle()
        #expect(throws: MessageError.wrongLength) { try worker.send(.picture(.probe, PictureHeader(format: .jpeg)), nothing, at: 0) }
        #expect(worker.state == .idle && !worker.hasUnsent)
        try ask()
        #expect(try !worker.send(.forget, nothing, at: 0))
    }
}
