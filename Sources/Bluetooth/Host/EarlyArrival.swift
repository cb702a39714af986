/// Data that overtook the event of its link (see `EarlyData`).
extension PeripheralHost {
    /// Data of a handle that is no link's. While a phone can connect it may be the next link's; otherwise it is nobody's.
    mutating func keepEarlyData(_ packet: borrowing Span<UInt8>, of handle: UInt16, _ now: Instant) -> HostEvent? {
        guard phase == .ready, !link.isUp, advertising.mayBeOn, handle <= 0x0EFF else {
            if link.isUp, handle <= 0x0EFF { link.strayHandle = handle }
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
    mutating func serveEarlyData<Application: AttributeApplication & ~Copyable>(
        _ now: Instant, _ application: inout Application
    ) -> HostEvent? {
        // It moves out of the host while it is served: a packet of a link that is gone by then is not kept again.
        var held = EarlyData()
        swap(&held, &early)
        let event = serve(&held, now, &application)
        swap(&held, &early)
        return event
    }

    private mutating func serve<Application: AttributeApplication & ~Copyable>(
        _ held: inout EarlyData, _ now: Instant, _ application: inout Application
    ) -> HostEvent? {
        while let packet = held.next() {
            guard link.isUp, link.handle == held.handle else {
                counters.count(.dataUnclaimed, 1 + held.giveUp())
                return nil
            }
            if let event = receiveData(held.packets.storage.span.extracting(packet), now, &application) { return event }
        }
        _ = held.giveUp()
        return nil
    }
}
