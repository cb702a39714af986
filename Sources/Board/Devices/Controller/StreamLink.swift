import Bluetooth
import CLinux
import Glibc

/// `serial:`, `unix:` and `tcp:`: a stream of octets, cut into packets by H4.
///
/// H4 cannot find its place again once it is lost, so a framing error closes the link.
public final class StreamLink: HCILink {
    /// The serial port or socket.
    public let endpoint: HCIMoniker
    public private(set) var descriptor: Int32 = -1
    public var hasUnsent: Bool { !unsent.isEmpty }
    public var hasUnread: Bool { unread.start < unread.end }
    public var mayHaveMore: Bool { hasUnread || !isDrained }
    public var canAppear: Bool { false }
    public var octetsInsidePacket: UInt64? { framer.isInsidePacket ? octetsRead : nil }
    /// Synchronous and isochronous packets that were stepped over.
    public var skippedPackets: UInt32 { framer.skippedPackets }

    private var framer = H4Framer()
    private var octetsRead: UInt64 = 0
    private var unsent = UnsentPacket()
    /// Octets of the last read that the framer has not seen yet.
    private let chunk: UnsafeMutableRawBufferPointer
    private var unread = (start: 0, end: 0)
    /// The last read of the descriptor was given less than it had room for.
    private var isDrained = false

    /// - Parameter endpoint: any moniker but `hci:`, which `open` refuses.
    public init(_ endpoint: HCIMoniker) {
        self.endpoint = endpoint
        chunk = .allocate(byteCount: 4096, alignment: 8)
    }

    deinit {
        close()
        chunk.deallocate()
    }

    public func open() throws(LinkError) {
        close()
        descriptor =
            switch endpoint {
            case .serial(let path, let baud): try SerialPort.open(path, baud: baud)
            case .unix(let path): try StreamSocket.connect(unix: path)
            case .tcp(let host, let port): try StreamSocket.connect(tcp: host, port: port)
            case .userChannel: throw .badAddress
            }
    }

    public func read(into buffer: UnsafeMutableRawBufferPointer) throws(LinkError) -> Int {
        guard descriptor >= 0 else { throw .notOpen }
        // Twice the chunk is enough for any packet; a flood of skipped ones must not keep the loop here.
        for _ in 0..<4 {
            if unread.start == unread.end, try !refill() { return 0 }
            do throws(H4FramingError) {
                unread.start += try framer.feed(UnsafeRawBufferPointer(rebasing: chunk[unread.start..<unread.end]))
            } catch {
                throw fail(.lostFraming(.init(error)))
            }
            let length = framer.packetLength
            guard length > 0 else { continue }
            guard length <= buffer.count else { throw fail(.truncatedPacket) }
            framer.withPacket { buffer.copyMemory(from: $0) }
            return length
        }
        return 0
    }

    /// Reads what is there into the chunk.
    ///
    /// - Returns: false when nothing is there now.
    private func refill() throws(LinkError) -> Bool {
        if case .tcp = endpoint { StreamSocket.acknowledgeQuickly(descriptor) }
        let count = Glibc.read(descriptor, chunk.baseAddress, chunk.count)
        if count > 0 {
            unread = (0, count)
            isDrained = count < chunk.count
            octetsRead += UInt64(count)
            return true
        }
        let code = errno
        if count < 0 {
            if code == EAGAIN || code == EINTR { return false }
            throw fail(reason(code, of: .read))
        }
        // A terminal that hung up has no end to speak of; octets cut short there are no fault of the other side.
        if case .serial = endpoint { throw fail(.unplugged) }
        do throws(H4FramingError) {
            try framer.end()
        } catch {
            throw fail(.lostFraming(.init(error)))
        }
        throw fail(.ended)
    }

    public func write(_ packet: UnsafeRawBufferPointer) throws(LinkError) {
        guard descriptor >= 0 else { throw .notOpen }
        try unsent.keep(packet, limit: H4Framer.capacity)
        try flush()
    }

    public func flush() throws(LinkError) {
        guard descriptor >= 0 else { throw .notOpen }
        while !unsent.isEmpty {
            let rest = unsent.remainder
            let count: Int
            if case .serial = endpoint {
                count = Glibc.write(descriptor, rest.baseAddress, rest.count)
            } else {
                // A peer that is gone must be an error, not a SIGPIPE.
                count = send(descriptor, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
            }
            if count < 0 {
                let code = errno
                if code == EINTR { continue }
                if code == EAGAIN || code == ENOBUFS { return }
                throw fail(reason(code, of: .write))
            }
            // A serial port may take nothing without calling that an error.
            if count == 0 { return }
            unsent.advance(by: count)
        }
    }

    public func close() {
        unsent.clear()
        framer.reset()
        unread = (0, 0)
        isDrained = false
        guard descriptor >= 0 else { return }
        Glibc.close(descriptor)
        descriptor = -1
    }

    private func fail(_ error: LinkError) -> LinkError {
        close()
        return error
    }

    private func reason(_ code: Int32, of call: LinkError.SystemCall) -> LinkError {
        switch code {
        case EPIPE, ECONNRESET: .ended
        // A serial adapter that was pulled out, or the far side of a pseudo-terminal that closed.
        case EIO, ENXIO, ENODEV: .unplugged
        case ETIMEDOUT: .timedOut
        default: .system(call, errno: code)
        }
    }
}
