import Devices
import Glibc
import Linux
import VisionProtocol

/// The gate's end of a worker: one request at a time, nothing that waits, and an end to everything within its time. After a failure another
/// worker is started, warm before the next visitor.
///
/// A loop watches `descriptor` and the supervisor's, and calls `take` and `serveSupervisor`; `flush` where `hasUnsent`; `expire` at
/// `deadline`.
public final class VisionClient {
    public enum State: Hashable, Sendable {
        /// It is not ready yet: it loads its models.
        case starting
        case idle
        /// It works on a request.
        case busy
        /// There is none; another one is started at `deadline`, if any can be.
        case dead
    }

    public private(set) var state = State.dead
    /// To be watched for reading, another one after each start; -1 while there is none.
    public private(set) var descriptor: Int32 = -1
    public let role: WorkerRole
    /// A matcher's, known since the first was ready; the same of all.
    public private(set) var identity: PluginIdentity?
    /// What codes are read by, likewise.
    public private(set) var library: CodeLibrary?
    /// How many workers were started.
    public private(set) var starts = 0

    private let supervisor: any WorkerStarter
    private let timeouts: WorkerTimeouts
    private let outbox = WorkerOutbox()
    private var inbox = WorkerInbox()
    private var serial: UInt32 = 0
    private var request: UInt32 = 0
    /// The type of reply that is waited for; 0 for none.
    private var expected: UInt16 = 0
    /// When the worker is late.
    private var dueAt: UInt64?
    /// When another worker is to be started.
    private var restartAt: UInt64?
    /// The channel closed; the supervisor is to say why.
    private var isEnding = false
    private var failure: WorkerFailure?
    private var failuresInARow = 0
    private var backOff = BackOff()

    private var notesLeft = mostNotes
    /// See `join`.
    weak var loop: EventLoop?
    var watched = Watch()

    /// Words for the log while a plug-in is opened, or works on one request.
    private static let mostNotes = 16
    /// Nanoseconds to wait for the supervisor's word about a worker that closed its channel.
    private static let endingTimeout: UInt64 = 500_000_000

    /// Starts nothing yet.
    public init(supervisor: any WorkerStarter, role: WorkerRole = .matcher) {
        self.supervisor = supervisor
        self.role = role
        timeouts = supervisor.timeouts
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Why the last worker failed, told once; nil while that is not known yet.
    public func takeFailure() -> WorkerFailure? {
        defer { failure = nil }
        return failure
    }

    /// The supervisor's, to be watched as well.
    public var supervisorDescriptor: Int32 { supervisor.descriptor }

    public var hasUnsent: Bool { !outbox.isEmpty }

    /// When to call `expire`, in nanoseconds of the monotonic clock.
    public var deadline: UInt64? {
        guard let dueAt, let restartAt else { return dueAt ?? restartAt }
        return min(dueAt, restartAt)
    }

    // MARK: what the gate does

    /// Starts a worker, if there is none.
    public func start(at now: UInt64) {
        guard state == .dead, !isEnding else { return }
        restartAt = nil
        starts += 1
        do throws(SupervisorError) {
            (descriptor, serial) = try supervisor.start(role)
        } catch {
            failure = .notStarted(error)
            return planRestart(now)
        }
        state = .starting
        dueAt = now + timeouts.hello
        notesLeft = Self.mostNotes
        watch()
    }

    /// Sends a request; the octets of a picture are copied.
    ///
    /// - Returns: false where the worker is not idle, and nothing is sent.
    /// - Throws: where it is no request: too long, or measures that no picture has.
    public func send(_ asked: WorkerRequest, _ octets: UnsafeRawBufferPointer, at now: UInt64) throws(MessageError) -> Bool {
        guard state == .idle else { return false }
        // 0 is what nobody asked for.
        request = request == .max ? 1 : request + 1
        try outbox.put(asked, request: request, octets)
        expected = asked.replyType
        notesLeft = Self.mostNotes
        state = .busy
        dueAt = now + timeouts.time(for: asked)
        flush(at: now)
        return true
    }

    /// Has the worker wipe what it keeps. A worker that is busy is ended instead: what it works on is of a visit that is over.
    public func forget(at now: UInt64) {
        switch state {
        case .idle:
            do throws(MessageError) { _ = try send(.forget, UnsafeRawBufferPointer(start: nil, count: 0), at: now) } catch {}
        case .busy: restart(at: now)
        case .starting, .dead: break
        }
    }

    /// Kills the worker and starts another one, without a failure.
    public func restart(at now: UInt64) {
        guard state != .dead else { return }
        shut()
        supervisor.stop(role)
        start(at: now)
    }

    /// Kills the worker; no other is started.
    public func stop() {
        shut()
        supervisor.stop(role)
        (dueAt, restartAt, isEnding) = (nil, nil, false)
    }

    // MARK: what happens

    /// Writes on, where the channel takes more.
    public func flush(at now: UInt64) {
        defer { watch() }
        guard descriptor >= 0, !outbox.isEmpty else { return }
        if !outbox.write(to: descriptor) { vanish(now) }
    }

    /// The next thing the worker said; nil where there is nothing whole. To be called until then.
    public func take(at now: UInt64) -> WorkerReply? {
        guard descriptor >= 0 else { return nil }
        do throws(MessageError) {
            switch inbox.fill(from: descriptor) {
            case .ended:
                // What was said before the end is still said, an answer to nobody's question least of all.
                vanish(now)
                return nil
            case .nothing, .some: break
            }
            guard let (frame, reply) = try inbox.next() else { return nil }
            try accept(reply, frame, now)
            return state == .dead ? nil : reply
        } catch {
            fail(.lied(error), now)
            return nil
        }
    }

    /// Reads what the supervisor said, which may be why a worker ended.
    public func serveSupervisor(at now: UInt64) {
        supervisor.takeReports()
        learnEnding(now)
    }

    /// Acts on what has passed: the time a worker has, or the pause before another one.
    public func expire(at now: UInt64) {
        if let dueAt, now >= dueAt {
            if isEnding {
                serveSupervisor(at: now)
                if isEnding { ended(.vanished, now) }
            } else {
                fail(.timedOut, now)
            }
        }
        if let restartAt, now >= restartAt { start(at: now) }
    }

    // MARK: what follows

    private func accept(_ reply: WorkerReply, _ frame: MessageHeader, _ now: UInt64) throws(MessageError) {
        switch (state, reply) {
        case (.starting, .hello(let said)) where role == .matcher:
            if try isFirstOrSame(said, as: identity, frame, now) { identity = said }
        case (.starting, .codeLibrary(let said)) where role == .codes:
            if try isFirstOrSame(said, as: library, frame, now) { library = said }
        case (.starting, .cannotOpen(let status)):
            fail(.cannotOpen(status: status), now)
        case (.starting, .note), (.busy, .note):
            // One that talks without end would keep the loop.
            guard frame.request == (state == .busy ? request : 0), notesLeft > 0 else { throw .notAsked }
            notesLeft -= 1
        case (.busy, .assessment(_, let assessment)):
            try match(frame)
            // Who checks for attacks says what came of it.
            if assessment.similarity != nil, identity?.checksAttacks == true, assessment.attackScore == nil { throw .badNumber }
            becomeIdle()
            well()
        case (.busy, .reading), (.busy, .forgotten):
            try match(frame)
            becomeIdle()
            well()
        default: throw .notAsked
        }
    }

    /// A worker that says what the first one said is idle from then on; another one has failed.
    private func isFirstOrSame<Name: Equatable>(
        _ said: Name, as before: Name?, _ frame: MessageHeader, _ now: UInt64
    ) throws(MessageError) -> Bool {
        guard frame.request == 0 else { throw .notAsked }
        guard before == nil || before == said else {
            fail(.changed, now)
            return false
        }
        becomeIdle()
        return true
    }

    private func match(_ frame: MessageHeader) throws(MessageError) {
        // An answer before the whole question was asked is none.
        guard frame.request == request, frame.type == expected, outbox.isEmpty else { throw .notAsked }
    }

    private func becomeIdle() {
        state = .idle
        dueAt = nil
    }

    private func well() {
        failuresInARow = 0
        backOff.reset()
    }

    private func fail(_ why: WorkerFailure, _ now: UInt64) {
        shut()
        supervisor.stop(role)
        ended(why, now)
    }

    /// The channel closed. The supervisor is about to say how it ended; one that only closed it is killed.
    private func vanish(_ now: UInt64) {
        shut()
        supervisor.stop(role)
        isEnding = true
        dueAt = now + Self.endingTimeout
        learnEnding(now)
    }

    private func learnEnding(_ now: UInt64) {
        guard isEnding else { return }
        if supervisor.descriptor < 0 { return ended(.vanished, now) }
        guard let status = supervisor.ending(of: serial) else { return }
        let signal = status & 0x7F
        ended(signal == 0 ? .exited(code: status >> 8 & 0xFF) : .crashed(signal: signal), now)
    }

    private func ended(_ why: WorkerFailure, _ now: UInt64) {
        isEnding = false
        failure = why
        planRestart(now)
    }

    /// At once after the first failure, for the next visitor's sake; then with pauses, for everybody else's.
    private func planRestart(_ now: UInt64) {
        state = .dead
        dueAt = nil
        restartAt = supervisor.descriptor < 0 ? nil : failuresInARow == 0 ? now : now + backOff.next()
        failuresInARow += 1
    }

    private func shut() {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
        state = .dead
        dueAt = nil
        expected = 0
        outbox.wipe()
        inbox.wipe()
    }
}
