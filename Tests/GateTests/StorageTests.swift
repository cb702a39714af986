import Bluetooth
import Credentials
import Testing
@testable import Gate
@testable import Tuvali

@Suite struct StorageTests {
    @Test func theTableListsTheBuffersAsTheyAre() throws {
        let sizes = Dictionary(uniqueKeysWithValues: Storage.rows.map { ("\($0.name)", $0.size) })
        #expect(sizes == [
            "message": 4 << 20, "payload": 16 << 20, "inflater": 64 << 10,
            "session": MemoryLayout<Session>.size, "host": MemoryLayout<PeripheralHost>.size,
            "visitors": MemoryLayout<Visitors>.size, "frame": MemoryLayout<PacketFrame>.size,
        ])
        #expect(Storage.rows.allSatisfy { $0.size > 0 && "\($0.purpose)" != "" })
        let test = try TestGate()
        #expect(test.gate.message.count == sizes["message"])
        #expect(TransferSize.maximumCiphertext == sizes["message"])
    }

    /// Bitmap, checksum tables and buffers are inside the values; growth here is growth of the gate.
    @Test func theValuesAreNoLargerThanTheirBuffersNeed() {
        #expect(MemoryLayout<Session>.size < 10_000)
        #expect(MemoryLayout<PacketFrame>.size < 1_100)
        #expect(MemoryLayout<Visitors>.size < 1_000)
    }
}
