import AriesTransport
import Bluetooth
import DIDComm
import Presentation
import Tuvali

/// What the host and the presentations tell, and what the gate does about it.
extension Gatekeeper {
    mutating func handle(_ event: HostEvent, _ now: Now) {
        switch event {
        case .ready:
            isFaulty = false
            presentations.mdoc.airLost()
            // A visit from the camera makes the offer at its end.
            if isStopping || presentations.isFromCamera { return }
            // A key that a reset found on the air is as good as before.
            if presentations.isOffering { advertise(now) } else { beginVisit(now) }
        case .connected:
            // A wallet that was quicker than the end of advertising.
            if isStopping { return host.disconnect(now: now.monotonic) }
            connected(event, now)
        case .disconnected(let reason):
            if admission.isRefusing { return refusalEnded(now) }
            let isUnheard = reason == .connectionFailedToBeEstablished
            if presentations.isByMdoc { return phoneGone(event, isUnheard: isUnheard, now) }
            admission.linkEnded(isUnheard: isUnheard)
            present(event, now)
        case .mtuExchanged: present(event, now)
        // Of an engagement's link nothing is indicated.
        case .confirmed: if !presentations.isByMdoc { present(event, now) }
        // Of a phone that shows an engagement: only for one the gate looks, connects and opens channels.
        case .found, .scanEnded, .notConnected, .answered, .channelOpened, .channelRefused, .channelClosed:
            if presentations.isByMdoc { present(event, now) }
        case .fault(let fault, let step):
            actions.recover(fault, step)
            // A stranger's doing, and over with the reset: no fault of the controller's.
            if fault == .disconnectionLost { return neverLeft(now) }
            isFaulty = true
            abandon(.controllerFault, now)
        }
    }

    /// Follows up on everything the presentations have to say.
    mutating func drain(_ now: Now) {
        drainMdoc(now)
        presentations.pushOffer(to: &host, at: now.monotonic)
        while let step = presentations.step(at: now.monotonic) { handle(step, now) }
        if host.isAdvertising, !presentations.mdoc.hasTable { offer.isOnAir = true }
        presentations.pushOffer(to: &host, at: now.monotonic)
    }

    private mutating func handle(_ step: PresentationStep, _ now: Now) {
        // Of the radio beside it, a visit from the camera lets links end. Whether there is an offer still is asked when it is over.
        if presentations.isFromCamera {
            if step == .wants(.rest) { host.disconnect(now: now.monotonic) }
            return
        }
        switch step {
        case .committed:
            visit.times.identified = sinceConnected(now)
            host.owePatience()
            // The other's code serves nobody any more.
            if presentations.isByAries { return offer.forgetKey() }
            offer.remove(.aries)
            presentations.tuvali.agree(with: &offer.key, at: now.monotonic)
        case .wants(.speed): host.beginTransfer(now: now.monotonic)
        case .wants(.rest): host.disconnect(now: now.monotonic)
        case .presented:
            noteMessage(now)
            admission.noteOpened()
            visit.state = .opened
        case .unopened(let error):
            noteMessage(now)
            judge(.rejected, [.opening(error)], now)
        case .unread(let code): unread(code, now)
        case .declined: declined(now)
        case .failed(let error): failed(error, now)
        case .broken(let fault): broken(fault, now)
        case .released(let end):
            endLink(as: end == .failed ? .failed : end == .timedOut ? .silent : .left, now)
            guard !isStopping else { return forgetVisit() }
            // A link that failed had no visit to close.
            admission.release()
            endVisit()
            advertise(now)
        case .ended(let end): ended(end, now)
        }
    }

    mutating func noteMessage(_ now: Now) {
        visit.times.received = sinceConnected(now)
        visit.times.opened = visit.times.received
    }

    mutating func present(_ event: HostEvent, _ now: Now) {
        presentations.take(event, of: host, shortenedBy: admission.step, at: now.monotonic)
    }

    func sinceConnected(_ now: Now) -> UInt64? { admission.sinceConnected(now.monotonic) }

    // MARK: a visit begins

    /// A fresh key pair, a fresh address, a fresh code.
    mutating func beginVisit(_ now: Now) {
        forgetVisit()
        guard offer.renew() else { return radioUseless(now) }
        if asksForProofs { renewQuestion(now) }
        guard presentations.begin(offer.settings, at: now.monotonic) else { return radioUseless(now) }
        offer.showCode(at: now.monotonic)
        if asksForProofs { showQuestion() }
        advertise(now)
    }

    private mutating func advertise(_ now: Now) {
        guard serveOwnTable() else { return radioUseless(now) }
        if !offer.advertise(on: &host, at: now.monotonic) { radioUseless(now) }
    }

    /// Without randomness or a payload there is no gate: the fault light, and another try with the next bring-up.
    private mutating func radioUseless(_ now: Now) {
        isFaulty = true
        admission.endRefusal()
        offer.forgetNextKey()
        forgetVisit()
        actions.recover(.noPeripheral, .reopenLink)
        host.close()
    }

    /// Serves whoever connected, or ends the link before anything is served.
    private mutating func connected(_ event: HostEvent, _ now: Now) {
        // A phone that was quicker than the end of advertising.
        if presentations.isByMdoc { return phoneConnected(event, now) }
        if presentations.isWhole {
            admission.refuse(host.peer ?? DeviceAddress())
            return host.disconnect(now: now.monotonic)
        }
        guard admission.admit(host.peer ?? DeviceAddress(), at: now.monotonic) else { return host.disconnect(now: now.monotonic) }
        visit.times = VisitTimes()
        present(event, now)
    }

    // MARK: a link ends

    /// A wallet that never lets go of its link, which costs the gate a reset. The code, too, where it identified; a stranger whose radio
    /// acknowledges nothing makes no screen show another.
    private mutating func neverLeft(_ now: Now) {
        if admission.isRefusing {
            admission.countNeverLeft(at: now.monotonic)
            // Nothing is on the air before the controller is ready again.
            offer.isOnAir = false
            return refusalEnded(now)
        }
        if presentations.isByMdoc { return phoneGone(.disconnected(.remoteUserTerminated), isUnheard: false, now) }
        guard admission.isServing, !presentations.isCommitted, !isStopping else {
            endLink(as: .silent, now)
            return abandon(.timedOut, now)
        }
        offer.isOnAir = false
        present(.disconnected(.remoteUserTerminated), now)
    }

    /// The link that was not served is gone: what was advertised goes on.
    private mutating func refusalEnded(_ now: Now) {
        admission.endRefusal()
        // Where it yielded to a code, the session has asked it to leave.
        present(.disconnected(.remoteUserTerminated), now)
        if !isStopping, !presentations.isFromCamera { resumeOffer(now) }
    }

    /// What was offered goes on, once nothing keeps it from that. Where its key is gone, there is another one.
    mutating func resumeOffer(_ now: Now) {
        // The end of a link, and a controller that comes up, ask again.
        guard !isStopping, host.isReady, !admission.isRefusing else { return }
        guard presentations.isOffering else { return beginVisit(now) }
        let wasOnAir = offer.isOnAir
        advertise(now)
        offer.isOnAir = wasOnAir
    }

    private mutating func failed(_ error: TuvaliError, _ now: Now) {
        // A stranger who only connects turns no light.
        var turnsLight = presentations.isCommitted
        if case .closed = visit.state { turnsLight = false }
        close(.failed, error: error, now)
        if turnsLight { light.showFailure(for: policy.failureLight, at: now.monotonic) }
    }

    /// The link of a visit is gone for good.
    private mutating func ended(_ end: SessionEnd, _ now: Now) {
        if admission.isServing {
            switch end {
            case .complete, .failed: endLink(as: .failed, now)
            case .walletLeft:
                endLink(as: .left, now)
                close(.left, failure: presentations.isByAries ? AriesCode.vanished.rawValue : nil, now)
            case .timedOut:
                endLink(as: .silent, now)
                close(.timedOut, failure: presentations.isByAries ? AriesCode.timedOut.rawValue : nil, now)
            case .stopped: close(.stopped, now)
            }
        }
        forgetVisit()
        // A link that was refused is up still: its end makes the offer.
        if !isStopping, !host.isConnected { beginVisit(now) }
    }

    private mutating func endLink(as kind: AbandonedLinks.Kind, _ now: Now) {
        if visit.isOpened { noteWait(now) }
        admission.end(as: kind, isCommitted: presentations.isCommitted, at: now.monotonic)
    }

    // MARK: a visit ends

    /// The controller, or the link to it, failed under the visit.
    mutating func abandon(_ outcome: VisitRecord.Outcome, _ now: Now) {
        admission.endRefusal()
        if admission.isServing { close(outcome, now) }
        // A verdict was told, and its visitor goes by the light.
        light.endFailure()
        offer.withdraw()
        guard presentations.isFromCamera else { return forgetVisit() }
        // A code needs no radio, and an engagement only until it is answered.
        offer.forgetKey()
        presentations.radioLost()
        admission.release()
        mdocRadioLost(now)
    }

    /// Keys, message and credential of the visit are wiped.
    private mutating func forgetVisit() {
        offer.forgetKey()
        offer.remove(.aries)
        presentations.end()
        admission.release()
        endVisit()
    }

    mutating func endVisit() {
        if let record = visit.end() { actions.store(record) }
    }
}
