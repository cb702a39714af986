import Cryptography
import Devices
import Faces
import Linux
import VisionProtocol
import Visit

/// The face stage as the loop sees it: the worker, and the one attempt that is under way.
///
/// The camera is on from the moment a wallet has identified itself to the verdict, so that it has found its exposure when the credential is
/// there. Nothing here waits: frames and answers are taken when the loop says that they have come.
public final class FaceStage: FrameViewer {
    private struct Attempt {
        /// Of the gate's request.
        let number: UInt64
        let key: CredentialKey
        var check: FaceCheck
        /// When the camera took what the worker looks at, and when it was shown to it.
        var captured: UInt64 = 0
        var shown: UInt64 = 0
        /// What the last look took, in nanoseconds.
        var lasting: UInt64 = 0
    }

    private let camera: CameraDesk
    private let worker: VisionClient
    private let settings: FaceSettings
    private let thresholds: FaceThresholds
    private let report: (String) -> Void
    private var lockout: FaceLockout
    /// Makes the keys of the lockout: they mean nothing outside this process.
    private let salt: [UInt8]
    private var attempt: Attempt?
    private var portrait: Portrait?
    private var answer: (number: UInt64, outcome: FaceOutcome)?
    private var lastFailure: WorkerFailure?
    private var isNamed = false

    /// - Parameter report: takes one line for the person at the terminal.
    public init(
        camera: CameraDesk, worker: VisionClient, settings: FaceSettings, thresholds: FaceThresholds,
        report: @escaping (String) -> Void
    ) throws(CryptographyError) {
        self.camera = camera
        self.worker = worker
        self.settings = settings
        self.thresholds = thresholds
        self.report = report
        lockout = FaceLockout(settings: settings)
        salt = try Random.bytes(32)
    }

    /// Starts the matcher, so that it is warm before the first visitor.
    func join(_ loop: EventLoop, now: UInt64) {
        worker.join(loop, now)
    }

    /// When `passTime` wants to be called, in nanoseconds of `Clock.monotonic`.
    var deadline: UInt64? {
        let ofAttempt = attempt?.check.deadline
        guard let ofAttempt, let ofWorker = worker.deadline else { return ofAttempt ?? worker.deadline }
        return min(ofAttempt, ofWorker)
    }

    /// What starts matchers is gone, and cannot be started again by a gate that is confined.
    var isLost: Bool { worker.isLost }

    /// Why no face can be found to match, whoever comes; nil where one can, or nobody knows yet.
    var trouble: ClosedCause? {
        if let identity = worker.identity, thresholds.threshold(of: identity) == nil { return .noThreshold }
        return lastFailure != nil && worker.identity == nil ? .noMatcher : nil
    }

    /// What the visitor before the camera may do; nil where the attempt goes well, or there is none.
    var hint: FaceHint? { attempt?.check.hint }

    // MARK: what the gate wants

    /// The camera on or off. Without it an attempt is over.
    func turnCamera(on isOn: Bool, _ now: UInt64) {
        if isOn { return camera.lend(to: self, now) }
        abandon(now)
        camera.takeBack(from: self)
    }

    func begin(_ request: FaceRequest, now: UInt64) {
        abandon(now)
        do throws(PortraitError) {
            let portrait = try Portrait(claim: request.portrait)
            guard let key = key(of: portrait), lockout.permits(key, at: now) else {
                answer = (request.number, FaceOutcome(refused: .lockedOut))
                return
            }
            self.portrait = consume portrait
            attempt = Attempt(number: request.number, key: key, check: FaceCheck(settings: settings, at: now))
        } catch {
            answer = (request.number, FaceOutcome(refused: error.reason))
            return
        }
        camera.expect(from: now)
        proceed(now)
    }

    /// The answer to a request, once.
    func takeAnswer() -> (number: UInt64, outcome: FaceOutcome)? {
        defer { answer = nil }
        return answer
    }

    // MARK: what happens

    /// A visitor stands before the camera.
    var isWaitedFor: Bool { true }

    /// Also while there is nothing to compare: a picture that comes twice is to be known for it.
    func isLooking(_ now: UInt64) -> Bool { true }

    func see(_ header: FrameHeader, _ octets: UnsafeRawBufferPointer, _ now: UInt64) {
        guard let attempt, attempt.check.wants == .frame, worker.state == .idle,
            !attempt.check.isInTheWay(captured: header.captured, lasting: attempt.lasting)
        else { return }
        self.attempt?.captured = header.captured
        self.attempt?.shown = now
        let picture = PictureHeader(
            format: header.format, width: header.width, height: header.height, stride: header.stride, captured: header.captured,
            sequence: header.sequence)
        worker.show(.probe, picture, octets, now)
    }

    func cameraServed(_ now: UInt64) {
        proceed(now)
    }

    /// The worker or the supervisor has something to say.
    func serveWorker(_ now: UInt64) {
        while let event = worker.next(now) { take(event, now) }
        proceed(now)
    }

    func passTime(_ now: UInt64) {
        worker.passTime(now)
        serveWorker(now)
        if let due = attempt?.check.deadline, now >= due {
            if attempt?.check.wants == .worker, let lastFailure { attempt?.check.workerFailed(lastFailure.reason) }
            attempt?.check.expire(at: now)
        }
        proceed(now)
    }

    /// Everything off, and nothing of anybody left.
    func close(_ now: UInt64) {
        abandon(now)
        camera.takeBack(from: self)
        worker.stop()
    }

    private func take(_ event: VisionClient.Event, _ now: UInt64) {
        switch event {
        case .said(.hello(let identity)): introduce(identity)
        case .said(.assessment(.reference, let assessment)): attempt?.check.takeReference(assessment, at: now)
        case .said(.assessment(.probe, let assessment)):
            guard let attempt else { return }
            self.attempt?.lasting = now > attempt.shown ? now - attempt.shown : 0
            self.attempt?.check.takeProbe(assessment, captured: attempt.captured, at: now)
        // Only what it says before it has seen anybody: words may be chosen to tell what was seen.
        case .said(.note(_, let code)): if !isNamed { report("face matcher: \(code)") }
        case .said(.forgotten), .said(.cannotOpen), .said(.reading), .said(.codeLibrary): break
        case .failed(let failure):
            report("face matcher: \(failure)")
            lastFailure = failure
            // One that was not there yet may still come.
            if attempt?.check.wants != .worker { attempt?.check.workerFailed(failure.reason) }
        }
    }

    private func introduce(_ identity: PluginIdentity) {
        lastFailure = nil
        guard !isNamed else { return }
        isNamed = true
        guard let entry = thresholds.threshold(of: identity) else {
            return report(
                "face matcher \(identity.id) \(identity.version): no threshold was measured for it and its models (gatehouse calibrate): everybody is rejected"
            )
        }
        let evidence =
            if case .measured = entry.evidence { "measured \(entry.date)" } else { "provisional: nobody measured how often it is wrong" }
        report("face matcher \(identity.id) \(identity.version), threshold \(entry.threshold), \(evidence)")
    }

    /// Gives the attempt what it wants, as far as it is there.
    private func proceed(_ now: UInt64) {
        if attempt?.check.wants == .worker, worker.state == .idle, let identity = worker.identity {
            attempt?.check.workerReady(identity, thresholds: thresholds, at: now)
        }
        if attempt?.check.wants == .reference, worker.state == .idle, let portrait = portrait.take() {
            portrait.withOctets { worker.show(.reference, PictureHeader(format: portrait.format), $0, now) }
        }
        if attempt?.check.wants == .frame, isCameraMissing(now) { attempt?.check.cameraFailed() }
        if let outcome = attempt?.check.outcome { decide(outcome, now) }
    }

    /// Half the time of a look is waited for a camera that is not there.
    private func isCameraMissing(_ now: UInt64) -> Bool {
        !camera.isLent(to: self) || camera.isMissing(for: settings.lookTime / 2, now)
    }

    private func decide(_ outcome: FaceOutcome, _ now: UInt64) {
        guard let attempt else { return }
        lockout.note(outcome, of: attempt.key, at: now)
        answer = (attempt.number, outcome)
        self.attempt = nil
        portrait = nil
        worker.forget(at: now)
    }

    /// The visit is over before the decision: what was tried counts all the same.
    private func abandon(_ now: UInt64) {
        attempt?.check.refuse(.timedOut)
        if let outcome = attempt?.check.outcome { decide(outcome, now) }
        answer = nil
    }

    /// What the issuer signed about one person, however a wallet shows it: the octets of the photo.
    private func key(of portrait: borrowing Portrait) -> CredentialKey? {
        portrait.withOctets { octets in
            var salted = salt + octets
            defer { salted.withUnsafeMutableBytes { Cryptography.wipe($0) } }
            guard let digest = try? Digest.hash(salted.span, .sha256) else { return nil }
            return CredentialKey(digest)
        }
    }
}
