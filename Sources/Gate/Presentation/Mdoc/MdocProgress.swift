import Bluetooth
import MdocTransport

/// What a phone's visit has come to, one thing after the other.
public enum MdocProgress: Hashable, Sendable {
    /// The phone is there, and was sent the request: its person decides.
    case asked
    /// An answer lies open, unchecked: `finding` judges it.
    case presented
    /// It ended by this before there was an answer; the phone is told, and leaves.
    case failed(MdocFailure)
}

/// What is known of a phone's visit, for its record.
public struct MdocReport: Hashable, Sendable {
    /// What carried the messages; nil before a link was open.
    public var bearer: MdocBearer?
    /// ATT MTU of the link; 0 without one.
    public var mtu: UInt16 = 0
    /// Octets of the answer, as it was sent.
    public var size = 0

    public init() {}
}

extension MdocBearer {
    /// A stable word for programs.
    public var code: String {
        switch self {
        case .channel: "channel"
        case .client, .server: "gatt"
        }
    }

    /// What the gate is on the link.
    public var role: String { isCentral ? "central" : "peripheral" }
}
