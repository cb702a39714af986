import Linux
import VisionProtocol

/// For tools that have nothing else to do: the same, but waiting.
extension CodeReader {
    /// Starts the worker and waits until it is idle.
    ///
    /// - Parameter end: nanoseconds of the monotonic clock; then the worker is killed.
    /// - Throws: why it failed meanwhile.
    @discardableResult
    public func prepare(until end: UInt64) throws(WorkerFailure) -> CodeLibrary {
        let loop = try Self.loop()
        join(loop, Clock.monotonic())
        while true {
            if case .ready(let library) = try turn(loop, until: end) { return library }
        }
    }

    /// Has the worker look at a picture, and waits for what it reads.
    public func read(
        _ picture: PictureHeader, _ octets: UnsafeRawBufferPointer, until end: UInt64
    ) throws(WorkerFailure) -> CodeReading {
        let loop = try Self.loop()
        join(loop, Clock.monotonic())
        while true {
            if state == .idle { break }
            _ = try turn(loop, until: end)
        }
        // Not taken: no picture that could be sent.
        guard show(picture, octets, Clock.monotonic()) else { throw .lied(.badPicture) }
        while true {
            if case .read(let reading) = try turn(loop, until: end) { return reading }
        }
    }

    private static func loop() throws(WorkerFailure) -> EventLoop {
        do throws(EventLoopError) { return try EventLoop() } catch { throw .notStarted(.notStarted(errno: error.errno)) }
    }

    /// Sleeps until something happens.
    private func turn(_ loop: EventLoop, until end: UInt64) throws(WorkerFailure) -> Event {
        while true {
            let now = Clock.monotonic()
            if let event = next(now) {
                if case .failed(let failure) = event { throw failure }
                return event
            }
            guard now < end else {
                stop()
                throw .timedOut
            }
            do throws(EventLoopError) {
                _ = try loop.wait(until: min(end, deadline ?? .max))
            } catch {
                throw .notStarted(.notStarted(errno: error.errno))
            }
            if let deadline, Clock.monotonic() >= deadline { passTime(Clock.monotonic()) }
        }
    }
}
