import SelfTest
import Tuvali

/// Accepting chunks against the floor: a byte-wise table CRC of the same octets, and a copy of them.
func benchChunks() {
    let size = 1 << 20
    let message = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ $0 >> 8) }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 64)
    defer { buffer.deallocate() }
    for mtu in [185, 512] as [UInt16] {
        let maxData = Int(min(mtu, 512)) - 3
        let chunks = ScriptedWallet(mtu: mtu).chunks(message)
        let flat = chunks.flatMap { $0 }
        var assembler = ChunkAssembler(buffer: buffer)
        let table = byteTable()
        let (ours, floor) = medians(rounds: 41) {
            guard assembler.begin(size: UInt32(size), maxData: maxData) else { return }
            flat.withUnsafeBufferPointer { octets in
                var start = 0
                for chunk in chunks {
                    keep(assembler.accept(UnsafeBufferPointer(rebasing: octets[start..<start + chunk.count]).span))
                    start += chunk.count
                }
            }
            precondition(assembler.isComplete)
        } _: {
            var offset = 0
            flat.withUnsafeBytes { octets in
                var start = 0
                for chunk in chunks {
                    let payload = UnsafeRawBufferPointer(rebasing: octets[start + 4..<start + chunk.count])
                    var crc: UInt16 = 0
                    for octet in payload { crc = crc >> 8 ^ table[Int(UInt8(truncatingIfNeeded: crc) ^ octet)] }
                    keep(crc)
                    UnsafeMutableRawBufferPointer(rebasing: buffer[offset..<offset + payload.count]).copyMemory(from: payload)
                    offset += payload.count
                    start += chunk.count
                }
            }
        }
        print(
            "chunk acceptance, MTU \(mtu): \(text(ours / Double(chunks.count), 0)) ns a chunk, \(text(ours / floor)) times the floor (byte-table CRC + memcpy); goal 1.5"
        )
    }
}

private func byteTable() -> [UInt16] {
    (0..<256).map { octet in (0..<8).reduce(UInt16(octet)) { crc, _ in crc & 1 != 0 ? crc >> 1 ^ 0x8408 : crc >> 1 } }
}
