import Cryptography
import Devices
import Linux
import VisionProtocol

/// What a visitor with a code is asked for.
public enum CodeInvitation: Hashable, Sendable {
    /// Nothing: no code can be read now.
    case none
    /// To hold it before the camera.
    case hold
    /// To press the button first.
    case press
}

/// The reading of codes as the loop sees it: pictures of the camera go to the worker one at a time, and what stands in a code comes back.
///
/// Nothing here waits, and nothing is queued: a picture that comes while the worker is busy is dropped, and so is what was read when the
/// gate wants no codes any more. No picture is kept. Where the worker or the camera fails, the gate goes on by radio.
public final class CodeStage: FrameViewer {
    private let camera: CameraDesk
    private let reader: CodeReader
    private let report: (String) -> Void
    private var duty: CodeDuty
    /// What was read, until the loop takes it; empty for a picture without a code.
    private var code: [UInt8]?
    /// What was read too late, until it is overwritten.
    private var late: [UInt8]?
    /// Pictures from before then are of whoever was there before.
    private var since: UInt64 = 0
    /// The picture the worker looks at was taken since.
    private var isCurrent = false
    /// The worker has something of a picture by which to tell whether anything moves.
    private var hasSeen = false
    private var library: CodeLibrary?
    private var failure: WorkerFailure?
    /// The failure that was told last, and until when it is not told again: somebody may hold up what ends each worker.
    private var said: (failure: WorkerFailure, until: UInt64)?

    /// Nanoseconds for which the same failure is told once.
    private static let quietTime: UInt64 = 600_000_000_000
    /// Nanoseconds after which a camera that is missing, or gives no pictures, is said to be.
    static let cameraTime: UInt64 = 5_000_000_000

    /// - Parameter report: takes one line for the person at the terminal.
    public init(camera: CameraDesk, reader: CodeReader, policy: CodePolicy, report: @escaping (String) -> Void) {
        self.camera = camera
        self.reader = reader
        self.report = report
        duty = CodeDuty(policy)
    }

    /// Starts the worker, so that it is there before the first visitor.
    func join(_ loop: EventLoop, now: UInt64) {
        reader.join(loop, now)
    }

    /// When `passTime` wants to be called, in nanoseconds of `Clock.monotonic`.
    func deadline(_ now: UInt64) -> UInt64? {
        guard let ofDuty = duty.deadline(at: now), let ofReader = reader.deadline else { return duty.deadline(at: now) ?? reader.deadline }
        return min(ofDuty, ofReader)
    }

    /// Whether a code that is held before the camera would be read.
    func isUp(_ now: UInt64) -> Bool {
        library != nil && failure == nil && !camera.isMissing(for: Self.cameraTime, now) && !camera.isSilent(for: Self.cameraTime, now)
    }

    /// What the screen asks for, beside the radio.
    func invitation(_ now: UInt64) -> CodeInvitation {
        guard duty.isWanted, isUp(now) else { return .none }
        return duty.needsCamera(at: now) ? .hold : .press
    }

    // MARK: what the gate and the visitor want

    func want(_ isWanted: Bool, _ now: UInt64) {
        guard isWanted != duty.isWanted else { return }
        duty.want(isWanted, at: now)
        (since, isCurrent) = (now, false)
        keep(nil)
        turnCamera(now)
        forget(now)
    }

    func press(_ now: UInt64) {
        duty.press(at: now)
        turnCamera(now)
    }

    /// What was read last, once; empty where a picture was looked at and had no code.
    func takeCode() -> [UInt8]? { code.take() }

    // MARK: what happens

    /// Nobody's face depends on it.
    var isWaitedFor: Bool { false }

    func isLooking(_ now: UInt64) -> Bool { duty.isDue(at: now) && reader.state == .idle }

    func see(_ header: FrameHeader, _ octets: UnsafeRawBufferPointer, _ now: UInt64) {
        guard isLooking(now), header.captured >= since else { return }
        let picture = PictureHeader(
            format: header.format, width: header.width, height: header.height, stride: header.stride, captured: header.captured,
            sequence: header.sequence)
        guard reader.show(picture, octets, now) else { return }
        duty.look(at: now)
        (isCurrent, hasSeen) = (true, true)
    }

    func cameraServed(_ now: UInt64) {}

    /// The worker or the supervisor has something to say.
    func serveWorker(_ now: UInt64) {
        while let event = reader.next(now) { take(event, now) }
        // Here, where nobody else holds it.
        if var text = late.take() { wipe(&text) }
    }

    func passTime(_ now: UInt64) {
        if let due = reader.deadline, now >= due { reader.passTime(now) }
        serveWorker(now)
        turnCamera(now)
        forget(now)
    }

    /// Everything off, and nothing of anybody left.
    func close(_ now: UInt64) {
        duty = CodeDuty(.off)
        isCurrent = false
        keep(nil)
        camera.takeBack(from: self)
        reader.stop()
    }

    private func take(_ event: CodeReader.Event, _ now: UInt64) {
        switch event {
        case .ready(let library):
            if self.library == nil { report("codes are read by \(library)") }
            (self.library, failure) = (library, nil)
            turnCamera(now)
        case .read(let reading):
            duty.see(change: reading.change, hasCode: reading.text != nil, at: now)
            // What does not decode says nothing of what is before the camera.
            if isCurrent, duty.isWanted, reading.status.isSight { keep(reading.text ?? []) } else { late = reading.text }
            isCurrent = false
            forget(now)
        case .failed(let failure):
            (isCurrent, hasSeen) = (false, false)
            self.failure = failure
            turnCamera(now)
            if let said, said.failure == failure, now < said.until { return }
            said = (failure, now &+ Self.quietTime)
            report("codes: \(failure): visitors can come by radio")
        }
    }

    /// What was read before, and nobody has taken, is overwritten.
    private func keep(_ text: [UInt8]?) {
        if var last = code.take() { wipe(&last) }
        code = text
    }

    /// Nobody looks any more: the worker keeps nothing. One that is busy is asked when it is done.
    private func forget(_ now: UInt64) {
        guard hasSeen, !duty.isWanted || !duty.needsCamera(at: now), reader.state == .idle else { return }
        hasSeen = false
        reader.forget(now)
    }

    /// A worker that cannot be had needs no camera: without it nobody would be seen by it for nothing.
    private func turnCamera(_ now: UInt64) {
        if library != nil, duty.needsCamera(at: now) { camera.lend(to: self, now) } else { camera.takeBack(from: self) }
    }
}

extension CodeReading.Status {
    /// Whether it says what was before the camera.
    fileprivate var isSight: Bool {
        switch self {
        case .nothing, .read, .refused: true
        case .undecodable, .tooLarge, .failed: false
        }
    }
}
