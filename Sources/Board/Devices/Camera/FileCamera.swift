import Cryptography
import Glibc
import Linux
import VisionProtocol

/// `file:`: the JPEGs of one file, each after the other, again and again; one a tick.
public final class FileCamera: FrameSource {
    public var descriptor: Int32 { on?.clock.descriptor ?? -1 }
    public var dropped: DroppedFrames { splitter.drops.counted() }

    /// Reads of one tick.
    private static let patience = 32

    private let path: String
    private let rate: UInt32
    private var on: Playing?

    /// What there is between `start` and `stop`.
    private final class Playing {
        let clock: FrameClock
        let file: Int32
        let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
        /// Octets of the chunk that were not cut yet.
        var unread = 0..<0
        var sequence: UInt32 = 0
        /// Whether there was a picture since the file's beginning.
        var hasPicture = false

        /// - Parameter file: closed with the value.
        init(_ file: Int32, _ clock: consuming FrameClock) {
            self.file = file
            self.clock = clock
        }

        deinit {
            wipe(chunk)
            chunk.deallocate()
            close(file)
        }
    }

    private var splitter = MJPEGSplitter(limit: FrameLimits.encoded)

    /// - Parameter rate: pictures a second.
    public init(_ path: String, rate: UInt32) {
        self.path = path
        self.rate = rate
    }

    deinit {
        stop()
    }

    public func start() throws(CameraError) {
        stop()
        let (file, octets) = try PictureFile.open(path)
        do throws(CameraError) {
            guard octets > 0 else { throw .noPictures }
            on = Playing(file, try FrameClock(rate: rate))
        } catch {
            close(file)
            throw error
        }
    }

    public func stop() {
        on = nil
        splitter.reset()
    }

    public func takeFrame(_ body: (FrameHeader, UnsafeRawBufferPointer) -> Void) throws(CameraError) -> Bool {
        guard let on else { throw .off }
        guard on.clock.hasTicked() else { return false }
        for _ in 0..<Self.patience {
            if on.unread.isEmpty {
                do throws(CameraError) {
                    try refill(on)
                } catch {
                    stop()
                    throw error
                }
            }
            let used = splitter.feed(UnsafeRawBufferPointer(rebasing: on.chunk[on.unread]))
            on.unread = (on.unread.lowerBound + used)..<on.unread.upperBound
            let header = FrameHeader(format: .jpeg, width: 0, height: 0, stride: 0, captured: Clock.monotonic(), sequence: on.sequence)
            guard splitter.takeFrame({ body(header, $0) }) else { continue }
            on.hasPicture = true
            on.sequence &+= 1
            return true
        }
        return false
    }

    private func refill(_ on: Playing) throws(CameraError) {
        var count = try PictureFile.fill(on.chunk, from: on.file)
        if count == 0 {
            guard on.hasPicture, lseek(on.file, 0, SEEK_SET) == 0 else { throw .noPictures }
            on.hasPicture = false
            // What is cut short at the end is not made whole by the beginning.
            splitter.reset()
            count = try PictureFile.fill(on.chunk, from: on.file)
            guard count > 0 else { throw .noPictures }
        }
        on.unread = 0..<count
    }
}
