import Bluetooth
import BoardTestSupport

@testable import Devices

/// Command Complete for HCI_Reset, and HCI_Reset.
let event: [UInt8] = [0x04, 0x0E, 4, 1, 0x03, 0x0C, 0]
let reset: [UInt8] = [0x01, 0x03, 0x0C, 0]

/// What one call reads: a packet, or nothing.
func receiveOnce(_ link: any HCILink) throws -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: H4Framer.capacity)
    let count = try buffer.withUnsafeMutableBytes { try link.read(into: $0) }
    return Array(buffer[..<count])
}

/// Waits for one packet.
func receive(_ link: any HCILink) throws -> [UInt8] {
    for _ in 0..<100 {
        let packet = try receiveOnce(link)
        if !packet.isEmpty { return packet }
        _ = awaitReadable(link.descriptor, milliseconds: 100)
    }
    return []
}

func send(_ packet: [UInt8], by link: any HCILink) throws {
    try packet.withUnsafeBytes { try link.write($0) }
}
