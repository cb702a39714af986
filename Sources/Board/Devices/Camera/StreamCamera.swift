import CLinux
import Cryptography
import Glibc
import Linux
import VisionProtocol

/// `cmd:` and `stdin:`: one JPEG after the other from a pipe.
///
/// What lies in a pipe when the camera is switched on was taken before, perhaps of somebody else: it is thrown away.
public final class StreamCamera: FrameSource {
    enum Origin {
        case command((any CommandStarter)?)
        /// A pipe that is there all the time, and is not closed.
        case pipe(Int32)
    }

    public private(set) var descriptor: Int32 = -1
    public var dropped: DroppedFrames { splitter.drops.counted(warmUp: unbelieved) }

    /// Octets of one read, and reads of one call: a stream that floods must not hold the loop.
    private static let chunk = 65_536
    private static let patience = 16

    private let origin: Origin
    private var pipe: Int32 = -1
    private var splitter = MJPEGSplitter(limit: FrameLimits.encoded)
    private let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: StreamCamera.chunk, alignment: 16)
    /// When the newest picture was whole.
    private var captured: UInt64 = 0
    /// Pictures since `start`.
    private var sequence: UInt32 = 0
    private var unbelieved: UInt64 = 0

    init(_ origin: Origin) {
        self.origin = origin
    }

    deinit {
        stop()
        chunk.deallocate()
    }

    public func start() throws(CameraError) {
        stop()
        switch origin {
        case .command(let starter):
            guard let starter, let output = try? starter.startCommand() else { throw .noCommand }
            pipe = output
        case .pipe(let given):
            var facts = stat()
            guard fstat(given, &facts) == 0 else { throw .system(.open, errno: errno) }
            guard [S_IFIFO, S_IFSOCK].contains(facts.st_mode & S_IFMT) else { throw .notPipe }
            pipe = given
        }
        do throws(CameraError) {
            descriptor = try Self.watch(pipe)
            if case .pipe = origin { try throwAway() }
        } catch {
            throw fail(error)
        }
        sequence = 0
    }

    public func stop() {
        guard pipe >= 0 else { return }
        splitter.reset()
        wipe(chunk)
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
        if case .command(let starter) = origin {
            close(pipe)
            starter?.stopCommand()
        }
        pipe = -1
    }

    /// A descriptor of our own that is readable when the pipe is. The pipe itself would stay in its owner's `epoll` when the camera is off,
    /// since other processes have it too, and an ended one would never be quiet.
    private static func watch(_ pipe: Int32) throws(CameraError) -> Int32 {
        let watch = epoll_create1(Int32(EPOLL_CLOEXEC))
        var event = epoll_event()
        event.events = UInt32(EPOLLIN.rawValue)
        if watch >= 0, epoll_ctl(watch, EPOLL_CTL_ADD, pipe, &event) == 0 { return watch }
        let code = errno
        if watch >= 0 { close(watch) }
        throw .system(.open, errno: code)
    }

    private func throwAway() throws(CameraError) {
        for _ in 0..<Self.patience {
            guard try read() > 0 else { return }
        }
    }

    public func takeFrame(_ body: (FrameHeader, UnsafeRawBufferPointer) -> Void) throws(CameraError) -> Bool {
        guard descriptor >= 0 else { throw .off }
        for _ in 0..<Self.patience {
            let count: Int
            do throws(CameraError) {
                count = try read()
            } catch {
                // What came before the end is still good; the end is there the next time too.
                if splitter.hasFrame { break }
                throw fail(error)
            }
            if count == 0 { break }
            split(UnsafeRawBufferPointer(rebasing: chunk[..<count]))
        }
        let header = FrameHeader(format: .jpeg, width: 0, height: 0, stride: 0, captured: captured, sequence: sequence &- 1)
        return splitter.takeFrame { body(header, $0) }
    }

    /// Reads what is there into the chunk. The descriptor is not made non-blocking: others may share it.
    ///
    /// - Returns: 0 when nothing is there now.
    private func read() throws(CameraError) -> Int {
        var entry = pollfd(fd: pipe, events: Int16(POLLIN), revents: 0)
        guard poll(&entry, 1, 0) > 0 else { return 0 }
        let count = Glibc.read(pipe, chunk.baseAddress, chunk.count)
        if count > 0 { return count }
        if count == 0 { throw .ended }
        switch errno {
        case EAGAIN, EINTR: return 0
        case ECONNRESET: throw .ended
        case let code: throw .system(.read, errno: code)
        }
    }

    private func split(_ octets: UnsafeRawBufferPointer) {
        var rest = octets[...]
        while !rest.isEmpty {
            let before = (splitter.hasFrame, splitter.drops.superseded)
            rest = rest.dropFirst(splitter.feed(UnsafeRawBufferPointer(rebasing: rest)))
            guard (splitter.hasFrame, splitter.drops.superseded) != before else { continue }
            sequence &+= 1
            captured = Clock.monotonic()
            if sequence <= FrameLimits.warmUp, splitter.takeFrame({ _ in }) { unbelieved += 1 }
        }
    }

    private func fail(_ error: CameraError) -> CameraError {
        stop()
        return error
    }
}

extension MJPEGSplitter.Drops {
    /// Counted in frames.
    func counted(warmUp: UInt64 = 0) -> DroppedFrames {
        var dropped = DroppedFrames()
        dropped.warmUp = warmUp
        dropped.outdated = superseded
        dropped.tooLarge = tooLong
        dropped.malformed = brokenMarker + truncated + empty
        return dropped
    }
}
