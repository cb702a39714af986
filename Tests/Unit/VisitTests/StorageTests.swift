import AriesTransport
import Bluetooth
import MdocTransport
import Presentation
import Testing

@testable import Tuvali
@testable import Visit

@Suite struct StorageTests {
    @Test func theTableListsTheBuffersAsTheyAre() throws {
        let sizes = Dictionary(uniqueKeysWithValues: GateStorage.rows.map { ("\($0.name)", $0.size) })
        #expect(
            sizes == [
                "message": 4 << 20, "payload": 16 << 20, "inflater": 64 << 10,
                "session": MemoryLayout<SessionStorage>.size, "host": MemoryLayout<HostStorage>.size,
                "visitors": PenaltyBox.capacity * MemoryLayout<PenaltyBox.Entry>.stride,
                "answer": MessageSize.buffer, "question": MessageSize.longestRequest, "link": MemoryLayout<MdocLinkStorage>.size,
                "codes": CodeMemory.capacity * MemoryLayout<CodeMemory.Place>.stride, "frame": MemoryLayout<PacketFrame>.size,
                "proof": PieceSize.longest, "invitation": 4096, "code texts": 4096, "aries link": MemoryLayout<AriesLinkStorage>.size,
            ])
        #expect(GateStorage.rows.allSatisfy { $0.size > 0 && "\($0.purpose)" != "" })
        let test = try TestGate()
        #expect(test.gate.storage.message.count == sizes["message"])
        #expect(TransferSize.maximumCiphertext == sizes["message"])
    }

    /// Bitmap, checksum tables and buffers are in what is lent; growth here is growth of the gate.
    @Test func theStorageIsNoLargerThanItsBuffersNeed() {
        #expect(MemoryLayout<SessionStorage>.size < 10_000)
        #expect(MemoryLayout<HostStorage>.size < 15_000)
        #expect(MemoryLayout<PacketFrame>.size < 1_100)
    }

    /// Whoever looks at a host or a session has its address in hand, not its octets.
    @Test func whatIsLentIsNotCarriedAbout() {
        #expect(MemoryLayout<Host>.size == MemoryLayout<UnsafeRawPointer>.size)
        #expect(MemoryLayout<Session>.size <= 32)
    }
}
