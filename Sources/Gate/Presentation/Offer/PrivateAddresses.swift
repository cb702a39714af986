import Bluetooth
import Cryptography

/// A fresh radio address for each visit. One that changes is a resolvable private address: a static one must stay until a
/// power cycle (Core Vol 6 Part B 1.3.2.1), and an advertiser that can be connected to and changes its address uses these
/// (Core Vol 3 Part C 10.7.1).
///
/// The identity resolving key is made for one address and thrown away: nobody resolves it, nobody is bonded, and no two
/// visits can be put together.
struct PrivateAddresses: ~Copyable {
    private var cipher: BlockCipher

    init() throws(CryptographyError) { cipher = try BlockCipher() }

    /// The next address; nil where chance gave forbidden bits over and over.
    mutating func next() throws(CryptographyError) -> DeviceAddress? {
        for _ in 0..<4 {
            let random: InlineArray<4, UInt8> = try Random.array()
            let bits = UInt32(random[0]) << 16 | UInt32(random[1]) << 8 | UInt32(random[2])
            guard let prand = DeviceAddress.prand(of: bits) else { continue }
            return DeviceAddress(prand: prand, hash: try hash(of: prand, key: try Random.array()))
        }
        return nil
    }

    /// The random address hash *ah*: *e* of the key and `prand`, padded with zeros before it, modulo 2^24
    /// (Core Vol 3 Part H 2.2.2).
    mutating func hash(of prand: UInt32, key: BlockCipher.Block) throws(CryptographyError) -> UInt32 {
        var block = BlockCipher.Block(repeating: 0)
        for index in 0..<3 { block[13 + index] = UInt8(truncatingIfNeeded: prand >> UInt32(16 - 8 * index)) }
        let code = try cipher.encrypt(block, key: key)
        return UInt32(code[13]) << 16 | UInt32(code[14]) << 8 | UInt32(code[15])
    }
}
