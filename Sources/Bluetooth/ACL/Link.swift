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
    /// When the parameter request is due; nil when it was made or is not needed.
    var parameterRequestAt: Instant?
    var askedForParameters = false
    /// A disconnection was asked for; the deadline for its completion.
    var disconnectingUntil: Instant?
    var reassembly = Reassembly()
    var transmission = Transmission()

    init() {}

    mutating func open(handle newHandle: UInt16) {
        handle = newHandle
        isUp = true
        outstanding = 0
        parameterRequestAt = nil
        askedForParameters = false
        disconnectingUntil = nil
        reassembly.reset()
        transmission.reset()
    }

    mutating func close() {
        isUp = false
        outstanding = 0
        parameterRequestAt = nil
        disconnectingUntil = nil
        reassembly.wipe()
        transmission.wipe()
    }
}
