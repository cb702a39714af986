import CLinux
import Glibc
import Linux
import VisionProtocol

/// `v4l2:`: a camera of the kernel's, MJPEG if it has it, else YUYV.
///
/// The driver fills a few mapped buffers in turn; the newest is handed out where it lies and given back afterwards.
public final class VideoCamera: FrameSource {
    public private(set) var descriptor: Int32 = -1
    public private(set) var dropped = DroppedFrames()
    /// What the camera was set to, while it is on.
    public private(set) var mode: VideoMode.Size?

    /// The numbers of everything that is asked of a driver, for a list of what may be.
    package static var requests: [UInt32] {
        var requests: [UInt32] = []
        while case let request = video_request(UInt32(requests.count)), request != 0 { requests.append(request) }
        return requests
    }

    private let path: String
    private let wanted: VideoMode
    private var format = video_format()
    private var buffers: VideoBuffers?
    private var splitter = MJPEGSplitter(limit: FrameLimits.encoded)
    private var warmUp = 0

    /// - Parameter path: `/dev/videoN`, or a link to it. It is opened at each `start`: a camera may come and go.
    public init(_ path: String, mode: VideoMode = VideoMode()) {
        self.path = path
        wanted = mode
    }

    deinit {
        stop()
    }

    // MARK: on and off

    public func start() throws(CameraError) {
        stop()
        // For writing too: buffers are mapped to be wiped.
        let camera = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard camera >= 0 else {
            let error = CameraError.opening(errno)
            throw error == .wrongKind ? .notCamera : error
        }
        do {
            try Self.identify(camera)
            format = try chooseFormat(of: camera)
            buffers = try VideoBuffers(of: camera)
            try Self.check(video_begin(camera), of: .stream)
        } catch {
            releaseBuffers()
            close(camera)
            throw error
        }
        descriptor = camera
        mode = VideoMode.Size(width: format.width, height: format.height)
        warmUp = FrameLimits.warmUp
    }

    public func stop() {
        guard descriptor >= 0 else { return }
        // Buffers come back only from a stream that has ended.
        _ = video_end(descriptor)
        releaseBuffers()
        splitter.reset()
        close(descriptor)
        descriptor = -1
        mode = nil
    }

    private func releaseBuffers() {
        buffers?.release()
        buffers = nil
    }

    private static func identify(_ camera: Int32) throws(CameraError) {
        var canCapture = false
        switch video_can_capture(camera, &canCapture) {
        case 0: if !canCapture { throw .notCamera }
        case ENOTTY, EINVAL: throw .notCamera
        case let code: throw reason(code, of: .identify)
        }
    }

    /// In the order they are liked: an encoded picture is small on the bus and in the worker's pipe.
    private static let liked = [UInt32(VIDEO_PIXELS_MJPEG), UInt32(VIDEO_PIXELS_JPEG), UInt32(VIDEO_PIXELS_YUYV)]

    private func chooseFormat(of camera: Int32) throws(CameraError) -> video_format {
        var offered: Set<UInt32> = []
        for index in 0..<UInt32(64) {
            var pixels: UInt32 = 0
            let code = video_pixels_at(camera, index, &pixels)
            if code == EINVAL { break }
            try Self.check(code, of: .format)
            offered.insert(pixels)
        }
        for pixels in Self.liked where offered.contains(pixels) {
            var format = video_format(pixels: pixels, width: wanted.size.width, height: wanted.size.height, stride: 0, octets: 0)
            try Self.check(video_set_format(camera, &format), of: .format)
            guard format.pixels == pixels, Self.isUsable(format) else { continue }
            // A camera whose rate cannot be set has one, and that will do.
            if let rate = wanted.rate { _ = video_set_rate(camera, rate) }
            return format
        }
        throw .noUsableFormat
    }

    static func isUsable(_ format: video_format) -> Bool {
        guard (1...FrameLimits.side).contains(format.width), (1...FrameLimits.side).contains(format.height) else { return false }
        guard format.pixels == VIDEO_PIXELS_YUYV else { return true }
        // Two pixels share their colour.
        return format.width.isMultiple(of: 2) && (2 * format.width...1 << 16).contains(format.stride)
            && rawOctets(format) <= FrameLimits.raw
    }

    /// Octets of a picture that is not encoded.
    private static func rawOctets(_ format: video_format) -> Int {
        Int(format.stride) * Int(format.height)
    }

    private var isRaw: Bool { format.pixels == VIDEO_PIXELS_YUYV }

    // MARK: pictures

    public func takeFrame(_ body: (FrameHeader, UnsafeRawBufferPointer) -> Void) throws(CameraError) -> Bool {
        guard descriptor >= 0, let buffers else { throw .off }
        var newest: video_frame?
        // Once around: a camera that is faster than this loop must not hold it.
        for _ in 0..<buffers.count {
            var frame = video_frame()
            let code = video_dequeue(descriptor, &frame)
            if code == EAGAIN { break }
            guard code == 0 else { throw fail(Self.reason(code, of: .dequeue)) }
            guard isWanted(frame) else {
                try giveBack(frame)
                continue
            }
            if let newest {
                dropped.outdated += 1
                try giveBack(newest)
            }
            newest = frame
        }
        guard let newest else { return false }
        let isWhole = hand(newest, in: buffers, to: body)
        try giveBack(newest)
        return isWhole
    }

    /// By what the driver says of it, without a look at its octets.
    private func isWanted(_ frame: video_frame) -> Bool {
        let octets = Int(frame.octets)
        if frame.is_damaged {
            dropped.damaged += 1
        } else if octets == 0 {
            dropped.empty += 1
        } else if isRaw && octets < Self.rawOctets(format) {
            dropped.malformed += 1
        } else if !isRaw && octets > FrameLimits.encoded {
            dropped.tooLarge += 1
        } else if frame.captured > 0 && frame.captured &+ FrameLimits.age < Clock.monotonic() {
            // With every buffer filled a driver keeps what it has, and drops what comes.
            dropped.outdated += 1
        } else if warmUp > 0 {
            warmUp -= 1
            dropped.warmUp += 1
        } else {
            return true
        }
        return false
    }

    private func hand(
        _ frame: video_frame, in buffers: VideoBuffers, to body: (FrameHeader, UnsafeRawBufferPointer) -> Void
    ) -> Bool {
        guard let octets = buffers.octets(of: frame) else {
            dropped.tooLarge += 1
            return false
        }
        let header = FrameHeader(
            format: isRaw ? .yuyv : .jpeg, width: format.width, height: format.height, stride: isRaw ? format.stride : 0,
            captured: frame.captured > 0 ? frame.captured : Clock.monotonic(), sequence: frame.sequence)
        if isRaw {
            // Some drivers round the end up.
            body(header, UnsafeRawBufferPointer(rebasing: octets.prefix(Self.rawOctets(format))))
            return true
        }
        // A driver hands out what the camera sent, whole or not, sometimes with padding behind it.
        _ = splitter.feed(octets)
        guard splitter.takeFrame({ body(header, $0) }) else {
            // The next buffer does not go on where this one broke off.
            splitter.reset()
            dropped.malformed += 1
            return false
        }
        return true
    }

    private func giveBack(_ frame: video_frame) throws(CameraError) {
        let code = video_queue(descriptor, frame.index)
        guard code == 0 else { throw fail(Self.reason(code, of: .queue)) }
    }

    // MARK: errors

    private func fail(_ error: CameraError) -> CameraError {
        stop()
        return error
    }

    static func check(_ code: Int32, of call: CameraError.SystemCall) throws(CameraError) {
        guard code == 0 else { throw reason(code, of: call) }
    }

    static func reason(_ code: Int32, of call: CameraError.SystemCall) -> CameraError {
        switch code {
        case ENODEV, ENXIO, ESHUTDOWN: .unplugged
        // While it is being set; afterwards it is how drivers say that nothing comes any more.
        case EIO, EPROTO, ETIMEDOUT: call == .dequeue || call == .queue ? .unplugged : .notResponding
        case EBUSY: .busy
        case EACCES, EPERM: .notPermitted
        // The USB core's words for a bus that is full.
        case ENOSPC: call == .stream ? .noBandwidth : .system(call, errno: code)
        case let code: .system(call, errno: code)
        }
    }
}
