import Bluetooth
import BoardTestSupport
import Devices
import Foundation
import Linux
import Testing

@testable import Appliance

/// Command Complete for HCI_Reset.
private let event: [UInt8] = [0x04, 0x0E, 4, 1, 0x03, 0x0C, 0]

@Test func whoMayHaveTheControllerIsNamed() {
    #expect(Radio.suspects(["btmon (7)", "python3 (8)"]) == ", one of these: btmon (7), python3 (8)")
    #expect(Radio.suspects([]) == "")
}

/// Under a steady stream the loop may never see it drained: every packet that is whole shows that it goes on.
@Test func aStreamThatGoesOnIsNotStalled() throws {
    let stage = Stage()
    let listener = Listener(unix: stage.path("air"))
    let radio = Radio(try HCIMoniker("unix:" + stage.path("air")).makeLink(), loop: try EventLoop(), trace: nil) { _ in }
    defer { radio.close() }
    #expect(try radio.openIfDue(1))
    listener.meet()
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: H4Framer.capacity, alignment: 8)
    defer { room.deallocate() }
    listener.send(Array(event[..<3]))
    #expect(try radio.read(into: room) == 0)
    #expect(radio.isStalled(.max))
    listener.send(event[3...] + event + event[..<3])
    #expect(try radio.read(into: room) == event.count)
    #expect(!radio.isStalled(.max))
    #expect(try radio.read(into: room) == event.count)
    // What stops behind them is noticed all the same.
    #expect(try radio.read(into: room) == 0)
    #expect(radio.isStalled(.max))
}
