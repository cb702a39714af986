import CLinux
import Glibc
import Linux

/// `hci:N`: the kernel's user channel, which hands one controller to one process and leaves the kernel's own host out.
///
/// One read is one packet, so there is nothing to reassemble. The kernel still loads firmware, powers the device and mirrors the
/// traffic to `btmon`; everything else, beginning with HCI_Reset, is ours (`net/bluetooth/hci_sock.c`, `hci_sync.c`).
public final class UserChannel: HCILink {
    /// N of hciN.
    public let index: UInt16
    public private(set) var descriptor: Int32 = -1
    public var hasUnsent: Bool { !unsent.isEmpty }
    public var hasUnread: Bool { false }
    public var mayHaveMore: Bool { true }
    public var canAppear: Bool { true }

    private var unsent = UnsentPacket()

    /// `HCI_MAX_FRAME_SIZE`: the socket refuses longer writes.
    private static let largestWrite = 1028

    public init(index: UInt16) {
        self.index = index
    }

    /// A channel that is open already: for tests, where a pair of packet sockets stands for the kernel.
    init(index: UInt16, adopting descriptor: Int32) {
        self.index = index
        self.descriptor = descriptor
    }

    deinit {
        close()
    }

    public func open() throws(LinkError) {
        close()
        // The one moment it is needed in: what reads packets from the air has it not.
        try Capabilities.networkAdministration.raised { () throws(LinkError) in try openChannel() }
    }

    private func openChannel() throws(LinkError) {
        // First without opening anything: a kernel without Bluetooth has no rfkill switch for it either.
        let raw = try Self.makeSocket()
        defer { Glibc.close(raw) }
        let isHardBlocked = RadioSwitch.unblock(controller: index)
        try bringDown(by: raw)

        let channel = try Self.makeSocket()
        do {
            Self.widenReceiveBuffer(of: channel)
            try bind(channel, isHardBlocked: isHardBlocked)
        } catch {
            Glibc.close(channel)
            throw error
        }
        descriptor = channel
    }

    public func read(into buffer: UnsafeMutableRawBufferPointer) throws(LinkError) -> Int {
        guard descriptor >= 0 else { throw .notOpen }
        var part = iovec(iov_base: buffer.baseAddress, iov_len: buffer.count)
        var flags: Int32 = 0
        let count = withUnsafeMutablePointer(to: &part) { part in
            var message = msghdr()
            message.msg_iov = part
            message.msg_iovlen = 1
            let count = recvmsg(descriptor, &message, Int32(MSG_DONTWAIT))
            flags = message.msg_flags
            return count
        }
        guard count > 0 else {
            let code = errno
            if count < 0 && (code == EAGAIN || code == EINTR) { return 0 }
            // EPIPE once, then an end without error: the kernel's word for "unplugged".
            throw fail(count == 0 ? .unplugged : Self.reason(code, of: .read))
        }
        // The rest of the packet is lost, and with it the count of credits or octets.
        if flags & Int32(MSG_TRUNC) != 0 { throw fail(.truncatedPacket) }
        return count
    }

    public func write(_ packet: UnsafeRawBufferPointer) throws(LinkError) {
        guard descriptor >= 0 else { throw .notOpen }
        try unsent.keep(packet, limit: Self.largestWrite)
        try flush()
    }

    public func flush() throws(LinkError) {
        guard descriptor >= 0 else { throw .notOpen }
        while !unsent.isEmpty {
            let packet = unsent.remainder
            let count = send(descriptor, packet.baseAddress, packet.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
            if count < 0 {
                let code = errno
                if code == EINTR { continue }
                // Earlier packets fill the send buffer; the socket turns writable when the driver has taken them.
                if code == EAGAIN || code == ENOBUFS { return }
                throw fail(Self.reason(code, of: .write))
            }
            // The socket takes a packet whole or not at all.
            unsent.clear()
        }
    }

    public func close() {
        unsent.clear()
        guard descriptor >= 0 else { return }
        Glibc.close(descriptor)
        descriptor = -1
    }

    private func fail(_ error: LinkError) -> LinkError {
        close()
        return error
    }

    // MARK: The steps of opening

    package static func makeSocket() throws(LinkError) -> Int32 {
        let type = Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(family, type, protocolNumber)
        if descriptor >= 0 { return descriptor }
        switch errno {
        case EAFNOSUPPORT, EPROTONOSUPPORT, EINVAL: throw .noBluetoothInKernel
        case EPERM, EACCES: throw .notPermitted
        case let code: throw .system(.socket, errno: code)
        }
    }

    /// Powers the controller down if the kernel's host has it up. `raw` is an unbound socket: those are on the raw channel, the only
    /// one that answers ioctls.
    ///
    /// Only a controller that is up and past its initialisation is touched: HCIDEVDOWN while the driver still loads firmware would
    /// wait for it, and could cancel a setup that has not begun.
    private func bringDown(by raw: Int32) throws(LinkError) {
        var info = hci_dev_info()
        info.dev_id = index
        guard ioctl(raw, Self.getDeviceInfo, &info) == 0 else {
            switch errno {
            case ENODEV: throw .noSuchController
            case EPERM, EACCES: throw .notPermitted
            // bind knows more.
            default: return
            }
        }
        let isUp = info.flags & (1 << UInt32(HCI_UP)) != 0
        let isStarting = info.flags & (1 << UInt32(HCI_INIT)) != 0
        guard isUp && !isStarting else { return }
        if ioctl(raw, Self.deviceDown, Int32(index)) == 0 { return }
        switch errno {
        case ENODEV: throw .noSuchController
        case EPERM, EACCES: throw .notPermitted
        // The one meaning EBUSY has here: the controller is on somebody's user channel. bind would say EBUSY too, because it looks
        // at "up" before it looks at the channel, and EUSERS only in the moment between (seen on Linux 6.12).
        case EBUSY: throw .controllerTaken
        // bind knows more.
        default: return
        }
    }

    /// Whether the kernel's host has controller hciN up; nil where the kernel does not say.
    package static func isUp(_ index: UInt16) -> Bool? {
        guard let raw = try? makeSocket() else { return nil }
        defer { Glibc.close(raw) }
        var info = hci_dev_info()
        info.dev_id = index
        guard ioctl(raw, getDeviceInfo, &info) == 0 else { return nil }
        return info.flags & (1 << UInt32(HCI_UP)) != 0
    }

    /// The kernel drops packets silently when the receive buffer is full, so it is made wide before any can come.
    static func widenReceiveBuffer(of descriptor: Int32) {
        var octets: Int32 = 1 << 20
        let length = socklen_t(MemoryLayout<Int32>.size)
        // FORCE goes past net.core.rmem_max and needs the capability we need anyway.
        if setsockopt(descriptor, SOL_SOCKET, SO_RCVBUFFORCE, &octets, length) != 0 {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &octets, length)
        }
    }

    private func bind(_ channel: Int32, isHardBlocked: Bool) throws(LinkError) {
        guard Self.bind(channel, controller: index, channel: UInt16(HCI_CHANNEL_USER)) != 0 else { return }
        switch errno {
        case EPERM, EACCES: throw .notPermitted
        case ENODEV: throw .noSuchController
        case EBUSY: throw .controllerBusy
        case EUSERS: throw .controllerTaken
        case ERFKILL: throw .radioBlocked(hard: isHardBlocked)
        // EINVAL: a kernel built before the user channel, or without it. EALREADY cannot be: the socket is new.
        case let code where code == EINVAL || code == EALREADY: throw .system(.bind, errno: code)
        // From hci_dev_open: the driver's own words.
        case let code: throw .controllerFailed(errno: code)
        }
    }

    /// `bind` with the six-octet `sockaddr_hci`: family, controller, channel, each in the processor's octet order.
    package static func bind(_ descriptor: Int32, controller: UInt16, channel: UInt16) -> Int32 {
        var address = sockaddr_hci(hci_family: sa_family_t(AF_BLUETOOTH), hci_dev: controller, hci_channel: channel)
        return withUnsafeBytes(of: &address) { octets in
            guard let start = octets.baseAddress else { return -1 }
            return Glibc.bind(descriptor, start.assumingMemoryBound(to: sockaddr.self), socklen_t(octets.count))
        }
    }

    private static func reason(_ code: Int32, of call: LinkError.SystemCall) -> LinkError {
        switch code {
        // The controller went away, or somebody powered it down under us.
        case EPIPE, ENODEV, ENXIO, ENETDOWN, EBADFD: .unplugged
        default: .system(call, errno: code)
        }
    }

    package static let family = AF_BLUETOOTH
    package static let protocolNumber = BTPROTO_HCI
    /// `HCIGETDEVINFO`, `_IOR('H', 211, int)`.
    package static let getDeviceInfo: UInt = 0x8004_48D3
    /// `HCIDEVDOWN`, `_IOW('H', 202, int)`.
    package static let deviceDown: UInt = 0x4004_48CA
}
