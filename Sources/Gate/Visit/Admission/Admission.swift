import Bluetooth
import Tuvali

/// Who may take the one link, and how patient the gate is with whoever has it.
///
/// A code before the camera takes no link, and no link is served while it is judged (`Admission+Codes`). An engagement takes the link of
/// whoever comes for it (`Admission+Mdoc`).
///
/// A link is served unless its address is in the penalty box. The more of the gate's time went to nobody lately, whatever the addresses, by
/// the more steps a link's deadlines are shortened. In seconds:
///
///     what ends a link or a visit                      step 0   step 1   step 2   step 3   where it is set
///     connected, and no Identify                           30       15       10        6   SessionTiming.identify
///     identified, and no size of a message                300      150       90       90   SessionTiming.idle
///     fewer new chunks than so many                        16       24       36       50   SessionTiming.quota
///       in                                                 30       20       15       10   SessionTiming.progress
///     the whole transfer                                  300      240      180      120   SessionTiming.transfer
///     a "missing" report unanswered: once more              5        5        5        5   SessionTiming.reportResend
///     a verdict that does not leave                        10       10        7        5   SessionTiming.status
///     a wallet that stays after its verdict                 1        1        1        1   SessionTiming.afterStatus
///     a wallet that stays when asked to leave             0.5      0.5      0.5      0.5   SessionTiming.afterDisconnect
///     an indication unconfirmed                            30       30       30       30   the host: Core Vol 3 Part F 3.3.3
///     a disconnection that does not complete         5, 12 s where somebody identified     the host: `owePatience`
///     a face that is not decided                           30       30       30       30   Policy.faceTime
///
/// Of a phone that shows an engagement (mdoc.md section 5; `MdocTiming.shortened` for the other steps): 30 s until it is met, 10 s until it
/// begins, 300 s until its person agrees, 120 s for the answer, 1 s to leave.
///
/// On a slow link what has to travel is waited for longer (`Session.patient`). An address is sent away for 2 to 60 s after its fourth to
/// ninth abandoned link (`PenaltyBox`). A code is shown for 600 s, its key advertised for 10 s more (`SessionTiming.advertisement`,
/// `handover`). A gate that stops waits 1.5 s.
struct Admission: ~Copyable {
    /// The link that is up, or was a moment ago.
    private enum Link {
        case none
        /// It is not served and about to end.
        case refused(DeviceAddress)
        case served(Served)
        /// It is the phone's whose engagement is answered, or of somebody who passes for it.
        case phone(DeviceAddress, since: Instant)
    }

    /// What a link, or a code, has come to.
    enum ServedOutcome {
        case none
        /// A message opened, whatever the verdict on it.
        case opened
        /// Somebody was let in.
        case accepted
    }

    /// Whoever is served.
    struct Served {
        /// Nil of a code.
        var address: DeviceAddress?
        var since: Instant
        /// By how many steps its deadlines are shortened.
        var step: UInt8
        var outcome = ServedOutcome.none
        /// Nothing was heard on it: anybody can have made it, in another's name.
        var isUnheard = false
        /// A credential has proven genuine on it: its issuer's signature held, whatever else is said against it.
        var isGenuine = false
        /// How long the visitor was looked at.
        var faceMilliseconds: UInt64 = 0
        /// How long its message waited, opened, because the verdict on another visit stood.
        var waitedMilliseconds: UInt64 = 0
        /// That verdict was the red light for a message without a credential that an issuer had signed.
        var hasWaitedBehindNonsense = false
        /// A phone that had connected was asked to leave for this code, or nothing is on the air while it waits for another's light.
        var keepsPhonesAway = false
        /// It was sent on the gate's own network.
        var isFromNetwork = false
    }

    private var link = Link.none
    /// The code that is judged, or the engagement that is answered.
    var code: Served?
    var patience = CodePatience()
    /// From what is sent on the gate's own network: visits that let nobody in, and proofs that are worth nothing.
    var visitRest = NetworkRest(), proofRest = NetworkRest()
    var box: PenaltyBox
    private(set) var abandoned = AbandonedTally()
    private var strangersBudget = RecordBudget.strangers
    private var genuineBudget = RecordBudget.genuine
    private var networkBudget = RecordBudget.network

    init(penalties: UnsafeMutableBufferPointer<PenaltyBox.Entry>) { box = PenaltyBox(penalties) }

    // MARK: the link

    /// Whether whoever has connected is served. Where not, the link is to be ended.
    mutating func admit(_ address: DeviceAddress, at now: Instant) -> Bool {
        let step = box.step(at: now)
        guard !box.isRefused(address, at: now) else {
            link = .refused(address)
            abandoned.count(.refused, step: step, at: now)
            return false
        }
        link = .served(Served(address: address, since: now, step: step))
        return true
    }

    /// The link that is up is not served, for no fault of its own: a code is judged. Nothing of it counts.
    mutating func refuse(_ address: DeviceAddress) { link = .refused(address) }

    /// The served link, on which nobody has identified, yields to a code. It is about to end, and does not count as abandoned.
    mutating func yieldLink() { if case .served(let link) = link { refuse(link.address ?? DeviceAddress()) } }

    /// The link that is up is not served.
    var isRefusing: Bool {
        if case .refused = link { true } else { false }
    }

    var isServing: Bool {
        if case .served = link { true } else { false }
    }

    /// The code that is judged, else the link that is served.
    private var served: Served? {
        if let code { return code }
        if case .served(let link) = link { return link }
        return nil
    }

    /// By how many steps the deadlines of the served link are shortened.
    var step: UInt8 { served?.step ?? 0 }

    /// When the served link came up, or the code was read.
    var servedSince: Instant? { served?.since }

    /// Milliseconds since then.
    func sinceConnected(_ now: Instant) -> UInt64? { servedSince.map { now.milliseconds(since: $0) } }

    /// The served link is gone, and nothing was ever heard on it where `isUnheard`.
    mutating func linkEnded(isUnheard: Bool) { change { $0.isUnheard = isUnheard } }

    /// The link that was not served is gone.
    mutating func endRefusal() { if case .refused = link { link = .none } }

    /// A link that was not served did not end by itself.
    mutating func countNeverLeft(at now: Instant) {
        guard case .refused(let address) = link else { return }
        box.countAbandoned(address, held: PenaltyBox.unitMilliseconds, at: now)
    }

    mutating func beginPhone(_ address: DeviceAddress, at now: Instant) { link = .phone(address, since: now) }

    /// Whose link that was, and since when.
    mutating func endPhone() -> (DeviceAddress, Instant)? {
        guard case .phone(let address, let since) = link else { return nil }
        link = .none
        return (address, since)
    }

    /// Nothing of the served link counts any more.
    mutating func release() { if case .served = link { link = .none } }

    // MARK: what the link comes to

    mutating func noteOpened() { change { $0.outcome = .opened } }

    /// A message opened on the link.
    var hasOpened: Bool { served.map { $0.outcome != .none } ?? false }

    mutating func noteGenuine(_ isGenuine: Bool) { change { $0.isGenuine = isGenuine } }

    var isGenuine: Bool { served?.isGenuine ?? false }

    mutating func noteWait(_ milliseconds: UInt64, behindNonsense: Bool) {
        change {
            $0.waitedMilliseconds = milliseconds
            $0.hasWaitedBehindNonsense = behindNonsense
        }
    }

    mutating func noteFace(_ milliseconds: UInt64) { change { $0.faceMilliseconds = milliseconds } }

    /// Somebody was let in.
    mutating func welcome() {
        guard let served else { return }
        change { $0.outcome = .accepted }
        patience.forget()
        visitRest.forget()
        proofRest.forget()
        box.welcome(served.address)
    }

    /// The served link is over, as `kind` says: an abandoned one is remembered.
    ///
    /// - Parameter isCommitted: whoever identified has a record, or was counted where there is none left.
    mutating func end(as kind: AbandonedLinks.Kind, isCommitted: Bool, at now: Instant) {
        guard case .served(let link) = link else { return }
        let held = link.held(now)
        switch link.outcome {
        case .accepted: return
        // An honest end, but not a way to take all the time there is before it.
        case .opened where held < PenaltyBox.promptMilliseconds: return
        // A link nothing was heard on can be made in anybody's name.
        case .opened, .none: box.countAbandoned(link.isUnheard ? nil : link.address, held: held, at: now)
        }
        if !isCommitted { abandoned.count(kind, step: link.step, at: now) }
    }

    private mutating func change(_ body: (inout Served) -> Void) {
        if var served = code {
            body(&served)
            code = served
            return
        }
        guard case .served(var served) = link else { return }
        body(&served)
        link = .served(served)
    }

    // MARK: records

    /// Whether a visit that ends so has a record of its own; where it has not, it is counted.
    ///
    /// - Parameter isGenuine: the credential was signed by a trusted issuer.
    mutating func grantsRecord(_ outcome: VisitRecord.Outcome, isCommitted: Bool, isGenuine: Bool, at now: Instant) -> Bool {
        switch outcome {
        // What lets somebody in, and what is not a stranger's doing.
        case .accepted, .stopped, .controllerFault: return true
        case .left where !isCommitted, .timedOut where !isCommitted, .failed where !isCommitted: return false
        case .rejected, .left, .timedOut, .failed:
            if isGenuine ? genuineBudget.take(at: now) : strangersBudget.take(at: now) { return true }
            abandoned.count(outcome == .rejected ? .rejected : .visits, step: step, at: now)
            return false
        }
    }

    /// Whether what was posted in vain has a record of its own. It uses up nothing of what is kept for those who stand here.
    mutating func grantsPostRecord(at now: Instant) -> Bool {
        if networkBudget.take(at: now) { return true }
        abandoned.count(.rejected, step: 0, at: now)
        return false
    }

    /// What came to nothing since the last of these, at most one a minute. No verdict waits for it.
    mutating func takeAbandoned() -> AbandonedLinks? { abandoned.take() }

    /// When `expire` wants to be called.
    var deadline: Instant? { abandoned.deadline }

    mutating func expire(at now: Instant) { abandoned.expire(at: now) }

    /// The gate stops.
    mutating func stop() { abandoned.end() }

    /// Forgets every address.
    mutating func forget() {
        box.forget()
        patience.forget()
        visitRest.forget()
        proofRest.forget()
    }
}

extension Admission.Served {
    /// Milliseconds for which the gate was held up. Its own time, before the camera and behind another's light, is not the visitor's. What
    /// nonsense waits behind nonsense is, or one stranger of many addresses would hold the one link for nothing, again and again.
    func held(_ now: Instant) -> UInt64 {
        let served = now.milliseconds(since: since)
        let waited = isGenuine || !hasWaitedBehindNonsense ? waitedMilliseconds : 0
        return served - min(served, faceMilliseconds + waited)
    }
}
