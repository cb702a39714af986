import Bluetooth

/// What the link and the clock tell a session, and what it wants to say.
extension SessionCore {
    /// A wallet connected. `intervalMicroseconds` is the connection interval; `step` shortens the deadlines of this link.
    mutating func connected(intervalMicroseconds interval: UInt64, step: UInt8 = 0, now: Instant) {
        self.now = now
        guard phase == .advertising else { return }
        isLinkUp = true
        patience = timing.shortened(by: step)
        missed = nil
        intervalMicroseconds = interval
        mtu = AttributeServer.defaultMTU
        phase = .connected
        phaseDeadline = now.adding(milliseconds: patience.identify)
        events.append(.connected)
    }

    /// The link is gone.
    mutating func disconnected(now: Instant) {
        self.now = now
        isLinkUp = false
        switch phase {
        case .idle, .advertising: break
        case .connected: advertiseAgain(.walletLeft)
        case .identified, .secure, .receiving, .deciding: finish(.walletLeft)
        case .waitingDisconnect: finish(isStatusDue ? .walletLeft : .complete)
        case .closing where !hasIdentified && end != .stopped: advertiseAgain(end)
        case .closing: finish(end)
        }
    }

    /// Nobody identified: the same key serves the next wallet, until the advertisement's life is over.
    private mutating func advertiseAgain(_ reason: SessionEnd) {
        phase = .advertising
        phaseDeadline = nil
        // What was to be told was the other's.
        isDisconnectDue = false
        guard let due = sessionDeadline, now < lastDeadline else { return finish(.timedOut) }
        // A phone whose link failed tries again at once.
        sessionDeadline = max(due, min(now.adding(milliseconds: timing.handover), lastDeadline))
        events.append(.advertiseAgain(reason))
    }

    /// The MTU of the link is agreed.
    mutating func mtuExchanged(_ newMTU: UInt16, now: Instant) {
        self.now = now
        mtu = newMTU
        guard isLinkUp, TransferSize.maxData(mtu: newMTU) < TransferSize.minimumMaxData else { return }
        switch phase {
        // For the other service it may do. Whoever identifies is told when there is a size.
        case .connected where sharesLink: break
        case .connected, .identified, .secure, .receiving: fail(.mtuTooSmall, now: now)
        // The message is there: nothing a wallet agrees with its own stack changes the verdict any more.
        case .idle, .advertising, .deciding, .waitingDisconnect, .closing: break
        }
    }

    /// Tells the session the time, and the connection interval of now, before the attribute server writes into it.
    mutating func advance(to time: Instant, intervalMicroseconds interval: UInt64? = nil) {
        now = time
        if let interval, isLinkUp { intervalMicroseconds = interval }
    }

    /// Acts on deadlines that have passed.
    mutating func expire(now: Instant) {
        self.now = now
        if let due = reportAt, now >= due {
            reportAt = nil
            isReportDue = true
        }
        if let due = resendAt, now >= due {
            resendAt = nil
            if phase == .receiving, !hasResent {
                hasResent = true
                isReportDue = true
            }
        }
        if let due = transferDeadline, now >= due {
            transferDeadline = nil
            if phase == .receiving { timeOut(.transfer, now) }
        }
        if let due = phaseDeadline, now >= due {
            phaseDeadline = nil
            phaseTimedOut(now)
        }
        if let due = sessionDeadline, now >= due, !isLinkUp, phase == .advertising {
            sessionDeadline = nil
            finish(.timedOut)
        }
    }

    private mutating func phaseTimedOut(_ now: Instant) {
        switch phase {
        case .connected, .identified: timeOut(.identify, now)
        case .secure: timeOut(.pick, now)
        case .receiving: timeOut(freshChunks == 0 ? .chunk : .pace, now)
        case .waitingDisconnect:
            // The wallet was told; it has to go.
            end = isStatusDue ? .walletLeft : .complete
            events.append(.disconnectNow)
        case .closing: events.append(.disconnectNow)
        case .idle, .advertising, .deciding: break
        }
    }

    private mutating func timeOut(_ deadline: MissedDeadline, _ now: Instant) {
        missed = deadline
        close(.timedOut, now)
    }

    private mutating func finish(_ reason: SessionEnd) {
        phase = .idle
        phaseDeadline = nil
        transferDeadline = nil
        sessionDeadline = nil
        reportAt = nil
        resendAt = nil
        events.append(.ended(reason))
    }

    // MARK: pushing

    /// Writes the next value to push into `value` and returns its characteristic; nil when nothing is due.
    /// It stays due until `didPush`.
    mutating func nextPush(into value: inout AttributeValue) -> Characteristic? {
        guard isLinkUp else { return nil }
        value.removeAll()
        if isDisconnectDue {
            value.append(0x01)
            return .disconnect
        }
        if isReportDue {
            guard TransferReport.write(&assembler, maxData: TransferSize.maxData(mtu: mtu), into: &report) else {
                isReportDue = false
                return nil
            }
            value.append(report.storage.span.extracting(0..<report.count))
            return .transferReportResponse
        }
        // The status never overtakes the report that ends the transfer.
        if isStatusDue, reportAt == nil, let status {
            value.append(status)
            return .verificationStatus
        }
        return nil
    }

    /// The value last returned by `nextPush` has been handed to the link.
    mutating func didPush(_ characteristic: Characteristic, now: Instant) {
        switch characteristic {
        case .disconnect: isDisconnectDue = false
        case .transferReportResponse:
            isReportDue = false
            hasReported = true
            // A wallet that heard a "missing" report writes at once.
            if phase == .receiving, !hasResent { resendAt = now.adding(milliseconds: patient(patience.reportResend, events: 4)) }
        case .verificationStatus:
            isStatusDue = false
            phaseDeadline = now.adding(milliseconds: patient(patience.afterStatus, events: 3))
        default: break
        }
    }
}
