import Testing

@testable import SelfTest

/// The controller of a rehearsal hears what a broken gate says.
@Suite struct ScriptedControllerTests {
    @Test(
        "every packet cut at every length is passed over",
        arguments: [
            [1, 0x08, 0x20, 32, 31] + [UInt8](repeating: 7, count: 31), [1, 0x09, 0x20, 32, 255] + [UInt8](repeating: 7, count: 31),
            [1, 0x0A, 0x20, 1, 1],
            [1, 0x22, 0x20, 6, 0x40, 0, 251, 0, 0x48, 8], [1, 0x06, 0x04, 3, 0x40, 0, 0x13], [2, 0x40, 0, 7, 0, 3, 0, 4, 0, 0x1B, 0x23, 0],
        ] as [[UInt8]])
    func cut(_ packet: [UInt8]) {
        for count in 0...packet.count {
            var controller = ScriptedController()
            controller.receive(Array(packet[..<count]))
            #expect(controller.advertisingData.count <= 255)
        }
    }

    @Test("advertising data is as long as the host says, and no longer than what it sent")
    func advertisingData() {
        var controller = ScriptedController()
        controller.receive([1, 0x08, 0x20, 4, 3, 9, 8, 7])
        #expect(controller.advertisingData == [9, 8, 7])
        controller.receive([1, 0x08, 0x20, 2, 31, 5])
        #expect(controller.advertisingData == [5])
    }
}
