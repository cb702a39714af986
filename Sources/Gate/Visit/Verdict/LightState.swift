/// What the lights of the gate say.
public enum LightState: UInt8, CaseIterable, Sendable, Hashable {
    /// No lamp is lit: the gate is not running.
    case off
    /// The gate advertises and waits for a wallet.
    case ready
    /// A wallet is connected.
    case busy
    /// The visit was accepted.
    case accept
    /// The visit was rejected.
    case reject
    /// The radio or another device the gate needs does not work.
    case fault
    /// A wallet is connected, and the visitor has to look into the camera.
    case look
    /// The gate advertises, but nobody can enter: whom to believe has expired, a record cannot be written, ...
    case closed
}
