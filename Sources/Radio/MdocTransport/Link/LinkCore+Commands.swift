import Bluetooth

/// The one question to a link: what is to be done next.
extension LinkCore {
    /// The next command, or nil. A value is asked for only with `maySend`; it is in `value`, and told again until `sent`.
    ///
    /// What was opened and received is told before what failed, and the end last of all.
    mutating func next(into value: inout AttributeValue, maySend: Bool) -> MdocCommand? {
        if isOpenedDue {
            isOpenedDue = false
            return .opened(bearer)
        }
        if !isFirstTold, let count = messages.first {
            isFirstTold = true
            return .received(count)
        }
        if let failure = failureDue {
            failureDue = nil
            return .failed(failure)
        }
        if let command = nextOnAir() ?? nextAsked() { return command }
        if maySend, let command = nextValue(into: &value) { return command }
        guard let end = endDue else { return nil }
        endDue = nil
        return .ended(end)
    }

    private mutating func nextOnAir() -> MdocCommand? {
        if isDisconnectDue, isLinkUp {
            toldDisconnect()
            return .disconnect
        }
        guard air != toldAir else { return nil }
        // While a link is up that nobody wanted, nothing else is begun.
        guard !isLinkUp || air == .rest else { return nil }
        toldAir = air
        switch air {
        case .rest: return .rest
        case .connect: return .connect
        case .scan: return offer.peripheral.map { .scan($0) }
        case .advertise: return offer.central.map { .advertise($0) }
        }
    }

    private mutating func nextAsked() -> MdocCommand? {
        guard isLinkUp, phase == .opening else { return nil }
        if isStepDue {
            isStepDue = false
            asked = step
            return .ask(step)
        }
        if isChannelDue, let spsm = offer.spsm {
            isChannelDue = false
            return .openChannel(spsm)
        }
        return nil
    }
}
