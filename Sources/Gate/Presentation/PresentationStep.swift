import AriesTransport
import Bluetooth
import Cryptography
import DIDComm
import Tuvali

import enum Mdoc.RequestError

/// What a presentation has come to, one thing after the other.
public enum PresentationStep: Hashable, Sendable {
    /// Somebody has taken up the offer: its key is used now, and serves nobody else.
    case committed
    /// What the radio has to do for it.
    case wants(Air)
    /// A message lies open, unchecked: `withMessage` lends it.
    case presented
    /// A message has come that does not open.
    case unopened(OpeningError)
    /// A message has come that is no answer to what was asked.
    case unread(AriesCode)
    /// The holder does not want to present anything.
    case declined
    /// It ended by this error; whoever presented was asked to leave.
    case failed(TuvaliError)
    /// It ended by this before there was a message.
    case broken(AriesFault)
    /// The link is gone before anybody committed: the same offer serves on.
    case released(SessionEnd)
    /// The link is gone for good, or the offer's time is over.
    case ended(SessionEnd)
}

/// What a presentation wants of the radio.
public enum Air: Hashable, Sendable {
    /// A link that suits a transfer.
    case speed
    /// An end of the link.
    case rest
}

/// What is known of how a message came, for the visit's record.
public struct PresentationReport: Hashable, Sendable {
    /// The deadline that was missed.
    public var missed: MissedDeadline?
    /// ATT MTU of the link.
    public var mtu: UInt16
    public var pieces: Int
    public var checksumFailures: UInt32
    /// Of the whole message, in bytes; 0 without one.
    public var size: Int
}

/// Why nothing can be presented. All of it is found out when the gate is made.
public enum PresentationError: Error, Hashable, Sendable {
    case cryptography(CryptographyError)
    case opening(OpeningError)
    case attributes(AttributeTableError)
    /// What the site asks of documents cannot be asked.
    case request(RequestError)
}
