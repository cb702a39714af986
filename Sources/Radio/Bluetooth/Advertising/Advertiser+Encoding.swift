/// The parameters of the advertising commands, legacy (Core Vol 4 Part E 7.8.4 to 7.8.9) and extended (7.8.52 to 7.8.56).
/// On the air both are the same: ADV_IND with a scan response.
extension Advertiser {
    /// The one advertising set in use.
    static var advertisingSet: UInt8 { 0x00 }

    mutating func encodeParameters(of command: Command, in set: CommandSet, into frame: inout PacketFrame) {
        let isExtended = set == .extended
        switch command {
        case .setRandomAddress:
            if isExtended { frame.append(Self.advertisingSet) }
            for index in 0..<6 { frame.append(address.octet(index)) }
        case .setAdvertisingParameters: isExtended ? encodeExtended(into: &frame) : encodeLegacy(into: &frame)
        case .setAdvertisingData, .replaceAdvertisingData: encode(data.storage.span, data.count, set, into: &frame)
        case .setScanResponse: encode(scanResponse.storage.span, scanResponse.count, set, into: &frame)
        case .setAdvertisingEnable(let on):
            frame.append(on ? 1 : 0)
            guard isExtended else { return }
            // One set, until a link is up or it is turned off: no duration, no most events.
            frame.append(1)
            frame.append(Self.advertisingSet)
            frame.append(littleEndian: 0)
            frame.append(0)
        default: break
        }
    }

    private func encodeLegacy(into frame: inout PacketFrame) {
        frame.append(littleEndian: interval.least)
        frame.append(littleEndian: interval.most)
        frame.append(0x00)  // ADV_IND
        frame.append(0x01)  // own address: random
        frame.append(0x00)
        for _ in 0..<6 { frame.append(0) }
        frame.append(0x07)  // all three channels
        frame.append(0x00)  // no filter
    }

    private func encodeExtended(into frame: inout PacketFrame) {
        frame.append(Self.advertisingSet)
        frame.append(littleEndian: 0x0013)  // connectable, scannable, legacy PDUs: ADV_IND
        frame.append(littleEndian: interval.least)
        frame.append(0)
        frame.append(littleEndian: interval.most)
        frame.append(0)
        frame.append(0x07)  // all three channels
        frame.append(0x01)  // own address: random
        frame.append(0x00)
        for _ in 0..<6 { frame.append(0) }
        frame.append(0x00)  // no filter
        frame.append(0x7F)  // the controller chooses the power
        frame.append(0x01)  // primary PHY: 1M
        frame.append(0x00)
        frame.append(0x01)  // secondary PHY: 1M, which legacy PDUs do not use
        frame.append(0x00)
        frame.append(0x00)  // scan requests are not told
    }

    /// Legacy data always travels as a length and 31 octets, padded with zeros; extended data as long as it is, whole.
    private func encode(_ octets: borrowing Span<UInt8>, _ count: Int, _ set: CommandSet, into frame: inout PacketFrame) {
        let count = min(count, octets.count)
        if set == .extended {
            frame.append(Self.advertisingSet)
            frame.append(0x03)  // complete data
            frame.append(0x01)  // not to be fragmented
        }
        frame.append(UInt8(truncatingIfNeeded: count))
        frame.append(octets.extracting(0..<count))
        guard set == .legacy, count < 31 else { return }
        for _ in count..<31 { frame.append(0) }
    }
}
