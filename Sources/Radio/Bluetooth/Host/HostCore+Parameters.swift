/// Connection parameters that suit a transfer are asked of the central (Core Vol 3 Part A 4.20).
extension HostCore {
    mutating func beginTransfer(_ now: Instant) {
        guard connection.isUp, !connection.isTransferring else { return }
        connection.isTransferring = true
        connection.hasSpoken = true
        connection.judgeParameters(after: 0, now)
    }

    /// Puts the request that waits into the signalling lane, unless an answer still occupies that.
    mutating func requestParameters() {
        guard connection.transmission.signalling.isEmpty else { return }
        connection.wantsParameters = false
        let identifier = connection.takeIdentifier()
        Signalling.requestParameters(identifier: identifier, .transfer, into: &connection.transmission.signalling)
    }
}
