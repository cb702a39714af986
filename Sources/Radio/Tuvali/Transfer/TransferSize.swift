/// Sizes that follow from the ATT MTU (tuvali.md section 4).
public enum TransferSize {
    /// The most octets in one value: `min(MTU, 512) - 3`.
    public static func maxData(mtu: UInt16) -> Int { Int(min(mtu, 512)) - 3 }
    /// Sequence number and checksum before each chunk's payload.
    public static var chunkHeader: Int { 4 }
    /// The least `maxData` a verifier serves (ATT MTU 67).
    public static var minimumMaxData: Int { 64 }
    /// Sequence numbers in one report.
    public static func pageSize(maxData: Int) -> Int { (maxData - 3) / 2 }
    /// The reference reads the sequence number as signed.
    public static var maximumChunks: Int { 32767 }
    /// The ciphertext limit and the size of the assembler's buffer: 4 MiB.
    public static var maximumCiphertext: Int { 4 << 20 }
}
