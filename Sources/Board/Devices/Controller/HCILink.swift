import Bluetooth

/// A way to the Bluetooth controller that carries whole HCI packets, each with its H4 type octet first.
///
/// A link is used from one thread. Nothing is allocated while packets flow. After an error whose `remedy` is not `none` the link is
/// closed already or has to be closed by the caller; `open` starts over, and the controller has to be reset.
public protocol HCILink: AnyObject {
    /// What to watch with `epoll`, or -1 while closed. Level-triggered.
    var descriptor: Int32 { get }
    /// Something of an earlier `write` is still to be sent: watch for writability and call `flush`.
    var hasUnsent: Bool { get }
    /// Octets are already here: call `read` before sleeping, because `epoll` does not know of them.
    var hasUnread: Bool { get }
    /// Whether another `read` may find something. False where the last one took all that the descriptor had: `epoll` tells of more.
    var mayHaveMore: Bool { get }
    /// How many octets were ever read, while a packet of a stream is begun and not whole; nil between packets.
    var octetsInsidePacket: UInt64? { get }
    /// Whether a missing controller can appear again, so that waiting for it (`ControllerWatch`) makes sense.
    var canAppear: Bool { get }

    /// Opens the link; an open link is closed first.
    ///
    /// The only call that waits: for a connection two seconds, for the kernel to power a controller as long as its driver takes.
    func open() throws(LinkError)

    /// Reads the next packet into `buffer`, which has room for at least `H4Framer.capacity` octets.
    ///
    /// - Returns: the octets of one whole packet, type octet first; 0 when none is there now.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(LinkError) -> Int

    /// Sends one packet, type octet first.
    ///
    /// What the system does not take at once is kept, and `hasUnsent` turns true.
    func write(_ packet: UnsafeRawBufferPointer) throws(LinkError)

    /// Sends what an earlier `write` left.
    func flush() throws(LinkError)

    /// Closes the link and forgets everything read or unsent. Closing twice is allowed.
    func close()
}

extension HCILink {
    /// Packets that come whole are never begun.
    public var octetsInsidePacket: UInt64? { nil }

    /// What to do about `error` on this link: only the kernel announces controllers, other links have to be tried again.
    public func remedy(for error: LinkError) -> LinkRemedy {
        error.remedy == .waitForController && !canAppear ? .reopen : error.remedy
    }
}

extension HCILink {
    /// Sends one packet of the host's.
    public func write(_ frame: inout PacketFrame) throws(LinkError) {
        let count = frame.count
        var failure: LinkError?
        frame.storage.span.withUnsafeBytes { octets in
            do throws(LinkError) {
                try write(UnsafeRawBufferPointer(rebasing: octets[..<count]))
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }
}

/// The one packet on its way out: what the system has not taken yet.
///
/// One packet is enough: the host above sends one at a time and every link waits for it.
struct UnsentPacket: ~Copyable {
    private let storage: UnsafeMutableRawBufferPointer
    private var sent = 0
    private var length = 0

    var isEmpty: Bool { sent == length }

    init() {
        storage = .allocate(byteCount: H4Framer.capacity, alignment: 8)
    }

    deinit {
        storage.deallocate()
    }

    /// The part still to be sent.
    var remainder: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: storage[sent..<length])
    }

    /// Keeps `packet`. It is a command, ACL, synchronous or isochronous packet that fits, or it is refused.
    mutating func keep(_ packet: UnsafeRawBufferPointer, limit: Int) throws(LinkError) {
        guard isEmpty else { throw .writePending }
        // The kernel's rule for the user channel, right for every link: type 1, 2, 3 or 5, four octets or more.
        guard packet.count >= 4, packet.count <= min(limit, storage.count), Self.isSendable(packet[0]) else {
            throw .badPacket
        }
        storage.copyMemory(from: packet)
        sent = 0
        length = packet.count
    }

    private static func isSendable(_ type: UInt8) -> Bool {
        switch type {
        case 1, 2, 3, 5: true
        default: false
        }
    }

    mutating func advance(by count: Int) {
        sent = min(sent + max(count, 0), length)
    }

    mutating func clear() {
        sent = 0
        length = 0
    }
}
