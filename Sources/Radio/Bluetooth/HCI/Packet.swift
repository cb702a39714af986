/// H4 packet indicators (Core Vol 4 Part A section 2).
public enum PacketType {
    public static var command: UInt8 { 0x01 }
    public static var data: UInt8 { 0x02 }
    public static var event: UInt8 { 0x04 }
}

/// One HCI packet to the controller with its packet indicator first.
/// The longest is an ACL packet: 1 + 4 + 1021; a command is at most 1 + 3 + 255.
public typealias PacketFrame = OctetBuffer<1028>

/// Event codes handled (Core Vol 4 Part E section 7.7).
enum EventCode {
    static var disconnectionComplete: UInt8 { 0x05 }
    static var encryptionChange: UInt8 { 0x08 }
    static var commandComplete: UInt8 { 0x0E }
    static var commandStatus: UInt8 { 0x0F }
    static var hardwareError: UInt8 { 0x10 }
    static var numberOfCompletedPackets: UInt8 { 0x13 }
    static var dataBufferOverflow: UInt8 { 0x1A }
    static var encryptionKeyRefresh: UInt8 { 0x30 }
    static var leMeta: UInt8 { 0x3E }
}

/// Subevents of LE Meta handled (Core Vol 4 Part E section 7.7.65).
enum LEEventCode {
    static var connectionComplete: UInt8 { 0x01 }
    static var advertisingReport: UInt8 { 0x02 }
    static var connectionUpdate: UInt8 { 0x03 }
    static var longTermKeyRequest: UInt8 { 0x05 }
    static var dataLengthChange: UInt8 { 0x07 }
    static var enhancedConnectionComplete: UInt8 { 0x0A }
    static var phyUpdate: UInt8 { 0x0C }
    static var extendedAdvertisingReport: UInt8 { 0x0D }
    static var advertisingSetTerminated: UInt8 { 0x12 }
    static var channelSelection: UInt8 { 0x14 }
}
