import Presentation
import Tuvali

/// What the screen has to tell whoever stands before the gate. It follows the lights: a verdict stands for its time, whatever the links
/// after it do.
public enum VisitorSign: Hashable, Sendable {
    /// Nothing: the gate is not on the air.
    case none
    /// The code may be scanned.
    case scan
    /// The code that somebody holds before the camera is not for this gate.
    case notForThisGate
    /// A phone is connected, and its person has not picked a credential yet.
    case connected
    /// The person picks a credential and approves, on the phone.
    case choose
    /// The person reads on the phone what is asked, and agrees: per cent of the time for that, in steps of five.
    case approve(percent: UInt8)
    /// The credential comes: per cent, in steps of five.
    case receiving(percent: UInt8)
    /// Until the verdict.
    case checking
    /// Until the verdict, and the camera looks.
    case look
    case accepted
    /// Why, where there is a reason.
    case rejected(GateReason?)
    /// The visit failed before a verdict.
    case failed
    /// The controller, or the link to it, does not work.
    case fault
}

extension Gatekeeper {
    /// What the screen says now.
    var sign: VisitorSign {
        if light.isVerdictShown, let sign = light.sign { return sign }
        // Whoever holds up a code has to know where to look, also before a gate whose radio does not work.
        if presentations.isFromCamera, !visit.isClosed { return visit.isWaitingForFace ? .look : agreement ?? .checking }
        if isFaulty { return .fault }
        if let sign = light.sign { return sign }
        if isStopping { return .none }
        // Strangers who are sent away change nothing, as with the lights.
        guard host.isConnected, !admission.isRefusing else {
            return presentations.code.strangerUntil != nil ? .notForThisGate : offer.isOnAir ? .scan : .none
        }
        switch visit.state {
        case .comparing: return .look
        case .opened, .recording, .storing: return .checking
        case .waiting:
            guard presentations.isCommitted else { return .connected }
            return presentations.isByAries ? proofProgress : progress
        // Told, and the light's time is over: only the phone is still there.
        case .closed: return .scan
        }
    }

    /// Of a phone that was asked: nil where none was, and once it has begun to answer.
    private var agreement: VisitorSign? {
        presentations.isByMdoc ? presentations.mdoc.consentPercent.map { .approve(percent: $0) } : nil
    }

    /// Of a wallet that is asked for a proof.
    private var proofProgress: VisitorSign {
        if let percent = presentations.aries.consentPercent { return .approve(percent: percent) }
        if let percent = presentations.aries.receivedPercent { return .receiving(percent: percent - percent % 5) }
        return .choose
    }

    private var progress: VisitorSign {
        let total = presentations.tuvali.session.totalChunks, missing = presentations.tuvali.session.missingChunks
        guard presentations.tuvali.session.isTransferring, total > 0 else { return .choose }
        let percent = (total - min(missing, total)) * 100 / total
        return .receiving(percent: UInt8(clamping: percent - percent % 5))
    }
}
