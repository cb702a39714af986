import Linux
import VisionProtocol

/// Its place in the loop, which changes with each worker.
extension VisionClient {
    static let token: UInt32 = 5
    /// The supervisor's, which every client has to be told of: the one that reads first learns of the others' workers as well.
    static let supervisorToken: UInt32 = 6

    private var token: UInt32 { role == .matcher ? Self.token : CodeReader.token }

    enum Event {
        case said(WorkerReply)
        case failed(WorkerFailure)
    }

    /// What of the worker there is now the loop watches.
    struct Watch {
        /// Which worker: the number of a descriptor says nothing, since a new one may have the same.
        var start = 0
        var forWriting = false
    }

    /// Has the loop watch the supervisor and each worker from now on, and starts the first.
    func join(_ loop: EventLoop, _ now: UInt64) {
        self.loop = loop
        do throws(EventLoopError) {
            try loop.add(supervisorDescriptor, for: .readable, token: Self.supervisorToken)
        } catch {
            // It is watched already for another worker. Or it is not: then the end of one is learnt by the clock.
        }
        start(at: now)
    }

    /// Nothing can be started any more.
    var isLost: Bool { supervisorDescriptor < 0 }

    /// Shows a picture to a worker that is idle.
    func show(_ role: FaceRole, _ picture: PictureHeader, _ octets: UnsafeRawBufferPointer, _ now: UInt64) {
        do throws(MessageError) {
            _ = try send(.picture(role, picture), octets, at: now)
        } catch {
            // No picture that could be sent: the worker stays idle, and the next one may be one.
        }
    }

    /// What has happened since, one thing after the other.
    func next(_ now: UInt64) -> Event? {
        flush(at: now)
        if let reply = take(at: now) { return .said(reply) }
        serveSupervisor(at: now)
        return takeFailure().map(Event.failed)
    }

    func passTime(_ now: UInt64) {
        if let deadline, now >= deadline { expire(at: now) }
    }

    /// Watches the worker there is now, for writing where something waits to be sent.
    func watch() {
        guard let loop, descriptor >= 0 else { return }
        let interest: Interest = hasUnsent ? [.readable, .writable] : .readable
        do throws(EventLoopError) {
            if watched.start != starts {
                try loop.add(descriptor, for: interest, token: token)
            } else if watched.forWriting != hasUnsent {
                try loop.modify(descriptor, for: interest, token: token)
            } else {
                return
            }
            watched = Watch(start: starts, forWriting: hasUnsent)
        } catch {
            // Its deadline ends a worker that is not heard.
        }
    }
}
