import Bluetooth
import Cryptography
import Testing

@testable import Presentation

@Suite struct PrivateAddressTests {
    /// Core Vol 3 Part H appendix D.7.
    @Test("the hash of the specification's sample")
    func sample() throws {
        var addresses = try PrivateAddresses()
        let key: BlockCipher.Block = [0xEC, 0x02, 0x34, 0xA3, 0x57, 0xC8, 0xAD, 0x05, 0x34, 0x10, 0x10, 0xA6, 0x0A, 0x39, 0x7D, 0x9B]
        for _ in 0..<2 { #expect(try addresses.hash(of: 0x70_8194, key: key) == 0x0D_FBAA) }
        // Another key or prand has another hash.
        #expect(try addresses.hash(of: 0x70_8195, key: key) != 0x0D_FBAA)
        var other = key
        other[15] ^= 1
        #expect(try addresses.hash(of: 0x70_8194, key: other) != 0x0D_FBAA)
    }

    @Test("every address is resolvable, none is another's, and the halves are not tied to one another by a key that stays")
    func fresh() throws {
        var addresses = try PrivateAddresses()
        var seen: Set<DeviceAddress> = []
        for _ in 0..<1000 {
            let address = try #require(try addresses.next())
            #expect(address.octet(5) & 0xC0 == 0x40)
            seen.insert(address)
        }
        #expect(seen.count == 1000)
    }
}
