/// The parameters of the commands that connect, legacy (Core Vol 4 Part E 7.8.12) and extended (7.8.66).
extension Initiation {
    /// Interval and window in which the phone is listened for, in units of 0.625 ms: 60 ms both, all the time.
    private static var interval: UInt16 { 0x0060 }

    func encodeParameters(in set: CommandSet, into frame: inout PacketFrame) {
        if set == .extended {
            frame.append(0x00)  // the peer named, no accept list
            frame.append(0x01)  // own address: random
            encodePeer(into: &frame)
            frame.append(0x01)  // 1M only
            frame.append(littleEndian: Self.interval)
            frame.append(littleEndian: Self.interval)
        } else {
            frame.append(littleEndian: Self.interval)
            frame.append(littleEndian: Self.interval)
            frame.append(0x00)  // the peer named, no accept list
            encodePeer(into: &frame)
            frame.append(0x01)  // own address: random
        }
        parameters.encode(into: &frame)
    }

    private func encodePeer(into frame: inout PacketFrame) {
        frame.append(peer.isRandom ? 1 : 0)
        for index in 0..<6 { frame.append(peer.address.octet(index)) }
    }
}
