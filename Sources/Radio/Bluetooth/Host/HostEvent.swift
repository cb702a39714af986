/// What the host tells the application; at most one for each packet or deadline.
public enum HostEvent: Hashable, Sendable {
    /// Bring-up is done; advertising may begin.
    case ready
    /// A central connected. Advertising has stopped by itself.
    case connected
    /// The link is gone, with the reason the controller gave.
    case disconnected(HCIStatus)
    /// The client's MTU is agreed.
    case mtuExchanged(UInt16)
    /// The client confirmed the indication.
    case confirmed
    /// The controller failed; the shell acts on the step, except `reset`, which is under way.
    case fault(ControllerFault, RecoveryStep)
}
