import Bluetooth

/// What the clock tells a link.
extension LinkCore {
    var deadline: Instant? {
        var earliest = phaseDeadline
        earliest = Instant.earliest(earliest, channelDeadline)
        earliest = Instant.earliest(earliest, progressDeadline)
        earliest = Instant.earliest(earliest, responseDeadline)
        // How long a phone is looked for is asked only while it is: a connection under way comes to its end first.
        guard isSeeking else { return earliest }
        earliest = Instant.earliest(earliest, wayDeadline)
        return Instant.earliest(earliest, seekDeadline)
    }

    private var isSeeking: Bool { phase == .seeking && !isLinkUp }

    /// Acts on deadlines that have passed.
    mutating func expire(now: Instant) {
        self.now = now
        if isSeeking, let due = seekDeadline, now >= due {
            seekDeadline = nil
            fail(hadLink ? .linkLost : .noLink)
        }
        if isSeeking, let due = wayDeadline, now >= due { tryOtherWay() }
        if let due = channelDeadline, now >= due {
            channelDeadline = nil
            if phase == .opening, bearer == .channel { becomeClient() }
        }
        if let due = responseDeadline, now >= due {
            responseDeadline = nil
            fail(.tooLate)
        }
        if let due = progressDeadline, now >= due {
            progressDeadline = nil
            fail(.tooSlow)
        }
        if let due = phaseDeadline, now >= due {
            phaseDeadline = nil
            phaseTimedOut()
        }
    }

    private mutating func phaseTimedOut() {
        switch phase {
        case .connecting: missed()
        case .opening: fail(.noStart(step))
        case .open:
            switch exchange {
            case .none, .sending: fail(.notSent)
            case .awaiting: fail(.noAnswer)
            case .answering: break
            // Whoever asked has neither asked again nor ended.
            case .answered:
                close(.complete)
                disconnect()
            }
        case .closing: disconnect()
        case .idle, .seeking: break
        }
    }
}
