import VisionProtocol

/// What a `FaceCheck` waits for.
public enum FaceWant: Hashable, Sendable {
    case nothing
    /// A worker that said hello: `workerReady`.
    case worker
    /// The portrait has to be shown to the worker: `takeReference`.
    case reference
    /// The newest camera frame has to be shown to the worker: `takeProbe`.
    case frame
}

/// One attempt to bind the visitor to the portrait, without input and output: what was seen goes in, the decision comes out, once, and
/// stands.
///
/// A visitor is bound when `passes` of at most `window` consecutive usable frames of one face reach the threshold. Not the best of many:
/// where each frame of a stranger passes with probability p, the n frames of an attempt make n·p passes on average, and a decision takes
/// `passes` of them. So a stranger is let in with probability n / passes · p at most (4 p by the standard), however the frames hang
/// together; 1.8 p where the frames of one person vary independently, and 52 p³ where all do.
///
/// An attack denies the attempt at once, whatever else was seen. Everything that is late, unasked for, not a number or not understood
/// refuses. Nothing is allocated.
public struct FaceCheck: Sendable {
    /// Mean luminance below which a picture without a face is one of a covered or dead camera.
    public static let black: Float = 8

    public private(set) var wants: FaceWant = .worker
    public private(set) var outcome: FaceOutcome?
    /// What the visitor may do so that the next frame can be compared.
    public private(set) var hint: FaceHint?
    /// When `expire` is due, in nanoseconds; nil once it is decided.
    public private(set) var deadline: UInt64?

    private let settings: FaceSettings
    private var threshold = Double.infinity
    private var promisesAttackScore = false
    private var referenceMinimum = Float.infinity
    private var lookedFrom: UInt64 = 0
    private var lastCapture: UInt64?
    private var lastCompared: UInt64?
    private var track = FaceTrack()
    private var sightings = FaceSightings()
    private var scores = RecentScores()
    private var isTrial = false

    /// - Parameter now: nanoseconds, as all times here.
    public init(settings: FaceSettings, at now: UInt64) {
        self.settings = settings
        deadline = Self.time(now, settings.readyTime)
    }

    /// A worker is there, its models are loaded. Another one during the attempt is a failure: it has no reference.
    public mutating func workerReady(_ identity: PluginIdentity, thresholds: FaceThresholds, at now: UInt64) {
        guard proceeds(at: now) else { return }
        guard wants == .worker else { return refuse(.workerFailed) }
        guard let entry = thresholds.threshold(of: identity) else { return refuse(.notCalibrated) }
        threshold = entry.threshold
        promisesAttackScore = identity.checksAttacks
        referenceMinimum = settings.referenceMinimum(for: identity)
        wants = .reference
    }

    /// What the worker says about the portrait.
    public mutating func takeReference(_ assessment: FrameAssessment, at now: UInt64) {
        guard proceeds(at: now) else { return }
        guard wants == .reference else { return refuse(.workerLied) }
        let fault = assessment.referenceFault(minimum: referenceMinimum, secondArea: settings.gates.secondArea)
        if let fault { return refuse(fault) }
        wants = .frame
        lookedFrom = now
        deadline = Self.time(now, settings.lookTime)
    }

    /// What the worker says about a frame.
    ///
    /// - Parameter captured: when the camera took it. What was taken before this attempt, or twice, shows somebody else or nothing new and
    ///   is passed over.
    public mutating func takeProbe(_ assessment: FrameAssessment, captured: UInt64, at now: UInt64) {
        guard proceeds(at: now) else { return }
        guard wants == .frame else { return refuse(.workerLied) }
        guard captured >= lookedFrom, captured <= now, lastCapture.map({ captured > $0 }) ?? true else { return }
        lastCapture = captured
        sightings.frames &+= 1
        // Nor may one try until the check for attacks fails by chance.
        if assessment.attackScore != nil || assessment.status == FrameAssessment.Failure.attackCheckFailed.rawValue { isTrial = true }
        if assessment.isAttack(limit: settings.attackLimit) { return refuse(.presentationAttack) }
        let finding = ProbeFinding(assessment, settings: settings), flaw = assessment.toldFlaw(by: settings)
        hint = FaceHint(finding, flaw)
        switch finding {
        case .failure(let reason): refuse(reason)
        case .broken:
            sightings.broken &+= 1
        case .nobody:
            track.lose()
            if assessment.brightness >= Self.black { sightings.nobody &+= 1 } else { sightings.broken &+= 1 }
        case .several:
            track.lose()
            sightings.several &+= 1
        case .poor:
            track.follow(assessment, captured: captured)
            sightings.notePoor(flaw)
        case .face(let similarity):
            if promisesAttackScore && assessment.attackScore == nil { return refuse(.workerLied) }
            track.follow(assessment, captured: captured)
            guard lastCompared.map({ captured - $0 >= settings.spacing }) ?? true else { return }
            lastCompared = captured
            compare(similarity)
        }
    }

    /// Whether the worker would still look at this frame when one is due that counts: until `spacing` after the last comparison none does,
    /// and a camera's next frame but one comes late. A site may space them so widely that nobody would look for as long as a face is
    /// followed: then every look is needed, or no comparison would belong to the one before.
    ///
    /// - Parameter lasting: nanoseconds that a look takes.
    public func isInTheWay(captured: UInt64, lasting: UInt64) -> Bool {
        guard settings.spacing <= FaceTrack.gap / 2 else { return false }
        guard let lastCompared, captured > lastCompared, captured - lastCompared < settings.spacing else { return false }
        return lasting > settings.spacing - (captured - lastCompared)
    }

    /// The camera is gone, or gives nothing; its owner has given up.
    public mutating func cameraFailed() { refuse(.cameraFailed) }

    /// The worker is gone (`workerFailed`, `workerTimedOut`) or was ended because of what it said (`workerLied`).
    public mutating func workerFailed(_ reason: FaceReason) { refuse(reason) }

    /// The visit ended, or the stage found a reason of its own. After comparisons it still counts as an attempt.
    public mutating func refuse(_ reason: FaceReason) {
        guard outcome == nil else { return }
        finish(.refused(reason, scores.median.map { FaceBin($0, threshold: threshold) }))
    }

    /// Decides when `deadline` has come.
    public mutating func expire(at now: UInt64) { _ = proceeds(at: now) }

    /// Whether there is anything left to decide; what comes too late decides nothing.
    private mutating func proceeds(at now: UInt64) -> Bool {
        guard let deadline else { return false }
        guard now >= deadline else { return true }
        refuse(wants == .frame ? sightings.reason(comparedEnough: false) : .workerTimedOut)
        return false
    }

    private mutating func compare(_ similarity: Double) {
        // Written so that what is not a number does not pass.
        let passed = similarity >= threshold && similarity <= 1
        isTrial = true
        scores.add(similarity)
        sightings.compared &+= 1
        if passed { sightings.passed &+= 1 }
        track.note(passed: passed)
        if track.passes(of: settings.window) >= settings.passes, let median = scores.median {
            finish(.bound(FaceBin(median, threshold: threshold)))
        } else if sightings.compared >= settings.frames {
            refuse(sightings.reason(comparedEnough: true))
        }
    }

    private mutating func finish(_ decision: FaceOutcome.Decision) {
        var flaw: FrameFlaw?
        if case .refused(.poorQuality, _) = decision { flaw = sightings.mainFlaw }
        outcome = FaceOutcome(
            decision: decision, flaw: flaw, frames: sightings.frames, compared: sightings.compared, isTrial: isTrial)
        wants = .nothing
        deadline = nil
        scores = RecentScores()
        track = FaceTrack()
    }

    private static func time(_ now: UInt64, _ interval: UInt64) -> UInt64 {
        let (sum, overflow) = now.addingReportingOverflow(interval)
        return overflow ? .max : sum
    }
}
