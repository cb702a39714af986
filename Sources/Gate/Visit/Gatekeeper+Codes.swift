import Bluetooth
import Credentials
import Presentation

/// Codes before the camera: what is read of them, and the visit that one of them makes.
extension Gatekeeper {
    /// A frame was looked at, and this is the text of the code in it: octets as they stand in the code, empty where there was none. Tell
    /// every frame that was looked at, or a code is never out of sight. Whatever it is, nothing of it is believed; most are ignored.
    public mutating func read(code text: Span<UInt8>, at now: Now) {
        guard policy.takesCodes, !isStopping else { return }
        let mayBegin = !presentations.isCommitted && !admission.isPaused(at: now.monotonic)
        guard presentations.code.see(text, mayBegin: mayBegin, at: now.monotonic) == .new else { return }
        guard !isAnswer(text) else {
            beginAnswer(text, now)
            return drain(now)
        }
        switch CodeContent(reading: text, prefix: policy.codePrefix) {
        case .ignored(let what): return presentations.code.ignore(text, what, at: now.monotonic)
        case .credential(let credential):
            beginCode(now)
            presentations.commit(text, credential, at: now.monotonic)
        case .refused(let reason):
            beginCode(now)
            presentations.commit(text, refused: reason, isEngagement: false, at: now.monotonic)
        case .engagement where mdocTrust != nil && !policy.mdoc.alternatives.isEmpty: beginMdoc(text, now)
        case .engagement:
            // Nobody is believed about documents in phones, or nobody knows what to ask of them.
            beginCode(now)
            presentations.commit(text, refused: .unsupportedForm(.mdoc), isEngagement: true, at: now.monotonic)
        }
        drain(now)
    }

    /// The code has the gate to itself until its verdict: nothing is advertised meanwhile, and a phone that has connected and not
    /// identified is asked to leave. Its time and its address do not count; the offer is made again, or anew, at the end.
    ///
    /// - Parameter isFromNetwork: somebody has sent it, who may be anywhere.
    mutating func beginCode(_ now: Now, isFromNetwork: Bool = false) {
        let hasYielded = yieldToCamera(now)
        visit.times = VisitTimes()
        visit.times.opened = 0
        admission.admitCode(keepsPhonesAway: hasYielded || light.isStanding, isFromNetwork: isFromNetwork, at: now.monotonic)
        // It is verified once the verdict on the visit before stands no longer, and what else has come is read.
        visit.state = .opened
    }

    /// Nothing of the gate's own offer goes on.
    ///
    /// - Returns: whether somebody had connected, and is asked to leave.
    @discardableResult
    mutating func yieldToCamera(_ now: Now) -> Bool {
        let hasYielded = admission.isServing
        if hasYielded {
            _ = presentations.stopOffer(at: now.monotonic)
            admission.yieldLink()
        }
        host.stopAdvertising()
        endVisit()
        return hasYielded
    }

    /// The code's visit is over, and nothing is left of it.
    mutating func endCode(_ now: Now) {
        let isNew = presentations.endCode(isLasting: visit.reason?.isLasting ?? false)
        admission.endCode(isNew: isNew, at: now.monotonic)
        endVisit()
        resumeOffer(now)
    }
}
