import Bluetooth
import Linux

/// Why a link to the controller cannot be opened, or stopped working.
public enum LinkError: Error, Hashable, Sendable {
    // Opening the kernel's user channel.

    /// The kernel has no Bluetooth (`socket` answered EAFNOSUPPORT or EPROTONOSUPPORT).
    case noBluetoothInKernel
    /// The process may not do this; the user channel needs CAP_NET_ADMIN, a device file its group.
    case notPermitted
    /// There is no controller with this index (yet).
    case noSuchController
    /// The controller is being set up by its driver, or is up for somebody else.
    case controllerBusy
    /// Another process has the user channel of this controller.
    case controllerTaken
    /// The radio is switched off by rfkill; a hard block is a switch only a hand can turn.
    case radioBlocked(hard: Bool)
    /// The driver could not start the controller.
    case controllerFailed(errno: Int32)

    // Opening a stream.

    /// The device file or socket does not exist.
    case notFound
    /// Nobody listens at the address.
    case refused
    /// No answer in time.
    case timedOut
    /// The serial port cannot run at this speed.
    case unsupportedSpeed(UInt32)
    /// The address or path cannot be used.
    case badAddress

    // While open.

    /// The controller was unplugged.
    case unplugged
    /// The other end closed the stream.
    case ended
    /// The stream can no longer be cut into packets.
    case lostFraming(LostFraming)
    /// The kernel cut a packet because the buffer was too short.
    case truncatedPacket
    /// The packet to write is none a host may send, or too long.
    case badPacket
    /// The packet before this one is still being written: wait until the descriptor is writable and call `flush`.
    case writePending
    /// The link is not open.
    case notOpen
    /// Any other refusal of the system.
    case system(SystemCall, errno: Int32)

    /// `H4FramingError` without the octets, so that reasons compare and count.
    public enum LostFraming: Hashable, Sendable {
        case unknownType
        case tooLong
        case endedInsidePacket
        /// A packet's rest did not come: its length was damaged.
        case stoppedInsidePacket

        init(_ error: H4FramingError) {
            self =
                switch error {
                case .unknownType: .unknownType
                case .tooLong: .tooLong
                case .endedInsidePacket: .endedInsidePacket
                }
        }
    }

    public enum SystemCall: Hashable, Sendable {
        case open, socket, bind, connect, ioctl, read, write, setSpeed
    }
}

/// What to do about a `LinkError`.
public enum LinkRemedy: Hashable, Sendable {
    /// Close and open again after a pause that grows (`BackOff`).
    case reopen
    /// Close, and open again when the controller appears (`ControllerWatch`).
    case waitForController
    /// Nothing the gate can do helps: say so, show the fault light, and try again slowly.
    case tellOperator
    /// The caller's mistake; the link is still good.
    case none
}

extension LinkError {
    public var remedy: LinkRemedy {
        switch self {
        case .noBluetoothInKernel, .notPermitted, .controllerTaken, .unsupportedSpeed, .badAddress, .radioBlocked(hard: true):
            .tellOperator
        case .noSuchController, .unplugged:
            .waitForController
        case .controllerBusy, .radioBlocked(hard: false), .controllerFailed, .notFound, .refused, .timedOut, .ended,
            .lostFraming, .truncatedPacket, .system:
            .reopen
        case .badPacket, .writePending, .notOpen:
            .none
        }
    }

    /// A sentence for the operator.
    public var sentence: String {
        switch self {
        case .noBluetoothInKernel: "the kernel has no Bluetooth (AF_BLUETOOTH is not supported)"
        case .notPermitted: "not permitted: the user channel needs CAP_NET_ADMIN, a device file its group"
        case .noSuchController: "no such controller"
        case .controllerBusy: "the controller is being set up, or something else has powered it"
        case .controllerTaken: "another process has the controller's user channel"
        case .radioBlocked(hard: true): "the radio is switched off by a hardware switch"
        case .radioBlocked(hard: false): "the radio is switched off by rfkill"
        case .controllerFailed(let code): "the driver could not start the controller (\(systemCause(code)))"
        case .notFound: "no such device or socket"
        case .refused: "nobody listens there"
        case .timedOut: "no answer in time"
        case .unsupportedSpeed(let baud): "the serial port cannot run at \(baud) baud"
        case .badAddress: "the address cannot be used"
        case .unplugged: "the controller was unplugged"
        case .ended: "the other end closed the link"
        case .lostFraming(.unknownType): "lost framing: unknown packet type"
        case .lostFraming(.tooLong): "lost framing: impossible packet length"
        case .lostFraming(.endedInsidePacket): "the stream ended inside a packet"
        case .lostFraming(.stoppedInsidePacket): "lost framing: the rest of a packet did not come"
        case .truncatedPacket: "a packet did not fit the receive buffer"
        case .badPacket: "the packet to send is malformed"
        case .writePending: "the packet before is still being sent"
        case .notOpen: "the link is not open"
        case .system(let call, let code): "\(call) failed (\(systemCause(code)))"
        }
    }
}

/// Pauses between attempts to open: 250 ms, doubling up to 8 s.
public struct BackOff: Sendable {
    private var pause: UInt64 = 250_000_000

    public init() {}

    /// The next pause, in nanoseconds.
    public mutating func next() -> UInt64 {
        defer { pause = min(pause * 2, 8_000_000_000) }
        return pause
    }

    /// An attempt went well.
    public mutating func reset() {
        pause = 250_000_000
    }
}
