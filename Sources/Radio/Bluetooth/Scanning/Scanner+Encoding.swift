/// The parameters of the scanning commands, legacy (Core Vol 4 Part E 7.8.10 and 7.8.11) and extended (7.8.64 and 7.8.65).
extension Scanner {
    /// Interval and window, in units of 0.625 ms: 30 ms both. It listens all the time.
    private static var interval: UInt16 { 0x0030 }

    func encodeParameters(of command: Command, in set: CommandSet, into frame: inout PacketFrame) {
        switch command {
        case .setScanAddress: for index in 0..<6 { frame.append(address.octet(index)) }
        case .setScanParameters:
            if set == .extended {
                frame.append(0x01)  // own address: random
                frame.append(0x00)  // everybody
                frame.append(0x01)  // 1M only, which has every legacy advertisement
            }
            frame.append(isActive ? 0x01 : 0x00)
            frame.append(littleEndian: Self.interval)
            frame.append(littleEndian: Self.interval)
            guard set == .legacy else { return }
            frame.append(0x01)  // own address: random
            frame.append(0x00)  // everybody
        case .setScanEnable(let on):
            frame.append(on ? 1 : 0)
            frame.append(0x01)  // duplicates are filtered
            guard set == .extended else { return }
            // Until it is turned off: no duration, no period.
            frame.append(littleEndian: 0)
            frame.append(littleEndian: 0)
        default: break
        }
    }
}
