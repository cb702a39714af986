import Bluetooth

/// What a link wants of whoever has the radio. Each is told once, but a value is told until it is sent.
public enum MdocCommand: Hashable, Sendable {
    // What is on the air. Each replaces what was there before.
    /// Advertise this service, with a table and an address of this engagement.
    case advertise(UUID)
    /// Look for this service.
    case scan(UUID)
    /// Connect to the phone that was found.
    case connect
    /// Nothing.
    case rest
    /// End the link.
    case disconnect

    // What is asked of a phone that is the server.
    case ask(MdocStep)
    /// Open a channel to this SPSM.
    case openChannel(UInt16)

    // The octets are in the value that was given; `sent` is called when they are on their way.
    /// Notify this value.
    case notify(MdocCharacteristic)
    /// Write this value by command.
    case write(MdocCharacteristic)
    /// Send into the channel.
    case stream

    // What the gate is told.
    /// Messages may go over this bearer: send the request.
    case opened(MdocBearer)
    /// A whole message of so many octets is there: look at it, and `release` it.
    case received(Int)
    /// The visit came to nothing. Where there was a session, its last word may be said now, by `end(saying:)`.
    case failed(MdocLinkFailure)
    /// The link is gone and the air is quiet.
    case ended(MdocLinkEnd)
}
