import Bluetooth

/// A link and the host that has the radio: what either tells the other.
///
/// Give every packet to the host with the link as its application (`advance` first), every event of the host to `take`, and call `pump`
/// after each of them and after `expire`, before the host is asked for packets.
extension AriesLink {
    /// Tells the link what the host told, as far as it is a link's affair.
    ///
    /// - Parameter step: by which the deadlines of a link that has come about are shortened.
    public mutating func take(_ event: HostEvent, of host: borrowing Host, shortenedBy step: UInt8 = 0, now: Instant) {
        switch event {
        case .connected: connected(intervalMicroseconds: host.connectionIntervalMicroseconds, step: step, now: now)
        // The host has dropped its link without another word.
        case .disconnected, .fault: disconnected(now: now)
        case .mtuExchanged(let mtu): mtuExchanged(mtu, now: now)
        case .confirmed: confirmed(now: now)
        // Of a phone that the gate looks for and connects to: never this wallet's.
        case .ready, .found, .scanEnded, .notConnected, .answered, .channelOpened, .channelRefused, .channelClosed: break
        }
    }

    /// Hands what the wallet is to be told to the host, as far as it takes it now, and holds back what is to wait.
    ///
    /// - Parameter value: for what is sent; nothing of it has to last.
    public mutating func pump(to host: inout Host, value: inout AttributeValue, now: Instant) {
        guard !isIdle else { return }
        subscribed(host.isSubscribed(AriesService.indicated), now: now)
        host.holdResponse(isAnswerHeld)
        while nextPush(into: &value) {
            let result = host.push(AriesService.indicated, value.storage.span.extracting(0..<value.count), now: now)
            // What the wallet does not take any more, because it has unsubscribed or is gone, is found out by its deadline.
            guard result == .indicated else { return }
            didPush(now: now)
        }
    }
}
