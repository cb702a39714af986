/// Fixed L2CAP channels of an LE link (Core Vol 3 Part A 2.1).
enum Channel {
    static var attribute: UInt16 { 0x0004 }
    static var signalling: UInt16 { 0x0005 }
    static var security: UInt16 { 0x0006 }
}
