import Faces
import Glibc

/// For tools that have nothing else to do: the same, but waiting.
extension FaceWorker {
    /// Waits until a worker is idle, starting one where there is none.
    ///
    /// - Throws: why one failed meanwhile.
    @discardableResult
    public func prepare() throws(WorkerFailure) -> PluginIdentity {
        start(at: Clock.monotonic())
        while state != .idle { _ = try turn() }
        guard let identity else { throw .lied(.notAsked) }
        return identity
    }

    /// Asks and waits for the answer; first for a worker that is idle.
    ///
    /// - Throws: what became of the worker, `lied` also for a request that is none. The next request goes to another worker.
    public func ask(_ request: WorkerRequest, _ octets: UnsafeRawBufferPointer = .init(start: nil, count: 0)) throws(WorkerFailure) -> WorkerReply {
        try prepare()
        do throws(WorkerMessageError) {
            _ = try send(request, octets, at: Clock.monotonic())
        } catch {
            throw .lied(error)
        }
        while true {
            switch try turn() {
            case .assessment(let role, let assessment)?: return .assessment(role, assessment)
            case .forgotten?: return .forgotten
            case .hello?, .note?, .cannotOpen?, nil: continue
            }
        }
    }

    /// Sleeps until something happens, and returns what the worker said, if that happened.
    private func turn() throws(WorkerFailure) -> WorkerReply? {
        let now = Clock.monotonic()
        let events = Int16(hasUnsent ? POLLIN | POLLOUT : POLLIN)
        var sources = [pollfd(fd: descriptor, events: events, revents: 0), pollfd(fd: nurseryDescriptor, events: Int16(POLLIN), revents: 0)]
        let pause = deadline.map { $0 > now ? ($0 - now) / 1_000_000 + 1 : 0 }
        _ = poll(&sources, 2, pause.map { Int32(clamping: $0) } ?? -1)
        let then = Clock.monotonic()
        if sources[0].revents & Int16(POLLOUT) != 0 { flush(at: then) }
        let reply = sources[0].revents != 0 ? take(at: then) : nil
        if sources[1].revents != 0 { serveNursery(at: then) }
        if let deadline, then >= deadline { expire(at: then) }
        if let failure = takeFailure() { throw failure }
        // Nothing will ever happen.
        if state == .dead, deadline == nil { throw .notStarted(.lost) }
        return reply
    }
}
