/// Connection and disconnection events that never came, or came damaged: a serial line has no checksum (Core Vol 4 Part A 2).
/// The host and the controller then disagree about links, and neither a deadline of ATT nor of the application is short
/// enough to wait for.
extension HostCore {
    // MARK: a link that the host was not told of

    /// Data came of a link whose event is overdue, kept or dropped as late: it is ended, so that its phone can come again.
    mutating func endUntoldLink() {
        let handle = early.handle
        giveUpEarlyData()
        if phase == .ready, !connection.isUp { commands.refuseLink(handle) }
    }

    /// A link has ended that the host was not told of: advertising has ended with its beginning. What came of it is not the next link's.
    mutating func untoldLinkEnded(_ handle: UInt16, _ now: Instant) {
        if early.handle == handle { giveUpEarlyData() }
        early.linkEnded(handle, at: now)
        if !connection.isUp, advertiser.mayBeOn { restartAdvertising(now) }
    }

    // MARK: a link whose end the host was not told of

    /// When the controller is asked whether it still has the link; nil where there is none, or it ends already.
    var probeAt: Instant? {
        guard connection.isUp, connection.disconnectingUntil == nil, !commands.isChannelMapBroken, controller.readsChannelMap else {
            return nil
        }
        return connection.heardAt.adding(milliseconds: Connection.silenceMilliseconds)
    }

    /// Asks for something that is answered only of a link that is there (Core Vol 4 Part E 7.8.20); the phone hears nothing of it.
    mutating func probe(_ now: Instant) {
        connection.heardAt = now
        commands.append(.readChannelMap(handle: connection.handle))
    }

    mutating func probeAnswered(_ handle: UInt16, _ status: HCIStatus, _ now: Instant) -> HostEvent? {
        commands.probeAnswered(status)
        guard status == .unknownConnection, connection.isUp, connection.handle == handle else { return nil }
        // Data of another handle meanwhile: the event of this link named a wrong one.
        let stray = connection.strayHandle
        let event = linkLost(status, now)
        if let stray { commands.refuseLink(stray) }
        return event
    }
}
