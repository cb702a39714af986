import CLinux
import Glibc

/// Something the kernel said about a controller.
public enum ControllerNews: Hashable, Sendable {
    /// The controller is set up and can be opened.
    case added(index: UInt16)
    /// The controller is there but its driver wants configuration first; the user channel opens anyway.
    case addedUnconfigured(index: UInt16)
    case removed(index: UInt16)
}

/// Tells when controllers come and go, by the kernel's management ("control") channel.
///
/// The kernel also says "removed" when our own user channel takes a controller and "added" when it lets go, so listen
/// only while the link is closed. An attempt that fails in the driver says both, too: after any error but `noSuchController` and
/// `unplugged` wait by `BackOff`, or attempt and news chase each other. To miss nothing: open the watch, then try the link, then
/// sleep on `descriptor`.
public final class ControllerWatch {
    /// What to watch with `epoll`, or -1 while closed.
    public private(set) var descriptor: Int32 = -1

    public init() {}

    deinit {
        close()
    }

    /// Opens the control channel. Needs no privilege.
    public func open() throws(LinkError) {
        close()
        let channel = try UserChannel.makeSocket()
        // HCI_DEV_NONE: news of all controllers.
        guard UserChannel.bind(channel, controller: 0xFFFF, channel: UInt16(HCI_CHANNEL_CONTROL)) == 0 else {
            let code = errno
            Glibc.close(channel)
            throw code == EPERM || code == EACCES ? .notPermitted : .system(.bind, errno: code)
        }
        descriptor = channel
    }

    /// The next piece of news, or nil when there is none now. Other management events are passed over.
    public func next() throws(LinkError) -> ControllerNews? {
        guard descriptor >= 0 else { throw .notOpen }
        while true {
            var octets: InlineArray<64, UInt8> = InlineArray(repeating: 0)
            var span = octets.mutableSpan
            let count = span.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT)) }
            if count < 0 {
                switch errno {
                case EAGAIN: return nil
                case EINTR: continue
                case let code: throw .system(.read, errno: code)
                }
            }
            if count == 0 { throw .ended }
            if let news = Self.news(octets, count: count) { return news }
        }
    }

    public func close() {
        guard descriptor >= 0 else { return }
        Glibc.close(descriptor)
        descriptor = -1
    }

    /// Reads a management event: code, controller, length of the rest, each 16 bits and little-endian (`mgmt-api.txt`).
    static func news(_ octets: borrowing InlineArray<64, UInt8>, count: Int) -> ControllerNews? {
        guard count >= 6 else { return nil }
        let index = UInt16(octets[2]) | UInt16(octets[3]) << 8
        return switch UInt16(octets[0]) | UInt16(octets[1]) << 8 {
        case 0x0004: .added(index: index)
        case 0x0005: .removed(index: index)
        case 0x001D: .addedUnconfigured(index: index)
        case 0x001E: .removed(index: index)
        default: nil
        }
    }
}
