import Devices
import Linux

/// Whoever looks at the camera's pictures for a time.
protocol FrameViewer: AnyObject {
    /// Somebody waits for the camera. One that fails is tried again soon then, else with patience.
    var isWaitedFor: Bool { get }
    /// A picture that comes now is wanted.
    func isLooking(_ now: UInt64) -> Bool
    /// - Parameter octets: of the picture, valid during the call.
    func see(_ header: FrameHeader, _ octets: UnsafeRawBufferPointer, _ now: UInt64)
    /// The desk has done what there was to do, with a picture or without one.
    func cameraServed(_ now: UInt64)
}

/// The one camera of the gate, and who looks through it: on as long as anybody does, started again after it failed, and watched by the loop
/// while it is on. Everybody gets each picture; none of it is kept.
public final class CameraDesk {
    static let token: UInt32 = 4
    /// Nanoseconds until a camera that failed is tried again.
    private static let retry: UInt64 = 250_000_000
    /// One that answers nothing holds the loop for as long as the kernel waits for it, some seconds.
    private static let retryMute: UInt64 = 30_000_000_000
    /// The same while nobody waits: no visit by radio is to be held up again and again by a camera that nobody needs for it.
    private static let patientRetry: UInt64 = 2_000_000_000
    private static let patientRetryMute: UInt64 = 600_000_000_000

    private let source: any FrameSource
    private weak var loop: EventLoop?
    private let report: (String) -> Void
    private var viewers: [any FrameViewer] = []
    private var isOn = false
    private var lastSaid: CameraError?
    private var lastFrame: Int?
    /// A camera that answered nothing is left alone until then, whoever comes.
    private var muteUntil: UInt64 = 0
    /// When it answered nothing last.
    private var mutedAt: UInt64 = 0
    /// Since when somebody waits for it in vain.
    private var missingSince: UInt64?
    /// When the last picture came, or the camera went on.
    private var pictureAt: UInt64 = 0

    /// When a camera that failed is tried again: `passTime` wants to be called then, in nanoseconds of `Clock.monotonic`.
    private(set) var retryAt: UInt64?

    /// - Parameter report: takes one line for the person at the terminal.
    public init(_ source: any FrameSource, report: @escaping (String) -> Void) {
        self.source = source
        self.report = report
    }

    func join(_ loop: EventLoop) {
        self.loop = loop
    }

    // MARK: who looks

    /// From now on every picture is shown to `viewer` too; the camera goes on for the first.
    func lend(to viewer: some FrameViewer, _ now: UInt64) {
        guard !isLent(to: viewer) else { return }
        let wasWaitedFor = isWaitedFor
        viewers.append(viewer)
        // One that failed, and was tried again with patience until somebody came for whom it is needed.
        let isUrgent = !isOn && !wasWaitedFor && viewer.isWaitedFor
        guard viewers.count == 1 || isUrgent else { return }
        if viewer.isWaitedFor { muteUntil = min(muteUntil, mutedAt &+ Self.retryMute) }
        guard now < muteUntil else { return start(now) }
        retryAt = muteUntil
        if missingSince == nil { missingSince = now }
    }

    private var isWaitedFor: Bool { viewers.contains { $0.isWaitedFor } }

    /// Nothing is shown to `viewer` any more; after the last the camera goes off.
    func takeBack(from viewer: some FrameViewer) {
        guard isLent(to: viewer) else { return }
        viewers.removeAll { $0 === viewer }
        guard viewers.isEmpty else { return }
        leaveLoop()
        source.stop()
        retryAt = nil
        missingSince = nil
    }

    func isLent(to viewer: some FrameViewer) -> Bool { viewers.contains { $0 === viewer } }

    /// Somebody stands before it from now on.
    func expect(from now: UInt64) {
        if missingSince != nil { missingSince = now }
    }

    /// Whether the camera has not been there for `timeout` nanoseconds of waiting.
    func isMissing(for timeout: UInt64, _ now: UInt64) -> Bool {
        missingSince.map { now >= $0 + timeout } ?? false
    }

    /// Whether it is on, and has given no picture for `timeout` nanoseconds.
    func isSilent(for timeout: UInt64, _ now: UInt64) -> Bool { isOn && now >= pictureAt &+ timeout }

    // MARK: what happens

    /// The camera has something to read.
    func serve(_ now: UInt64) {
        if isOn {
            do throws(CameraError) {
                // Frames that nobody waits for are taken all the same: the next one is to be a new one.
                let isThere = try source.takeFrame { header, octets in
                    // Where nobody looks, no octet of it is read.
                    guard viewers.contains(where: { $0.isLooking(now) }), isNew(octets) else { return }
                    for viewer in viewers { viewer.see(header, octets, now) }
                }
                if isThere { (lastSaid, pictureAt) = (nil, now) }
            } catch {
                failed(error, now)
            }
        }
        for viewer in viewers { viewer.cameraServed(now) }
    }

    func passTime(_ now: UInt64) {
        guard let due = retryAt, now >= due else { return }
        start(now)
        for viewer in viewers { viewer.cameraServed(now) }
    }

    /// Off, whoever looks.
    func close() {
        leaveLoop()
        source.stop()
        viewers = []
        (retryAt, missingSince) = (nil, nil)
    }

    /// Whether a frame is another one than the last, octet for octet: a camera that hangs may repeat somebody who has left.
    private func isNew(_ octets: UnsafeRawBufferPointer) -> Bool {
        var hasher = Hasher()
        hasher.combine(bytes: octets)
        let value = hasher.finalize()
        defer { lastFrame = value }
        return value != lastFrame
    }

    // MARK: on and off

    private func start(_ now: UInt64) {
        do throws(CameraError) {
            try source.start()
        } catch {
            return failed(error, now)
        }
        do throws(EventLoopError) {
            try loop?.add(source.descriptor, for: .readable, token: Self.token)
        } catch {
            source.stop()
            return failed(.system(.open, errno: error.errno), now)
        }
        isOn = true
        pictureAt = now
        retryAt = nil
        missingSince = nil
    }

    private func failed(_ error: CameraError, _ now: UInt64) {
        leaveLoop()
        source.stop()
        // The clock once more: the attempt may have taken seconds.
        if error == .notResponding {
            mutedAt = Clock.monotonic()
            muteUntil = mutedAt + (isWaitedFor ? Self.retryMute : Self.patientRetryMute)
        }
        retryAt = max(muteUntil, now + (isWaitedFor ? Self.retry : Self.patientRetry))
        if missingSince == nil { missingSince = now }
        guard error != lastSaid else { return }
        lastSaid = error
        report("camera: \(error.sentence)")
    }

    private func leaveLoop() {
        // One that failed has left the loop with its descriptor, whose number may be somebody else's by now.
        if isOn, source.descriptor >= 0 { loop?.remove(source.descriptor) }
        isOn = false
    }
}
