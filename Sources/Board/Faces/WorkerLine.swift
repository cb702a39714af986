import Faces

/// A worker and its place in the loop, which changes with each worker.
final class WorkerLine {
    static let token: UInt32 = 5
    static let nurseryToken: UInt32 = 6

    enum Event {
        case said(WorkerReply)
        case failed(WorkerFailure)
    }

    private let worker: FaceWorker
    private var loop: EventLoop?
    /// Which worker is watched, and whether for writing: the number of a descriptor says nothing, since a new one may have the same.
    private var watched = 0
    private var isWatchingWrites = false

    init(_ worker: FaceWorker) {
        self.worker = worker
    }

    func join(_ loop: EventLoop, _ now: UInt64) {
        self.loop = loop
        do throws(EventLoopError) {
            try loop.add(worker.nurseryDescriptor, for: .readable, token: Self.nurseryToken)
        } catch {
            // Without it the end of a worker is learnt by the clock.
        }
        worker.start(at: now)
        follow()
    }

    var identity: PluginIdentity? { worker.identity }
    /// Nothing can be started any more.
    var isLost: Bool { worker.nurseryDescriptor < 0 }
    var isIdle: Bool { worker.state == .idle }
    var deadline: UInt64? { worker.deadline }

    /// Shows a picture to a worker that is idle.
    func show(_ role: FaceRole, _ picture: WorkerPicture, _ octets: UnsafeRawBufferPointer, _ now: UInt64) {
        do throws(WorkerMessageError) {
            _ = try worker.send(.picture(role, picture), octets, at: now)
        } catch {
            // No picture that could be sent: the worker stays idle, and the next one may be one.
        }
        follow()
    }

    func forget(_ now: UInt64) {
        worker.forget(at: now)
        follow()
    }

    /// What has happened since, one thing after the other.
    func next(_ now: UInt64) -> Event? {
        defer { follow() }
        worker.flush(at: now)
        if let reply = worker.take(at: now) { return .said(reply) }
        worker.serveNursery(at: now)
        return worker.takeFailure().map(Event.failed)
    }

    func passTime(_ now: UInt64) {
        if let due = worker.deadline, now >= due { worker.expire(at: now) }
        follow()
    }

    func close() {
        worker.stop()
        watched = 0
    }

    /// Watches the worker there is now.
    func follow() {
        guard let loop, worker.descriptor >= 0 else { return }
        let interest: Interest = worker.hasUnsent ? [.readable, .writable] : .readable
        do throws(EventLoopError) {
            if watched != worker.starts {
                try loop.add(worker.descriptor, for: interest, token: Self.token)
            } else if isWatchingWrites != worker.hasUnsent {
                try loop.modify(worker.descriptor, for: interest, token: Self.token)
            } else {
                return
            }
            watched = worker.starts
            isWatchingWrites = worker.hasUnsent
        } catch {
            // Its deadline ends a worker that is not heard.
        }
    }
}
