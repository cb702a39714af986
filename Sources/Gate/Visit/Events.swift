import Bluetooth
import Cryptography
import Tuvali

/// What the host and the session tell, and what the gate does about it.
extension Gatekeeper {
    mutating func take(_ event: HostEvent, _ moment: Moment) {
        switch event {
        case .ready:
            isFaulty = false
            if isStopping { return }
            // A key that a reset found on the air is as good as before.
            if session.state == .advertising { advertise(moment) } else { beginVisit(moment) }
        case .connected:
            // A wallet that was quicker than the end of advertising.
            if isStopping { return host.disconnect(now: moment.instant) }
            connected(moment)
        case .disconnected(let reason):
            if isRefusing { return refused(moment) }
            isUnheard = reason == .connectionFailedToBeEstablished
            session.disconnected(now: moment.instant)
        case .mtuExchanged(let mtu): session.mtuExchanged(mtu, now: moment.instant)
        case .confirmed: break
        case .fault(let reason, let step):
            fault = (reason, step)
            // A stranger's doing, and over with the reset: no fault of the controller's.
            if reason == .disconnectionLost { return neverLeft(moment) }
            isFaulty = true
            abandon(.controllerFault, moment)
        }
    }

    /// Follows up on everything the session has to say and to push.
    mutating func follow(_ moment: Moment) {
        while let event = session.nextEvent() { take(event, moment) }
        if session.state == .requested { host.beginTransfer(now: moment.instant) }
        if session.isReportDelayed, host.isSubscribed(session.service.handle(.transferReportResponse)) { session.reportAtOnce() }
        if host.isAdvertising { isOnAir = true }
        push(moment)
    }

    private mutating func take(_ event: SessionEvent, _ moment: Moment) {
        switch event {
        case .connected: break
        case .identified: agree(moment)
        case .received: open(moment)
        case .failed(let error): failed(error, moment)
        case .disconnectNow: host.disconnect(now: moment.instant)
        case .advertiseAgain(let end):
            fruitless(end == .failed ? .failed : end == .timedOut ? .silent : .left, moment)
            guard !isStopping else { return forgetVisit() }
            connectedAt = nil
            // A link that failed had no visit to conclude.
            progress = .none
            advertise(moment)
        case .ended(let end): ended(end, moment)
        }
    }

    /// Hands the session's values to the link as fast as it takes them.
    mutating func push(_ moment: Moment) {
        while let characteristic = session.nextPush(into: &pushed) {
            let handle = session.service.handle(characteristic)
            switch host.push(handle, pushed.storage.span.extracting(0..<pushed.count), now: moment.instant) {
            case .busy, .notConnected: return
            // What the link will never take must not hold up what comes after it.
            case .notified, .indicated, .unknownHandle, .notSubscribed, .tooLong:
                session.didPush(characteristic, now: moment.instant)
            }
        }
    }

    // MARK: a visit begins

    /// Serves whoever connected, or ends the link before anything is served.
    private mutating func connected(_ moment: Moment) {
        let address = host.peer ?? DeviceAddress()
        visitor = address
        isUnheard = false
        isRefusing = false
        step = visitors.step(at: moment.instant)
        if visitors.isRefused(address, at: moment.instant) {
            isRefusing = true
            tally.count(.refused, step: step, at: moment.instant)
            return host.disconnect(now: moment.instant)
        }
        fruit = .none
        session.connected(
            intervalMicroseconds: host.connectionIntervalMicroseconds, step: step, now: moment.instant)
        connectedAt = moment.instant
        faceMilliseconds = 0
        waitedMilliseconds = 0
        hasWaitedBehindNonsense = false
        isGenuine = false
        times = VisitTimes()
    }

    /// What the phone sent before the controller told of its link.
    mutating func receiveEarlyData(_ moment: Moment) {
        session.advance(to: moment.instant, intervalMicroseconds: host.connectionIntervalMicroseconds)
        while let event = host.receiveEarlyData(now: moment.instant, to: &session) { take(event, moment) }
    }

    /// A wallet that never lets go of its link, which costs the gate a reset. The code, too, where it identified; a stranger whose radio
    /// acknowledges nothing makes no screen show another.
    private mutating func neverLeft(_ moment: Moment) {
        if isRefusing {
            visitors.leftInVain(visitor, held: Visitors.unitMilliseconds, at: moment.instant)
            // Nothing is on the air before the controller is ready again.
            isOnAir = false
            return refused(moment)
        }
        guard connectedAt != nil, times.identified == nil, !isStopping else {
            fruitless(.silent, moment)
            return abandon(.timedOut, moment)
        }
        isOnAir = false
        session.disconnected(now: moment.instant)
    }

    /// The link that was not served is gone: what was advertised goes on.
    private mutating func refused(_ moment: Moment) {
        isRefusing = false
        guard !isStopping else { return }
        let wasOnAir = isOnAir
        advertise(moment)
        isOnAir = wasOnAir
    }

    /// A fresh key pair, a fresh address, a fresh code.
    mutating func beginVisit(_ moment: Moment) {
        forgetVisit()
        guard takeKey() else { return radioUseless(moment) }
        do throws(ActionRefused) { try session.startAdvertisement(now: moment.instant) } catch { return radioUseless(moment) }
        guard let fresh = freshAddress() else { return radioUseless(moment) }
        address = fresh
        showCode(moment)
        advertise(moment)
    }

    /// Advertises the key of this visit from its address.
    mutating func advertise(_ moment: Moment) {
        isOnAir = false
        let payload = Advertisement(name, key: agreement.publicKey, version: version)
        let isAdvertised = payload.withOctets { data, scanResponse in
            do throws(AdvertisingError) {
                try host.advertise(address: address, data: data, scanResponse: scanResponse, now: moment.instant)
                return true
            } catch {
                return false
            }
        }
        if !isAdvertised { radioUseless(moment) }
    }

    private mutating func freshAddress() -> DeviceAddress? {
        do throws(CryptographyError) { return try addresses.next() } catch { return nil }
    }

    /// Without randomness or a payload there is no gate: the fault light, and another try with the next bring-up.
    private mutating func radioUseless(_ moment: Moment) {
        isFaulty = true
        isRefusing = false
        forgetUpcoming()
        forgetVisit()
        fault = (.noPeripheral, .reopenLink)
        host.close()
    }

    // MARK: a visit ends

    /// The link of a visit is gone for good.
    private mutating func ended(_ end: SessionEnd, _ moment: Moment) {
        if connectedAt != nil {
            switch end {
            case .complete, .failed: fruitless(.failed, moment)
            case .walletLeft:
                fruitless(.left, moment)
                conclude(.left, moment)
            case .timedOut:
                fruitless(.silent, moment)
                conclude(.timedOut, moment)
            case .stopped: conclude(.stopped, moment)
            }
        }
        forgetVisit()
        if !isStopping { beginVisit(moment) }
    }

    /// The controller, or the link to it, failed under the visit.
    mutating func abandon(_ outcome: VisitRecord.Outcome, _ moment: Moment) {
        isRefusing = false
        if connectedAt != nil { conclude(outcome, moment) }
        // A verdict was told, and its visitor goes by the light.
        verdictLight.endFailure()
        forgetUpcoming()
        uri = nil
        advertisement += 1
        forgetVisit()
    }

    private mutating func failed(_ error: TuvaliError, _ moment: Moment) {
        // A stranger who only connects turns no light.
        let turnsLight = times.identified != nil && progress != .decided
        conclude(.failed, error: error, moment)
        if turnsLight { verdictLight.showFailure(for: policy.failureLight, at: moment.instant) }
    }

    /// The link is over: a fruitless one is remembered.
    private mutating func fruitless(_ kind: FruitlessRecord.Kind, _ moment: Moment) {
        guard let connectedAt else { return }
        // The gate's own time, before the camera and behind another's light, is not the visitor's. What nonsense waits behind nonsense is,
        // or one stranger of many addresses would hold the one link for nothing, again and again.
        let connected = moment.instant.milliseconds(since: connectedAt)
        if progress == .opened { noteWait(moment) }
        let waited = isGenuine || !hasWaitedBehindNonsense ? waitedMilliseconds : 0
        let held = connected - min(connected, faceMilliseconds + waited)
        switch fruit {
        case .accepted: return
        // An honest end, but not a way to take all the time there is before it.
        case .opened where held < Visitors.promptMilliseconds: return
        // A link nothing was heard on can be made in anybody's name.
        case .opened, .none: visitors.leftInVain(isUnheard ? nil : visitor, held: held, at: moment.instant)
        }
        // Whoever identified has a record.
        if times.identified == nil { tally.count(kind, step: step, at: moment.instant) }
    }

    /// Whether a visit that ends so has a record of its own; where it has not, it is counted.
    ///
    /// - Parameter isGenuine: the credential was signed by a trusted issuer.
    mutating func hasRecord(_ outcome: VisitRecord.Outcome, isGenuine: Bool = false, _ moment: Moment) -> Bool {
        switch outcome {
        // What lets somebody in, and what is not a stranger's doing.
        case .accepted, .stopped, .controllerFault: return true
        case .left where times.identified == nil, .timedOut where times.identified == nil, .failed where times.identified == nil:
            return false
        case .rejected, .left, .timedOut, .failed:
            if isGenuine ? genuineBudget.take(at: moment.instant) : budget.take(at: moment.instant) { return true }
            tally.count(outcome == .rejected ? .rejected : .visits, step: step, at: moment.instant)
            return false
        }
    }

    /// Makes the record of a visit that ends without a verdict.
    mutating func conclude(_ outcome: VisitRecord.Outcome, error: TuvaliError? = nil, _ moment: Moment) {
        switch progress {
        case .none, .opened, .facing:
            guard record == nil else { return }
            progress = .decided
            // Before the camera the credential is believed already.
            guard hasRecord(outcome, isGenuine: facing != nil, moment) else { return }
            var record = visitRecord(outcome)
            record.error = error
            self.record = record
            isRecordTaken = false
        case .recording(accepted: true):
            // Believed, but nobody was told: a record that is still here must not say that somebody entered.
            if !isRecordTaken {
                record?.outcome = outcome
                record?.error = error
            }
            progress = .decided
        case .recording(accepted: false), .decided: break
        }
    }

    /// Keys, message and credential of the visit are wiped.
    private mutating func forgetVisit() {
        channelKey = nil
        agreement.forget()
        session.reset()
        opener.wipe()
        connectedAt = nil
        isOnAir = false
        facing = nil
        progress = .none
    }
}
