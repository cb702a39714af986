/// Connection parameters that suit a transfer are asked of the central (Core Vol 3 Part A 4.20).
extension PeripheralHost {
    /// A transfer begins on the link: a slow one is asked to be faster now. Costs nothing to say again.
    public mutating func beginTransfer(now: Instant) {
        guard link.isUp, !link.isTransferring else { return }
        link.isTransferring = true
        link.hasSpoken = true
        judgeParameters(after: 0, now)
    }

    /// Judges the link's parameters, at once or after a pause in which the central may change them again.
    mutating func judgeParameters(after milliseconds: UInt64, _ now: Instant) {
        link.parameterRequestAt = nil
        link.wantsParameters = false
        guard link.isUp, ConnectionParameters.transfer.improves(interval: link.interval, latency: link.latency) else { return }
        if milliseconds > 0 {
            link.parameterRequestAt = now.adding(milliseconds: milliseconds)
        } else {
            link.wantsParameters = true
        }
    }

    /// Puts the request that waits into the signalling lane, unless an answer still occupies that.
    mutating func requestParameters() {
        guard link.transmission.signalling.isEmpty else { return }
        link.wantsParameters = false
        Signalling.requestParameters(identifier: nextIdentifier, .transfer, into: &link.transmission.signalling)
        nextIdentifier = nextIdentifier == .max ? 1 : nextIdentifier + 1
    }
}
