import Testing

@testable import Bluetooth

@Suite struct UUIDTests {
    @Test func bothFormsAreEqual() {
        let short = UUID(0x180F)
        let long = UUID(high: 0x0000_180F_0000_1000, low: 0x8000_0080_5F9B_34FB)
        #expect(short == long)
        #expect(Set([short, long]).count == 1)
        #expect(long.short == 0x180F)
        #expect(short != UUID(0x1810))
        for count in [0, 1, 3, 15, 17] {
            let octets = [UInt8](repeating: 0, count: count)
            let read = UUID(octets.span)
            #expect(read == nil)
        }
    }

    @Test func whatDoesNotFitIsNotWritten() {
        var buffer = OctetBuffer<15>()
        let results = [Database.uuid(1).write(to: &buffer), buffer.isEmpty]
        #expect(results == [false, true])
    }
}

@Suite struct OctetBufferTests {
    @Test func nothingGoesPastTheLimit() {
        var buffer = OctetBuffer<4>()
        let five: [UInt8] = [1, 2, 3, 4, 5]
        let refused = [buffer.append(five.span), buffer.appendPrefix(five.span) != 4, buffer.append(9), buffer.append(littleEndian: 9)]
        #expect(refused == [false, false, false, false])
        buffer.removeAll(limit: 99)
        let taken = [buffer.appendPrefix(five.span, most: -1), buffer.appendPrefix(five.span, most: 3)]
        #expect(taken == [0, 3])
        let limited = [buffer.append(littleEndian: 9), buffer.limit == 4]
        #expect(limited == [false, true])
        buffer.removeAll(limit: -1)
        let none = [buffer.append(1), buffer.room > 0]
        #expect(none == [false, false])
    }

    @Test func octetsChangeOnlyWhereThereAreSome() {
        var buffer = OctetBuffer<4>()
        let three: [UInt8] = [1, 2, 3]
        let one: [UInt8] = [6]
        buffer.append(three.span)
        buffer.truncate(to: 9)
        buffer.truncate(to: -1)
        buffer.truncate(to: 2)
        buffer.set(7, at: 2)
        buffer.set(7, at: -1)
        buffer.set(8, at: 1)
        let written = [
            buffer.write(one.span, at: 3), buffer.write(one.span, at: -1), buffer.write(three.span, at: 2), buffer.write(one.span, at: 2),
        ]
        #expect(written == [false, false, false, true])
        let held = (0..<buffer.count).map { buffer.storage[$0] }
        #expect(held == [1, 8, 6])
    }

    @Test func readingBehindTheEndIsNothing() {
        let octets: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
        let span = octets.span
        for offset in [-1, 8, 9, Int.max, Int.min] {
            let read = [
                span.octet(at: offset).map(UInt64.init), span.littleEndian16(at: offset).map(UInt64.init), span.littleEndian64(at: offset),
            ]
            #expect(read == [nil, nil, nil])
        }
        let pair = span.littleEndian16(at: 7)
        #expect(pair == nil)
        let eight = [span.littleEndian64(at: 0), span.littleEndian64(at: 1)]
        #expect(eight == [0x0807_0605_0403_0201, nil])
        let addresses = [DeviceAddress(span, at: 2)?.value, DeviceAddress(span, at: 3)?.value, DeviceAddress(span, at: .max)?.value]
        #expect(addresses == [0x0807_0605_0403, nil, nil])
    }
}

@Suite struct InstantTests {
    @Test func instantsEndRatherThanWrap() {
        let late = Instant(nanoseconds: .max - 1)
        #expect(late.adding(milliseconds: 1).nanoseconds == .max)
        #expect(late.adding(milliseconds: .max).nanoseconds == .max)
        #expect(Instant(nanoseconds: 0).milliseconds(since: late) == 0)
        #expect(Instant.earliest(nil, late) == late)
        #expect(Instant.earliest(late, nil) == late)
        #expect(Instant.earliest(late, Instant(nanoseconds: 3)) == Instant(nanoseconds: 3))
    }
}
