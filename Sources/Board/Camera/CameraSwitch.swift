/// A camera that is on when it is wanted: started again after it failed, and watched by the loop while it is on.
final class CameraSwitch {
    static let token: UInt32 = 4
    /// Nanoseconds until a camera that failed is tried again.
    private static let retry: UInt64 = 250_000_000
    /// One that answers nothing holds the loop for as long as the kernel waits for it, some seconds.
    private static let retryMute: UInt64 = 30_000_000_000

    private let source: any FrameSource
    weak var loop: EventLoop?
    private let report: (String) -> Void
    /// Nanoseconds a visitor waits for a camera that is not to be had.
    private let patience: UInt64
    private(set) var isWanted = false
    private var isOn = false
    private var lastSaid: CameraError?
    /// A camera that answered nothing is left alone until then, whoever comes.
    private var muteUntil: UInt64 = 0
    /// Since when somebody waits for it in vain.
    private var missingSince: UInt64?

    /// When a camera that failed is tried again.
    private(set) var retryAt: UInt64?

    init(_ source: any FrameSource, patience: UInt64, report: @escaping (String) -> Void) {
        self.patience = patience
        self.source = source
        self.report = report
    }

    func turn(on wanted: Bool, _ now: UInt64) {
        guard wanted != isWanted else { return }
        isWanted = wanted
        if wanted {
            guard now < muteUntil else { return start(now) }
            (retryAt, missingSince) = (muteUntil, now)
            return
        }
        leaveLoop()
        source.stop()
        retryAt = nil
        missingSince = nil
    }

    /// Somebody stands before it from now on.
    func expect(from now: UInt64) {
        if missingSince != nil { missingSince = now }
    }

    /// Whether a visitor has waited long enough for a camera that is not there.
    func isMissed(_ now: UInt64) -> Bool {
        guard isWanted else { return true }
        return missingSince.map { now >= $0 + patience } ?? false
    }

    func take(_ now: UInt64, _ body: (FrameHeader, UnsafeRawBufferPointer) -> Void) {
        guard isOn else { return }
        do throws(CameraError) {
            if try source.takeFrame(body) { lastSaid = nil }
        } catch {
            failed(error, now)
        }
    }

    func passTime(_ now: UInt64) {
        if let due = retryAt, now >= due, isWanted { start(now) }
    }

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
        retryAt = nil
        missingSince = nil
    }

    private func failed(_ error: CameraError, _ now: UInt64) {
        leaveLoop()
        source.stop()
        // The clock once more: the attempt may have taken seconds.
        if error == .notResponding { muteUntil = Clock.monotonic() + Self.retryMute }
        retryAt = max(muteUntil, now + Self.retry)
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
