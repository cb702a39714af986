import Bluetooth
import Board
import Foundation

/// A folder of its own for one test, removed with the value.
final class Stage {
    let folder: String

    init() {
        var template = Array("/tmp/gatehouse.XXXXXX".utf8CString)
        folder = template.withUnsafeMutableBufferPointer { mkdtemp($0.baseAddress!) }.map { String(cString: $0) } ?? "/tmp"
    }

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
    }

    func path(_ name: String) -> String { "\(folder)/\(name)" }
}

/// Waits, at most two seconds, until `descriptor` can be read.
func awaitReadable(_ descriptor: Int32, milliseconds: Int32 = 2000) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, milliseconds) > 0
}

/// Everything that can be read now.
func drain(_ descriptor: Int32) -> [UInt8] {
    var all: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while awaitReadable(descriptor, milliseconds: 50) {
        let count = read(descriptor, &chunk, chunk.count)
        if count <= 0 { break }
        all += chunk[..<count]
    }
    return all
}

/// Command Complete for HCI_Reset, and HCI_Reset.
let event: [UInt8] = [0x04, 0x0E, 4, 1, 0x03, 0x0C, 0]
let reset: [UInt8] = [0x01, 0x03, 0x0C, 0]

/// Waits for one packet.
func receive(_ link: any HCILink) throws -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: H4Framer.capacity)
    for _ in 0..<100 {
        let count = try buffer.withUnsafeMutableBytes { try link.read(into: $0) }
        if count > 0 { return Array(buffer[..<count]) }
        _ = awaitReadable(link.descriptor, milliseconds: 100)
    }
    return []
}

func send(_ packet: [UInt8], by link: any HCILink) throws {
    try packet.withUnsafeBytes { try link.write($0) }
}
