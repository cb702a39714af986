import Linux
import VisionProtocol

/// The gate's end of the worker that reads codes: one frame at a time, killed when late, started again. It is a `VisionClient` of that
/// role, and works beside one that compares faces or without it.
///
/// The loop tells it of `token` and of `VisionClient.supervisorToken`: `next` until there is nothing more.
public final class CodeReader {
    public enum Event: Sendable {
        /// A worker is ready.
        case ready(CodeLibrary)
        case read(CodeReading)
        /// Another worker is started, at once or after a pause.
        case failed(WorkerFailure)
    }

    static let token: UInt32 = 8

    private let client: VisionClient

    /// Starts nothing yet.
    public init(supervisor: any WorkerStarter) {
        client = VisionClient(supervisor: supervisor, role: .codes)
    }

    public var state: VisionClient.State { client.state }
    /// Known since the first worker was ready.
    public var library: CodeLibrary? { client.library }
    /// How many workers were started.
    public var starts: Int { client.starts }
    /// When to call `passTime`, in nanoseconds of `Clock.monotonic`.
    public var deadline: UInt64? { client.deadline }
    /// Nothing can be started any more.
    var isLost: Bool { client.isLost }

    /// Has the loop watch each worker from now on, and starts the first.
    func join(_ loop: EventLoop, _ now: UInt64) {
        client.join(loop, now)
    }

    /// Shows a frame to a worker that is idle.
    ///
    /// - Returns: false where it is not idle, or the picture is none that could be sent.
    public func show(_ picture: PictureHeader, _ octets: UnsafeRawBufferPointer, _ now: UInt64) -> Bool {
        do throws(MessageError) { return try client.send(.codes(picture), octets, at: now) } catch { return false }
    }

    /// What has happened since, one thing after the other.
    public func next(_ now: UInt64) -> Event? {
        while let event = client.next(now) {
            switch event {
            case .said(.codeLibrary(let library)): return .ready(library)
            case .said(.reading(let reading)): return .read(reading)
            case .failed(let failure): return .failed(failure)
            case .said: continue
            }
        }
        return nil
    }

    public func passTime(_ now: UInt64) {
        client.passTime(now)
    }

    /// What is kept of the last frame, to tell whether something moves, is wiped; a worker that is busy is ended instead.
    public func forget(_ now: UInt64) {
        client.forget(at: now)
    }

    /// Kills the worker, and with it everything it had of a frame; `start` or nothing starts another.
    public func stop() {
        client.stop()
    }

    /// Starts a worker, if there is none: after `stop`.
    public func start(_ now: UInt64) {
        client.start(at: now)
    }
}

/// For tools that have nothing else to do: the same, but waiting.
extension CodeReader {
    /// Waits until a worker is idle, starting one where there is none.
    ///
    /// - Parameter end: nanoseconds of the monotonic clock; then the worker is killed.
    /// - Throws: why one failed meanwhile.
    @discardableResult
    public func prepare(until end: UInt64 = .max) throws(WorkerFailure) -> CodeLibrary {
        try client.becomeIdle(until: end)
        guard let library else { throw .lied(.notAsked) }
        return library
    }

    /// Looks at one picture in every way there is.
    ///
    /// - Throws: what became of the worker, `lied` also for a picture that cannot be sent. The next picture goes to another worker.
    public func read(
        _ picture: PictureHeader, _ octets: UnsafeRawBufferPointer, until end: UInt64 = .max
    ) throws(WorkerFailure) -> CodeReading {
        _ = try client.ask(.forget, until: end)
        guard case .reading(let reading) = try client.ask(.codes(picture), octets, until: end) else { throw .lied(.notAsked) }
        return reading
    }
}
