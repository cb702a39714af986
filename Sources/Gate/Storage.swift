import Bluetooth
import Credentials
import Tuvali

/// Every fixed buffer of the visit path and its size, all of it there before the first wallet comes.
public enum Storage {
    public struct Row: Sendable {
        public var name: StaticString
        /// Octets.
        public var size: Int
        public var purpose: StaticString
    }

    public static var rows: [Row] {
        [
            Row(name: "message", size: TransferSize.maximumCiphertext, purpose: "ciphertext put together from chunks, decrypted in place"),
            Row(name: "payload", size: MessageOpener.payloadCap, purpose: "the message inflated; pages are touched as needed"),
            Row(name: "inflater", size: MessageOpener.workspaceSize, purpose: "all that zlib works in"),
            Row(name: "session", size: MemoryLayout<Session>.size, purpose: "chunk bitmap, checksum tables, report"),
            Row(name: "host", size: MemoryLayout<PeripheralHost>.size, purpose: "attribute table, reassembly and response frames, queues"),
            Row(name: "visitors", size: MemoryLayout<Visitors>.size, purpose: "addresses of those who were there in vain, for minutes"),
            Row(name: "frame", size: MemoryLayout<PacketFrame>.size, purpose: "the packet on its way to the controller"),
        ]
    }
}
