/// The one connection there is at a time, in either role: what the controller told of it, what was agreed, and its two directions.
struct Connection: ~Copyable {
    var handle: UInt16 = 0
    var isUp = false
    var role = Role.peripheral
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
    /// The identifier of the next signalling request; it goes on from link to link.
    var nextIdentifier: UInt8 = 1
    /// What the parameters are to be, once the controller has them: a central's.
    var wish = ConnectionParameters.session
    /// The controller was asked to change the parameters, and has not said that they are.
    var isUpdating = false
    /// When an indication has to be confirmed.
    var confirmationDeadline: Instant?
    /// A disconnection was asked for; the deadline for its completion.
    var disconnectingUntil: Instant?
    /// The link ends as soon as all has left, and then in any case.
    var drainUntil: Instant?
    var reassembly = Reassembly()
    var transmission = Transmission()

    /// For a disconnection to complete, unless the link is owed more; see `Host.owePatience`.
    static var disconnectionMilliseconds: UInt64 { 5000 }
    /// The most that any link is given for it: three events of the slowest.
    static var longestDisconnectionMilliseconds: UInt64 { 12_000 }
    /// Core Vol 3 Part F 3.3.3.
    static var confirmationMilliseconds: UInt64 { 30_000 }
    static var parameterRequestMilliseconds: UInt64 { 1000 }
    /// A link on which nothing happens is asked after so often.
    static var silenceMilliseconds: UInt64 { 3000 }

    init() {}

    /// How long the link may take to end, in milliseconds: the other side hears of it and answers at connection events, which are 4 s apart
    /// at the most (Core Vol 6 Part B 4.5.1); where it does not answer, the link ends by the supervision time-out (5.1.6), and the
    /// controller has half a second to tell. A phone that took the parameters it was asked for has 6 s of that.
    var endMilliseconds: UInt64 {
        guard isOwedPatience else { return Self.disconnectionMilliseconds }
        let events = (3 * UInt64(interval) * 5 + 3) / 4
        let silence = UInt64(supervision) * 10 + 500
        return min(max(Self.disconnectionMilliseconds, max(events, silence)), Self.longestDisconnectionMilliseconds)
    }

    mutating func open(handle newHandle: UInt16, as newRole: Role, at now: Instant) {
        handle = newHandle
        role = newRole
        isUpdating = false
        heardAt = now
        strayHandle = nil
        isUp = true
        outstanding = 0
        hasSpoken = false
        isTransferring = false
        isOwedPatience = false
        parameterRequestAt = nil
        wantsParameters = false
        confirmationDeadline = nil
        disconnectingUntil = nil
        drainUntil = nil
        reassembly.reset()
        transmission.reset()
    }

    mutating func close() {
        isUp = false
        outstanding = 0
        parameterRequestAt = nil
        wantsParameters = false
        confirmationDeadline = nil
        disconnectingUntil = nil
        drainUntil = nil
        reassembly.wipe()
        transmission.wipe()
    }

    // MARK: parameters (Core Vol 3 Part A 4.20)

    /// Judges the link's parameters where a phone is the central, at once or after a pause in which the central may change them again.
    mutating func judgeParameters(after milliseconds: UInt64, _ now: Instant) {
        parameterRequestAt = nil
        wantsParameters = false
        guard isUp, role == .peripheral, ConnectionParameters.transfer.improves(interval: interval, latency: latency) else { return }
        if milliseconds > 0 {
            parameterRequestAt = now.adding(milliseconds: milliseconds)
        } else {
            wantsParameters = true
        }
    }

    /// The identifier for a signalling request; 0 is none.
    mutating func takeIdentifier() -> UInt8 {
        defer { nextIdentifier = nextIdentifier == .max ? 1 : nextIdentifier + 1 }
        return nextIdentifier
    }
}
