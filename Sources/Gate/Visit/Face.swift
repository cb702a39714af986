import Bluetooth
import Credentials
import Faces
import Tuvali

/// What the shell has to find out about a credential that is believed: whether the person before the camera is the one in it.
public struct FaceRequest: Sendable {
    /// Running number of the request; `Gatekeeper.faceRequest` tells whether it still stands.
    public let number: UInt64
    /// The covered portrait as text, a `data:` URI or base64.
    public let portrait: String
}

/// What is kept of a comparison of faces: a code, a coarse step, a count, a time.
public struct FaceRecord: Hashable, Sendable {
    public var outcome: FaceOutcome
    /// From the request to the decision.
    public var milliseconds: UInt64
}

/// Between the credential and the verdict.
struct Facing {
    var credential: VerifiedCredential
    var since: Instant
    var isTaken = false
    /// Another trust bundle came since the credential was verified: it may say otherwise, and the credential's text is wiped.
    var isOutdated = false
}

extension Gatekeeper {
    /// Whether a camera may be needed soon: from Identify to the verdict, where the policy compares faces.
    public var wantsCamera: Bool {
        mutating get {
            guard policy.face != .off, connectedAt != nil, times.identified != nil, !isStopping else { return false }
            switch progress {
            case .none, .opened, .facing: return true
            case .recording, .decided: return false
            }
        }
    }

    /// The number of the request that stands; nil where there is none, or no more: the wallet left, or the time is over.
    public var faceRequest: UInt64? {
        mutating get { progress == .facing ? faceRequests : nil }
    }

    /// The request to compare faces, once. Answer with `faceDecided`.
    public mutating func takeFaceRequest() -> FaceRequest? {
        guard progress == .facing, facing?.isTaken == false, let portrait = facing?.credential.portrait else { return nil }
        facing?.isTaken = true
        return FaceRequest(number: faceRequests, portrait: portrait)
    }

    /// The shell's answer. One that nobody waits for any more is nothing.
    public mutating func faceDecided(_ outcome: FaceOutcome, of number: UInt64, at moment: Moment) {
        guard progress == .facing, number == faceRequests else { return }
        settleFace(outcome, moment)
        follow(moment)
    }

    /// A credential is believed: compares faces, as far as the policy wants.
    mutating func face(_ credential: VerifiedCredential, _ moment: Moment) {
        let portrait = credential.claim(.portrait).flatMap { $0.isNull ? nil : $0 }
        let hasPortrait = portrait != nil
        switch policy.face {
        case .off: return settle(.accepted, [], credential: credential, moment)
        case .whenPhoto where !hasPortrait: return settle(.accepted, [], credential: credential, moment)
        case .required where !hasPortrait: return settle(.rejected, [.face(.noPortrait)], credential: credential, moment)
        case .required, .whenPhoto: break
        }
        // There is one, and it is no text: not the same as none.
        guard portrait?.kind == .string else { return settle(.rejected, [.face(.unsupportedPortrait)], credential: credential, moment) }
        // Whose visit failed has gone: from now on another one stands there.
        verdictLight.endFailure()
        faceRequests += 1
        facing = Facing(credential: credential, since: moment.instant)
        progress = .facing
    }

    /// When the gate stops waiting for the shell.
    var faceDeadline: Instant? {
        mutating get { progress == .facing ? facing?.since.adding(milliseconds: policy.faceTime) : nil }
    }

    mutating func settleFace(_ outcome: FaceOutcome, _ moment: Moment) {
        guard let facing else { return }
        self.facing = nil
        let taken = moment.instant.milliseconds(since: facing.since)
        // What the visitor had to wait for; not what somebody spends who stays out of sight.
        faceMilliseconds = outcome.isTrial || !outcome.isVisitorsDoing ? taken : 0
        var reasons = outcome.reason.map { [GateReason.face($0)] } ?? []
        if outcome.isBound {
            // A visitor can look into the camera for longer than a bundle lasts.
            if facing.isOutdated { reasons = [.trustChanged] }
            if let refusal = verifier.trust.terms?.refusal(at: moment.wall, uptime: moment.uptime) { reasons = [.credential(refusal)] }
        }
        settle(
            outcome.isBound && reasons.isEmpty ? .accepted : .rejected, reasons, credential: facing.credential,
            face: FaceRecord(outcome: outcome, milliseconds: taken), moment)
    }
}
