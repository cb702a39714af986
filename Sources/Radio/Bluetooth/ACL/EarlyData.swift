/// Data of a link that was not told of yet.
///
/// USB carries events and ACL data on separate endpoints (Core Vol 4 Part B 2.1), so a phone's first frames can overtake the
/// LE Connection Complete they follow. What came first is kept for the one handle that may be the next link's, for so long as
/// a host may take to hear of it, and served when the link opens.
struct EarlyData: ~Copyable {
    /// Whole ACL packets without their indicator, one after the other: room for one with the longest L2CAP frame served.
    private(set) var packets = OctetBuffer<525>()
    /// The connection handle that all of them name.
    private(set) var handle: UInt16 = 0
    /// How many were taken in.
    private(set) var count: UInt32 = 0
    private var since = Instant(nanoseconds: 0)
    /// Where the next packet to serve begins.
    private var position = 0
    /// A packet did not fit: what comes behind it would be put together wrongly.
    private var isCutOff = false

    /// The handle of the link that ended last, and until when data of it is still that link's.
    private var endedHandle: UInt16 = 0
    private var endedUntil: Instant?
    /// Data of `handle` came too soon after its link's end to be kept.
    private var isLateNoted = false

    /// What is kept waits so long for its link.
    static var milliseconds: UInt64 { 1000 }
    /// Data of a link that has ended comes so long after it at most. Two endpoints of USB are apart by some milliseconds and a busy loop; a
    /// phone that connects has the same handle at once, and its first request comes behind its connection event.
    static var lateMilliseconds: UInt64 { 100 }

    init() {}

    var isEmpty: Bool { count == 0 }
    /// When what is held is given up, and what came of no link's handle is taken for an untold link's.
    var deadline: Instant? { isEmpty && !isLateNoted ? nil : since.adding(milliseconds: Self.milliseconds) }

    /// A link has ended. What comes of its handle in the next moments may have been on its way while the event passed it, and a controller
    /// gives the handle to the next phone: one's writes would be served as another's. An early packet of that next phone is lost with them;
    /// which of the two it is nothing tells. ATT repeats no request, and a phone waits up to 30 s for an answer (Core Vol 3 Part F 3.3.3),
    /// so the time is short.
    mutating func linkEnded(_ handle: UInt16, at now: Instant) {
        endedHandle = handle
        endedUntil = now.adding(milliseconds: Self.lateMilliseconds)
    }

    /// Whether data of `handle` may be what is left of the link that has just ended.
    mutating func isLate(_ handle: UInt16, at now: Instant) -> Bool {
        guard let until = endedUntil else { return false }
        if now >= until { endedUntil = nil }
        return handle == endedHandle && now < until
    }

    /// Late data of `lateHandle` was dropped. It may have been the next link's, told of by an event that is lost: the time starts for it as
    /// for what is kept.
    mutating func noteLate(_ lateHandle: UInt16, at now: Instant) {
        guard isEmpty, !isLateNoted else { return }
        isLateNoted = true
        handle = lateHandle
        since = now
    }

    /// The controller has told of a link: data that was dropped is not an untold one's.
    mutating func linkOpened() { isLateNoted = false }

    /// Keeps a packet of `newHandle`; the first packet starts the time. Another handle takes the place of the one before: a
    /// handle nobody owns must not keep out the phone that comes next.
    ///
    /// - Returns: how many packets were given up for it, itself among them.
    mutating func keep(_ packet: borrowing Span<UInt8>, of newHandle: UInt16, at now: Instant) -> UInt32 {
        var lost: UInt32 = 0
        if !isEmpty, handle != newHandle { lost = giveUp() }
        if isEmpty {
            // Of the same handle: the time runs from the first packet, kept or not.
            if !isLateNoted || handle != newHandle { since = now }
            handle = newHandle
            isLateNoted = false
        }
        guard !isCutOff, packets.append(packet) else {
            isCutOff = !isEmpty
            return lost + 1
        }
        count += 1
        return lost
    }

    /// The oldest packet, where it lies; it counts as served. Nil when none is left.
    mutating func next() -> UnsafeBufferPointer<UInt8>? {
        let start = position
        guard count > 0, let length = packets.storage.span.extracting(0..<packets.count).littleEndian16(at: start + 2) else { return nil }
        position = start + 4 + Int(length)
        count -= 1
        return UnsafeBufferPointer(rebasing: packets.lend()[start..<position])
    }

    /// Forgets everything; returns how many packets that were.
    mutating func giveUp() -> UInt32 {
        let lost = count
        packets.wipe()
        count = 0
        position = 0
        isCutOff = false
        isLateNoted = false
        return lost
    }
}
