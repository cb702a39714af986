/// Data that overtook the event of its link (see `EarlyData`).
extension HostCore {
    /// Data of a handle that is no link's. While a phone can connect it may be the next link's; otherwise it is nobody's.
    mutating func keepEarlyData(_ packet: borrowing Span<UInt8>, of handle: UInt16, _ now: Instant) -> HostEvent? {
        guard phase == .ready, !connection.isUp, advertiser.mayBeOn || initiation.isOnAir, handle <= 0x0EFF else {
            if connection.isUp, handle <= 0x0EFF { connection.strayHandle = handle }
            return drop(.unknownHandle)
        }
        if early.isLate(handle, at: now) {
            early.noteLate(handle, at: now)
            return drop(.unknownHandle)
        }
        if let due = early.deadline, now >= due { giveUpEarlyData() }
        counters.count(.dataUnclaimed, early.keep(packet, of: handle, at: now))
        return nil
    }

    /// Nobody claimed it.
    mutating func giveUpEarlyData() {
        counters.count(.dataUnclaimed, early.giveUp())
    }

    /// The packets held, in their order, as if they came now; stops at the first that has something to tell.
    mutating func serveEarlyData<Application: HostApplication & ~Copyable>(
        _ now: Instant, _ application: inout Application
    ) -> HostEvent? {
        guard !early.isEmpty else { return nil }
        while let packet = early.next() {
            guard connection.isUp, connection.handle == early.handle else {
                counters.count(.dataUnclaimed, 1 + early.giveUp())
                return nil
            }
            if let event = receiveData(packet.span, now, &application) { return event }
        }
        _ = early.giveUp()
        return nil
    }
}
