/// What happens when time passes.
extension HostCore {
    var deadline: Instant? {
        var earliest = Instant.earliest(commands.deadline, connection.disconnectingUntil)
        earliest = Instant.earliest(earliest, connection.confirmationDeadline)
        earliest = Instant.earliest(earliest, connection.parameterRequestAt)
        earliest = Instant.earliest(earliest, connection.drainUntil)
        earliest = Instant.earliest(earliest, client.deadline)
        earliest = Instant.earliest(earliest, channel.deadline)
        earliest = Instant.earliest(earliest, early.deadline)
        earliest = Instant.earliest(earliest, probeAt)
        earliest = Instant.earliest(earliest, idleQuestionAt)
        // Of a scan the end holds even where the controller does not work.
        guard phase == .ready else { return Instant.earliest(earliest, scanner.isWanted ? scanner.until : nil) }
        earliest = Instant.earliest(earliest, advertiser.deadline)
        return Instant.earliest(earliest, Instant.earliest(scanner.deadline, initiation.deadline))
    }

    /// When a controller that advertises and has nothing else to do is asked whether it is still there: it says nothing by itself while
    /// nobody comes, and one that has died would be noticed only with the next code. With a link, the link's own deadlines do it.
    var idleQuestionAt: Instant? {
        guard phase == .ready, advertiser.isOn, !connection.isUp else { return nil }
        return commands.idleDeadline
    }

    mutating func expire(now: Instant) -> HostEvent? {
        if commands.isOverdue(now) { return commandLost(now) }
        commands.endPause(now)
        if let until = connection.disconnectingUntil, now >= until {
            connection.disconnectingUntil = nil
            // A central that falls silent can cause this, by a long supervision time-out: it climbs no ladder, and Reset ends every link.
            open(now: now)
            return .fault(.disconnectionLost, .reset)
        }
        if let until = connection.confirmationDeadline, now >= until {
            // ATT ends on this link (Core Vol 3 Part F 3.3.3).
            connection.confirmationDeadline = nil
            disconnect(now)
        }
        disconnectIfDrained(now)
        if let event = clientExpired(now) ?? channelExpired(now) { return event }
        if let due = early.deadline, now >= due { endUntoldLink() }
        if let due = probeAt, now >= due { probe(now) }
        if let due = connection.parameterRequestAt, now >= due { connection.judgeParameters(after: 0, now) }
        if let due = idleQuestionAt, now >= due { commands.append(.readVersion) }
        if let event = scanningExpired(now) ?? initiatingExpired(now) { return event }
        guard phase == .ready else { return nil }
        if let retry = advertiser.retryAt, now >= retry {
            advertiser.retryAt = nil
            restartAdvertising(now)
        }
        if advertiser.isOn, advertiser.isFast, let until = advertiser.fastUntil, now >= until { advertiser.slowDown(&commands) }
        return nil
    }

    /// A command was not answered.
    private mutating func commandLost(_ now: Instant) -> HostEvent? {
        guard let lost = commands.giveUp() else { return nil }
        if lost.isOptional {
            commands.noteSilence(of: lost)
            return nil
        }
        if case .bringUp(.reset) = lost, commands.repeatReset() { return nil }
        // A link that came meanwhile has deadlines of its own.
        if lost == .readVersion, connection.isUp || commands.repeatIdleQuestion() { return nil }
        // A step the host does without is left out: waiting for it at every bring-up would leave the gate without a radio.
        if case .bringUp(let step) = lost, !BringUp.row(step).isMandatory { return stepUnanswered(now) }
        return fault(.commandTimeout(lost.opcode(in: commands.set)), now)
    }
}
