/// The one connection a peripheral serves at a time.
struct Link: ~Copyable {
    var handle: UInt16 = 0
    var isUp = false
    var peer = DeviceAddress()
    /// The peer's address type: 0 public, 1 random (resolved ones as 2 and 3).
    var peerAddressType: UInt8 = 0
    /// Connection interval in units of 1.25 ms.
    var interval: UInt16 = 0
    var latency: UInt16 = 0
    /// Supervision timeout in units of 10 ms.
    var supervision: UInt16 = 0
    /// ACL packets handed to the controller and not yet reported complete.
    var outstanding = 0
    /// When the link was last known to be there.
    var heardAt = Instant(nanoseconds: 0)
    /// Data came for another handle, of a link that the controller did not tell of.
    var strayHandle: UInt16?
    /// The client has sent an ATT PDU.
    var hasSpoken = false
    /// The application said that a transfer goes on.
    var isTransferring = false
    /// The application said that the link's end may take what it takes.
    var isOwedPatience = false
    /// When the link's parameters are judged; nil where they are good or were asked for.
    var parameterRequestAt: Instant?
    /// A parameter request waits for the signalling lane.
    var wantsParameters = false
    /// A disconnection was asked for; the deadline for its completion.
    var disconnectingUntil: Instant?
    var reassembly = Reassembly()
    var transmission = Transmission()

    init() {}

    /// How long the link may take to end, in milliseconds: the other side hears of it and answers at connection events, which are 4 s apart at
    /// the most (Core Vol 6 Part B 4.5.1); where it does not answer, the link ends by the supervision time-out (5.1.6), and the controller
    /// has half a second to tell. A phone that took the parameters it was asked for has 6 s of that.
    var endMilliseconds: UInt64 {
        let events = (3 * UInt64(interval) * 5 + 3) / 4
        let silence = UInt64(supervision) * 10 + 500
        return min(max(PeripheralHost.disconnectionMilliseconds, max(events, silence)), PeripheralHost.longestDisconnectionMilliseconds)
    }

    mutating func open(handle newHandle: UInt16, at now: Instant) {
        handle = newHandle
        heardAt = now
        strayHandle = nil
        isUp = true
        outstanding = 0
        hasSpoken = false
        isTransferring = false
        isOwedPatience = false
        parameterRequestAt = nil
        wantsParameters = false
        disconnectingUntil = nil
        reassembly.reset()
        transmission.reset()
    }

    mutating func close() {
        isUp = false
        outstanding = 0
        parameterRequestAt = nil
        wantsParameters = false
        disconnectingUntil = nil
        reassembly.wipe()
        transmission.wipe()
    }
}
