/// The signalling channel: what concerns the channel and a central's parameters; everything else has its refusal (see `Signalling`).
extension HostCore {
    mutating func receiveSignalling(_ pdu: borrowing Span<UInt8>, _ now: Instant) -> HostEvent? {
        if let command = SignallingCommand(pdu) {
            if channel.isUsed || channel.listened != nil {
                // Even while an answer waits: credits that are lost stop a channel for ever.
                let step = channel.take(command, pdu, now)
                if step != .ignored { return told(step) }
            }
            guard connection.transmission.signalling.isEmpty else { return drop(.signallingBusy) }
            switch command.code {
            case Signalling.creditConnectionRequest where channel.listened != nil:
                let step = channel.requested(command, pdu, into: &connection.transmission.signalling)
                if step != .ignored { return told(step) }
            case Signalling.disconnectionRequest where channel.isUsed:
                let step = channel.disconnected(command, pdu, into: &connection.transmission.signalling)
                if step != .ignored { return told(step) }
            case Signalling.parameterUpdateRequest where connection.role == .central:
                if answerParameters(command, pdu) { return nil }
            default: break
            }
        }
        guard connection.transmission.signalling.isEmpty else { return drop(.signallingBusy) }
        if let reason = Signalling.answer(pdu, into: &connection.transmission.signalling) { counters.count(reason) }
        return nil
    }

    private mutating func told(_ step: CreditChannel.Step) -> HostEvent? {
        switch step {
        case .nothing, .ignored: return nil
        case .opened: return .channelOpened
        case .refused(let refusal): return .channelRefused(refusal)
        case .closed:
            // What waits to go into it goes nowhere.
            connection.transmission.dropChannelFrame()
            return .channelClosed
        }
    }

    /// Puts what waits into the signalling lane, unless an answer still occupies that.
    mutating func writeSignalling() {
        guard connection.transmission.signalling.isEmpty else { return }
        if channel.isSignallingDue {
            channel.write(identifier: connection.takeIdentifier(), into: &connection.transmission.signalling)
        } else if connection.wantsParameters {
            requestParameters()
        }
    }

    // MARK: a channel

    mutating func openChannel(_ spsm: UInt16, _ now: Instant) -> Bool {
        guard connection.isUp, connection.disconnectingUntil == nil else { return false }
        return channel.open(spsm, now)
    }

    mutating func send(_ octets: borrowing Span<UInt8>) -> Int {
        guard connection.isUp, connection.disconnectingUntil == nil else { return 0 }
        if connection.transmission.channel.isEmpty { connection.transmission.channelID = channel.remoteID }
        return channel.send(octets, into: &connection.transmission.channel)
    }

    /// A frame of the channel.
    mutating func receiveChannel<Application: HostApplication & ~Copyable>(
        _ frame: borrowing Span<UInt8>, _ now: Instant, _ application: inout Application
    ) -> HostEvent? {
        switch channel.phase {
        case .closed, .opening: return drop(.channelUnknown)
        case .closing: return nil
        case .open: break
        }
        guard connection.disconnectingUntil == nil else { return nil }
        guard let octets = channel.receive(frame) else {
            counters.count(.channelViolation)
            return told(channel.violated(now))
        }
        if !octets.isEmpty { application.channelReceived(frame.extracting(octets)) }
        channel.room = application.channelRoom
        return nil
    }

    mutating func channelExpired(_ now: Instant) -> HostEvent? { told(channel.expired(now)) }
}
