/// What happens when time passes.
extension PeripheralHost {
    /// Acts on every deadline that has passed; call again while it returns an event.
    public mutating func expire(now: Instant) -> HostEvent? {
        if let commandDeadline, now >= commandDeadline { return commandLost(now) }
        if let pausedUntil, now >= pausedUntil {
            self.pausedUntil = nil
            mayCommand = true
        }
        if let until = link.disconnectingUntil, now >= until {
            link.disconnectingUntil = nil
            // A central that falls silent can cause this, by a long supervision time-out: it climbs no ladder, and Reset ends every link.
            open(now: now)
            return .fault(.disconnectionLost, .reset)
        }
        if let confirmationDeadline, now >= confirmationDeadline {
            // ATT ends on this link (Core Vol 3 Part F 3.3.3).
            self.confirmationDeadline = nil
            disconnect(now: now)
        }
        if let due = early.deadline, now >= due { endUntoldLink() }
        if let due = probeAt, now >= due { probe(now) }
        if let due = link.parameterRequestAt, now >= due { judgeParameters(after: 0, now) }
        guard phase == .ready else { return nil }
        if let retry = advertising.retryAt, now >= retry {
            advertising.retryAt = nil
            restartAdvertising(now)
        }
        if advertising.isOn, advertising.isFast, let until = advertising.fastUntil, now >= until { slowAdvertising() }
        return nil
    }

    /// A command was not answered.
    private mutating func commandLost(_ now: Instant) -> HostEvent? {
        commandDeadline = nil
        guard let lost = outstanding else { return nil }
        outstanding = nil
        mayCommand = true
        if lost.isOptional {
            // Some controllers say they know it and never answer: not worth the link, nor the wait at the next one.
            switch lost {
            case .setDataLength: isDataLengthBroken = true
            case .setPHY: isPHYBroken = true
            default: probeUnanswered()
            }
            return nil
        }
        if case .bringUp(.reset) = lost, resets + 1 < Self.resetTries {
            resets += 1
            queue.append(.bringUp(.reset))
            return nil
        }
        // A step the host does without is left out: waiting for it at every bring-up would leave the gate without a radio.
        if case .bringUp(let step) = lost, !BringUp.row(step).isMandatory { return stepUnanswered(now) }
        return fault(.commandTimeout(lost.opcode(isExtended: advertising.isExtended)), now)
    }
}
