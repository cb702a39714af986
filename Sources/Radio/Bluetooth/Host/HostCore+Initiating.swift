/// Initiating: a phone that was found is connected to, and the attempt given up in time.
extension HostCore {
    /// Connects to `peer`; whatever else is on the air ends. False, and nothing changed, where that is not possible now.
    mutating func connect(to peer: Peer, from address: DeviceAddress, until: Instant) -> Bool {
        guard phase == .ready, controller.supports(.central), !connection.isUp, !initiation.isUnderWay else { return false }
        rest()
        scanner.address = address
        initiation.begin(peer, until: until, &commands)
        return true
    }

    /// Nobody waits for the connection any more.
    mutating func stopInitiating() {
        initiation.silence()
        if initiation.phase == .waiting { initiation.end(&commands) } else { initiation.cancel(&commands) }
    }

    /// The command that connects was answered: it goes on, or never began.
    mutating func initiatingAnswered(_ status: HCIStatus, _ now: Instant) -> HostEvent? {
        guard status != .success, initiation.isOnAir else { return nil }
        switch status {
        // Something is on the air that the host does not know of.
        case .commandDisallowed:
            initiation.end(&commands)
            return fault(.initiatingRefused(status), now)
        // So is a link: its event was lost. Reset ends it.
        case .connectionAlreadyExists: return attemptLost(now)
        default: break
        }
        guard initiation.mayRepeat(after: status, now) else { return initiationEnded(status, now) }
        if initiation.retryAt == nil { initiation.queue(&commands) }
        return nil
    }

    /// LE Connection Complete with an error, of an attempt that was on the air.
    mutating func initiatingFailed(_ status: HCIStatus, _ now: Instant) -> HostEvent? {
        counters.count(.connectionFailed)
        guard status == .connectionFailedToBeEstablished, initiation.mayRepeatUnheard() else { return initiationEnded(status, now) }
        initiation.queue(&commands)
        return nil
    }

    private mutating func initiationEnded(_ status: HCIStatus, _ now: Instant) -> HostEvent? {
        let isSilent = initiation.isSilent
        initiation.end(&commands)
        restartActivity(now)
        return isSilent ? nil : .notConnected(status)
    }

    /// The controller did not tell how an attempt ended: it may have a link that nobody knows of. Reset ends every link. No ladder is
    /// climbed: a single event that is lost on the line can cause this.
    private mutating func attemptLost(_ now: Instant) -> HostEvent? {
        open(now: now)
        return .fault(.connectionLost, .reset)
    }

    mutating func initiatingExpired(_ now: Instant) -> HostEvent? {
        guard phase == .ready, let due = initiation.deadline, now >= due else { return nil }
        switch initiation.phase {
        case .idle: return nil
        case .waiting:
            if let until = initiation.until, now >= until { return initiationEnded(.unknownConnection, now) }
            initiation.queue(&commands)
            return nil
        case .asked:
            initiation.cancel(&commands)
            return nil
        case .cancelling: return attemptLost(now)
        }
    }

    /// A link is up, of either role: nothing else is on the air from now on.
    mutating func endActivities(for role: Role) {
        stopScanning()
        if role == .central { initiation.end(&commands) } else { stopInitiating() }
    }
}
