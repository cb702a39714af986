/// What a link's connection events are, or are wished to be.
struct ConnectionParameters: Equatable {
    /// Units of 1.25 ms.
    var minimumInterval: UInt16
    var maximumInterval: UInt16
    /// Connection events.
    var latency: UInt16
    /// Units of 10 ms.
    var supervision: UInt16

    /// What a peripheral asks of a central, by Apple's rules: interval a multiple of 15 ms and at least that, maximum 15 ms above the
    /// minimum, latency at most 30, supervision 6 to 18 s. 15 to 30 ms, no latency, 6 s: iOS and Android both accept it.
    static var transfer: ConnectionParameters {
        ConnectionParameters(minimumInterval: 12, maximumInterval: 24, latency: 0, supervision: 600)
    }

    /// What a central connects with: 15 ms, an iPhone's least, and no latency; a phone that walks off is known in 4 s.
    static var session: ConnectionParameters {
        ConnectionParameters(minimumInterval: 12, maximumInterval: 12, latency: 0, supervision: 400)
    }

    /// The same where a controller refuses it: 30 to 50 ms, which every one takes.
    static var cautious: ConnectionParameters {
        ConnectionParameters(minimumInterval: 24, maximumInterval: 40, latency: 0, supervision: 400)
    }

    /// Whether a link with these values moves data slower than `transfer` would, so that asking is worth a round trip.
    func improves(interval: UInt16, latency current: UInt16) -> Bool { interval > maximumInterval || current > latency }

    /// Whether the values are possible, by themselves and together (Core Vol 3 Part A 4.20): no link is lost between two events.
    var isValid: Bool {
        guard (6...3200).contains(minimumInterval), (minimumInterval...3200).contains(maximumInterval), latency <= 499,
            (10...3200).contains(supervision)
        else { return false }
        // Supervision has to exceed (1 + latency) * interval * 2: 10 ms against 2.5 ms.
        return 4 * UInt32(supervision) > (1 + UInt32(latency)) * UInt32(maximumInterval)
    }

    /// Interval, latency, supervision and the length of a connection event as HCI has them. No length is said: some controllers take the
    /// most of it for a cap.
    func encode(into frame: inout PacketFrame) {
        frame.append(littleEndian: minimumInterval)
        frame.append(littleEndian: maximumInterval)
        frame.append(littleEndian: latency)
        frame.append(littleEndian: supervision)
        frame.append(littleEndian: 0)
        frame.append(littleEndian: 0)
    }
}
