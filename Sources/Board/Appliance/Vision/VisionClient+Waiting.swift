import Glibc
import Linux
import VisionProtocol

/// For tools that have nothing else to do: the same, but waiting.
extension VisionClient {
    /// Waits until a worker is idle, starting one where there is none.
    ///
    /// - Parameter end: nanoseconds of the monotonic clock; then the worker is killed, and all memory it had with it.
    /// - Throws: why one failed meanwhile.
    @discardableResult
    public func prepare(until end: UInt64 = .max) throws(WorkerFailure) -> PluginIdentity {
        try becomeIdle(until: end)
        guard let identity else { throw .lied(.notAsked) }
        return identity
    }

    /// The same of a worker of any role.
    func becomeIdle(until end: UInt64) throws(WorkerFailure) {
        start(at: Clock.monotonic())
        while state != .idle { _ = try turn(until: end) }
    }

    /// Asks and waits for the answer; first for a worker that is idle.
    ///
    /// - Parameter end: nanoseconds of the monotonic clock; then the worker is killed, and all memory it had with it.
    /// - Throws: what became of the worker, `lied` also for a request that is none. The next request goes to another worker.
    public func ask(
        _ request: WorkerRequest, _ octets: UnsafeRawBufferPointer = .init(start: nil, count: 0), until end: UInt64 = .max
    ) throws(WorkerFailure) -> WorkerReply {
        try becomeIdle(until: end)
        do throws(MessageError) {
            _ = try send(request, octets, at: Clock.monotonic())
        } catch {
            throw .lied(error)
        }
        while true {
            guard let reply = try turn(until: end) else { continue }
            switch reply {
            case .assessment, .reading, .forgotten: return reply
            case .hello, .codeLibrary, .note, .cannotOpen: continue
            }
        }
    }

    /// Sleeps until something happens, and returns what the worker said, if that happened.
    private func turn(until end: UInt64) throws(WorkerFailure) -> WorkerReply? {
        // Starting and sending may have failed already.
        try check()
        let now = Clock.monotonic()
        // What was read with the last reply makes no descriptor readable.
        if let reply = take(at: now) { return reply }
        try check()
        guard now < end else {
            stop()
            throw .timedOut
        }
        let events = Int16(hasUnsent ? POLLIN | POLLOUT : POLLIN)
        var sources = [
            pollfd(fd: descriptor, events: events, revents: 0), pollfd(fd: supervisorDescriptor, events: Int16(POLLIN), revents: 0),
        ]
        let next = min(deadline ?? .max, end)
        let pause = next > now ? (next - now) / 1_000_000 + 1 : 0
        _ = poll(&sources, 2, next == .max ? -1 : Int32(clamping: pause))
        let then = Clock.monotonic()
        if sources[0].revents & Int16(POLLOUT) != 0 { flush(at: then) }
        let reply = sources[0].revents != 0 ? take(at: then) : nil
        if sources[1].revents != 0 { serveSupervisor(at: then) }
        if let deadline, then >= deadline { expire(at: then) }
        try check()
        return reply
    }

    private func check() throws(WorkerFailure) {
        if let failure = takeFailure() { throw failure }
        // Nothing will ever happen.
        if state == .dead, deadline == nil { throw .notStarted(.lost) }
    }
}
