/// One LE credit based L2CAP channel, opened by either side (Core Vol 3 Part A 4.22 to 4.24 and 10.1). What goes through it is a
/// stream: the borders of SDUs mean nothing and are not kept, so no SDU is ever put together, and each frame that is sent is an SDU.
///
/// A phone has credits for no more than the application takes; that is the back pressure that ATT does not have.
struct CreditChannel: ~Copyable {
    enum Phase {
        case closed
        /// The connection request waits, or is not answered.
        case opening
        case open
        /// The disconnection request waits, or is not answered. What comes is passed over.
        case closing
    }

    /// What a command or a frame came to.
    enum Step: Equatable {
        case nothing
        case opened
        case refused(ChannelRefusal)
        case closed
        /// Not this channel's.
        case ignored
    }

    var phase = Phase.closed
    /// The SPSM that peers may connect to.
    var listened: UInt16?
    /// The SPSM that is asked for.
    var spsm: UInt16 = 0
    /// The peer's endpoint.
    var remoteID: UInt16 = 0
    /// The largest SDU and the largest frame that the peer takes.
    var remoteMTU: UInt16 = 0
    var remoteMPS: UInt16 = 0
    /// Frames that may be sent.
    var sendCredits: UInt16 = 0
    /// Frames that the peer may send.
    var receiveCredits: UInt16 = 0
    /// Octets of an SDU under way that are missing.
    var missing = 0
    /// Octets that the application still takes.
    var room = 0
    /// Of the request that is not answered; 0: none.
    var identifier: UInt8 = 0
    var deadline: Instant?
    /// A request that waits for the signalling lane.
    var isRequestDue = false
    /// The end is told when it has come about: the application asked for it.
    var tellsEnd = false

    /// The own endpoint. There is one channel, so there is one; it is used again only when nothing of the last one can come any more, for
    /// frames do not overtake one another.
    static var localID: UInt16 { 0x0040 }
    /// Endpoints that a peer may have (Core Vol 3 Part A 2.1).
    static var dynamicIDs: ClosedRange<UInt16> { 0x0040...0x007F }
    /// The largest SDU taken; it is never held, so this is for the peer's comfort: iOS writes 512 octets at once, Android up to this.
    static var mtu: UInt16 { 2048 }
    /// The largest frame taken: with its header exactly two of the longest link layer packets, and no longer than the largest ATT PDU's.
    static var mps: UInt16 { 498 }
    /// MTU and MPS that everybody takes (Core Vol 3 Part A 4.22).
    static var least: UInt16 { 23 }
    /// Frames that a peer may have on the way.
    static var credits: UInt16 { 8 }
    /// For an answer to a connection request. A phone may ask its owner, and an answer that comes late is one still (Core Vol 3 Part A
    /// 6.2.1: 1 to 60 s).
    static var openingMilliseconds: UInt64 { 15_000 }
    static var closingMilliseconds: UInt64 { 5_000 }

    init() {}

    /// A channel that is not closed.
    var isUsed: Bool { phase != .closed }

    /// Something of it waits for the signalling lane.
    @inline(__always)
    var isSignallingDue: Bool { isRequestDue || creditsDue > 0 }

    mutating func reset() {
        let kept = listened
        self = CreditChannel()
        listened = kept
    }

    // MARK: credits

    /// Credits that are due to the peer: back to all of them when half are used and there is room for all; one, where it has none and
    /// there is room for one, so that a peer of short frames does not wait for ever.
    @inline(__always)
    var creditsDue: UInt16 {
        guard phase == .open else { return 0 }
        if receiveCredits <= Self.credits / 2, room >= Int(Self.credits) * Int(Self.mps) { return Self.credits - receiveCredits }
        return receiveCredits == 0 && room >= Int(Self.mps) ? 1 : 0
    }

    // MARK: frames

    /// Takes one frame; `octets` is told where its payload lies. Nil for a frame that breaks the rules.
    mutating func receive(_ frame: borrowing Span<UInt8>) -> Range<Int>? {
        guard receiveCredits > 0, frame.count <= Int(Self.mps) else { return nil }
        receiveCredits -= 1
        var start = 0
        if missing == 0 {
            guard let length = frame.littleEndian16(at: 0), length <= Self.mtu else { return nil }
            missing = Int(length)
            start = 2
        }
        let count = frame.count - start
        guard count <= missing else { return nil }
        missing -= count
        return start..<frame.count
    }

    /// Writes the next octets as one SDU in one frame; returns how many were taken, 0 without a credit.
    mutating func send(_ octets: borrowing Span<UInt8>, into frame: inout ChannelFrame) -> Int {
        guard phase == .open, sendCredits > 0, frame.isEmpty, octets.count > 0 else { return 0 }
        // Both are at least 23.
        let most = min(Int(remoteMTU), min(Int(remoteMPS), Int(Self.mps)) - 2)
        let count = min(octets.count, most)
        frame.removeAll()
        frame.append(littleEndian: UInt16(truncatingIfNeeded: count))
        frame.append(octets.extracting(0..<count))
        sendCredits -= 1
        return count
    }
}

/// The longest frame sent, without its L2CAP header.
typealias ChannelFrame = OctetBuffer<498>

/// Why a channel did not open.
public enum ChannelRefusal: Hashable, Sendable {
    /// The peer's result, as in its Connection Response (Core Vol 3 Part A 4.23): 2 is an SPSM that it does not have.
    case result(UInt16)
    /// The peer does not know the command.
    case notUnderstood
    /// An answer that cannot be.
    case malformed
    case timedOut
}
