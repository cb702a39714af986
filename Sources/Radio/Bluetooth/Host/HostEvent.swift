/// What the host tells the application; at most one for each packet or deadline.
public enum HostEvent: Hashable, Sendable {
    /// Bring-up is done; advertising or scanning may begin.
    case ready
    /// A link is up, and nothing else is on the air; `Host.role` says who connected to whom.
    case connected
    /// The link is gone, with the reason the controller gave.
    case disconnected(HCIStatus)
    /// The client's MTU is agreed.
    case mtuExchanged(UInt16)
    /// The client confirmed the indication.
    case confirmed
    /// The phone that was scanned for advertises; scanning has ended.
    case found(Peer)
    /// The time to scan is over, or the controller cannot; nobody was found.
    case scanEnded
    /// No link came of `connect`: given up in time, or refused by this status.
    case notConnected(HCIStatus)
    /// What a phone's server answered to `Host.ask`.
    case answered(ClientOutcome)
    /// The channel is open: by `Host.openChannel`, or because the phone asked for one that is listened to.
    case channelOpened
    /// The channel that was asked for does not open.
    case channelRefused(ChannelRefusal)
    /// The channel is closed: by the phone, by its breaking the rules, or as it was told to. With its link it ends without a word.
    case channelClosed
    /// The controller failed; the shell acts on the step, except `reset`, which is under way.
    case fault(ControllerFault, RecoveryStep)
}
