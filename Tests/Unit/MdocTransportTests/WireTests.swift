import Bluetooth
import TestSupport
import Testing

@testable import MdocTransport

/// UUIDs, State, Ident and advertisement (mdoc.md sections 2 and 2.1).
@Suite struct WireTests {
    @Test func theGatesUUIDsAreThoseOfAReader() {
        let base: UInt64 = 0x896B_4C76_9733_73E6
        let uuids = [MdocCharacteristic.state, .clientToServer, .serverToClient, .ident].map(\.servedUUID)
        #expect(uuids == [5, 6, 7, 8].map { UUID(high: $0 << 32 | 0xA123_48CE, low: base) })
    }

    @Test func thePhonesUUIDsAreThoseOfAnMdoc() {
        let base: UInt64 = 0x896B_4C76_9733_73E6
        let uuids = [MdocCharacteristic.state, .clientToServer, .serverToClient].map(\.soughtUUID)
        #expect(uuids == [1, 2, 3].map { UUID(high: $0 << 32 | 0xA123_48CE, low: base) })
        #expect(MdocCharacteristic.ident.soughtUUID == nil)
    }

    @Test func aUUIDOfAnEngagementIsBigEndian() {
        let key = octets("000102030405060708090a0b0c0d0e0f")
        #expect(UUID(bigEndian: key.span) == TestLink.central)
        for count in 0..<40 where count != 16 { #expect(UUID(bigEndian: [UInt8](repeating: 1, count: count).span) == nil) }
    }

    @Test func stateIsOneOctet() {
        #expect(MdocState([1].span) == .start)
        #expect(MdocState([2].span) == .end)
        #expect(MdocState([UInt8]().span) == nil)
        #expect(MdocState([1, 0].span) == nil)
        for octet in 0...255 as ClosedRange<UInt8> where octet != 1 && octet != 2 { #expect(MdocState([octet].span) == nil) }
    }

    @Test func theAdvertisementIsFlagsAndTheUUID() {
        let announcement = ServiceAnnouncement(TestLink.central)
        let data = announcement.withOctets { octets in (0..<octets.count).map { octets[$0] } }
        #expect(data == octets("020106 1107 0f0e0d0c0b0a09080706050403020100"))
        #expect(data.count == 21)
    }

    @Test func anIdentIsEqualInEveryOctetOrNotAtAll() throws {
        let value = octets("8da0b7a85919f05673054ea996bbd124")
        let made = MdocIdent(value.span)
        let ident = try #require(made)
        #expect(MdocIdent(value.span) == ident)
        for index in 0..<16 {
            for bit in 0..<8 as Range<UInt8> {
                var other = value
                other[index] ^= 1 << bit
                #expect(MdocIdent(other.span) != ident)
            }
        }
        #expect(ident.withOctets { octets in (0..<octets.count).map { octets[$0] } } == value)
        for count in 0..<40 where count != 16 { #expect(MdocIdent([UInt8](repeating: 1, count: count).span) == nil) }
    }

    @Test(arguments: [(0, 20), (23, 20), (24, 21), (64, 61), (185, 182), (514, 511), (515, 512), (517, 512), (527, 512), (65535, 512)])
    func aValueIsAsLongAsTheLinkTakesAndNeverLonger(_ mtu: UInt16, _ longest: Int) {
        #expect(MessageSize.value(mtu: mtu) == longest)
    }

    @Test func everyDropHasANameOfItsOwn() {
        let drops = (0..<MdocDrop.count).compactMap { MdocDrop(rawValue: UInt8($0)) }
        #expect(drops.count == MdocDrop.count)
        #expect(Set(drops.map { "\($0.name)" }).count == MdocDrop.count)
        #expect(drops.allSatisfy { "\($0.name)" == "\($0)" })
    }
}
