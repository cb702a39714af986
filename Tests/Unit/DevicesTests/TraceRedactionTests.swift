import Foundation
import Testing

@testable import Devices

private let secret: [UInt8] = Array(repeating: 0xA5, count: 40)

/// An ACL packet: `boundary` 0 and 2 begin a frame, 1 goes on with it.
private func data(_ octets: [UInt8], boundary: UInt16 = 2, handle: UInt16 = 0x40) -> [UInt8] {
    let word = handle | boundary << 12
    return [0x02, UInt8(word & 0xFF), UInt8(word >> 8), UInt8(octets.count & 0xFF), UInt8(octets.count >> 8)] + octets
}

private func l2cap(_ octets: [UInt8], channel: UInt8 = 4) -> [UInt8] {
    [UInt8(octets.count & 0xFF), UInt8(octets.count >> 8), channel, 0] + octets
}

private extension TraceRedaction {
    mutating func count(_ packet: [UInt8], _ direction: BTSnoop.Direction = .received) -> Int {
        packet.withUnsafeBytes { visibleCount(of: $0, direction) }
    }

    /// Of an ATT PDU in one packet, how much stays.
    mutating func attribute(_ octets: [UInt8], _ direction: BTSnoop.Direction = .received) -> Int {
        count(data(l2cap(octets), boundary: direction == .received ? 2 : 0), direction) - 9
    }

    /// A frame cut into fragments: how much of each fragment's data stays.
    mutating func fragments(_ frame: [UInt8], of size: Int, _ direction: BTSnoop.Direction = .received, handle: UInt16 = 0x40) -> [Int] {
        stride(from: 0, to: frame.count, by: size).map { start in
            let part = Array(frame[start..<min(start + size, frame.count)])
            return count(data(part, boundary: start > 0 ? 1 : direction == .received ? 2 : 0, handle: handle), direction) - 5
        }
    }
}

@Test(
    "of a value only its handle and offset are seen",
    arguments: [
        ([0x12, 0x21, 0], 3), ([0x52, 0x21, 0], 3), ([0xD2, 0x21, 0], 3), ([0x16, 0x21, 0, 4, 0], 5), ([0x18], 2),
        ([0x06, 1, 0, 0xFF, 0xFF, 0x03, 0x2A], 7),
        // Client PDUs that carry no value, with one: and server PDUs from a client.
        ([0x02], 3), ([0x04], 5), ([0x08], 5), ([0x0A], 3), ([0x0C], 5), ([0x0E], 1), ([0x10], 5), ([0x1E], 1), ([0x20], 1),
        ([0x05], 1), ([0x07], 1), ([0x09], 1), ([0x0B], 1), ([0x11], 1), ([0x1B], 1), ([0x77], 1), ([0x00], 1),
    ] as [([UInt8], Int)])
func receivedValues(head: [UInt8], visible: Int) {
    var redaction = TraceRedaction()
    #expect(redaction.attribute(head + secret) == visible)
}

@Test(
    "of what the gate sends only handles, offsets and errors are seen",
    arguments: [
        ([0x1B, 0x21, 0], 3), ([0x1D, 0x21, 0], 3), ([0x0B], 1), ([0x0D], 1), ([0x0F], 1), ([0x21], 1), ([0x17, 0x21, 0, 4, 0], 5),
        ([0x23], 1),
        ([0x09, 20], 2), ([0x11, 20], 2), ([0x01], 5), ([0x13], 1),
    ] as [([UInt8], Int)])
func sentValues(head: [UInt8], visible: Int) {
    var redaction = TraceRedaction()
    #expect(redaction.attribute(head + secret, .sent) == visible)
}

@Test("discovery is seen whole")
func discovery() {
    var redaction = TraceRedaction()
    let whole = { (octets: [UInt8]) in octets.count }
    for (request, response) in [
        ([0x02, 0, 2], [0x03, 0, 2]), ([0x10, 1, 0, 0xFF, 0xFF, 0x00, 0x28], [0x11, 6] + secret),
        ([0x08, 1, 0, 0xFF, 0xFF, 0x03, 0x28], [0x09, 21] + secret), ([0x04, 1, 0, 0xFF, 0xFF], [0x05, 1] + secret),
        ([0x06, 1, 0, 0xFF, 0xFF, 0x00, 0x28] + secret.prefix(2), [0x07] + secret), ([0x0A, 0x20, 0], [0x01, 0x0A, 0x20, 0, 2]),
    ] as [([UInt8], [UInt8])] {
        #expect(redaction.attribute(request) == whole(request))
        #expect(redaction.attribute(response, .sent) == whole(response))
    }
}

@Test("a service's UUID of 128 bits is not seen: it may be a phone's, made for one visit")
func servicesOfPhones() {
    var redaction = TraceRedaction()
    for (request, seen, response) in [
        ([0x10, 1, 0, 0xFF, 0xFF, 0x00, 0x28], 7, [0x11, 20]), ([0x08, 1, 0, 0xFF, 0xFF, 0x00, 0x28], 7, [0x09, 18]),
        ([0x06, 1, 0, 0xFF, 0xFF, 0x00, 0x28] + secret.prefix(16), 7, [0x05, 2]),
    ] as [([UInt8], Int, [UInt8])] {
        #expect(redaction.attribute(request) == seen)
        #expect(response[0] == 0x05 || redaction.attribute(response + secret, .sent) == 2)
        _ = redaction.attribute([0x01], .sent)
    }
    let uuid = Array(secret.prefix(16)), announcement: [UInt8] = [2, 1, 6, 0x11, 0x07] + uuid + [UInt8](repeating: 0, count: 10)
    #expect(redaction.count([0x01, 0x08, 0x20, 32, 21] + announcement, .sent) == 10)
    #expect(redaction.count([0x01, 0x37, 0x20, 25, 0, 3, 1, 21] + announcement.prefix(21), .sent) == 13)
    // Anything else that is advertised is; a structure that lies about its length ends the list.
    for other in [[2, 1, 6, 5, 0x16, 1, 2, 3, 4], [200, 7], [0], []] as [[UInt8]] {
        let packet: [UInt8] = [0x01, 0x08, 0x20, UInt8(other.count + 1), UInt8(other.count)] + other
        #expect(redaction.count(packet, .sent) == (other == [200, 7] ? 7 : packet.count))
    }
}

@Test("of a phone's service nothing is seen where the gate is the client either: what it asks, and what it is answered")
func serversOfPhones() {
    var redaction = TraceRedaction()
    let uuid = Array(secret.prefix(16))
    for (request, response) in [
        ([0x02, 3, 2], [0x03, 3, 2]), ([0x06, 1, 0, 0xFF, 0xFF, 0x00, 0x28] + uuid, [0x07, 1, 0, 9, 0]),
        ([0x10, 1, 0, 0xFF, 0xFF, 0x00, 0x28], [0x11, 20, 1, 0, 9, 0] + uuid),
        ([0x08, 1, 0, 9, 0, 0x00, 0x28], [0x09, 18, 1, 0] + uuid), ([0x08, 1, 0, 9, 0, 0x03, 0x28], [0x09, 21, 2, 0, 0x10, 3, 0] + uuid),
        ([0x12, 4, 0, 1, 0], [0x13]), ([0x52, 3, 0] + uuid, [0x1B, 6, 0] + uuid),
    ] as [([UInt8], [UInt8])] {
        #expect(redaction.attribute(request, .sent) <= 1)
        #expect(redaction.attribute(response) <= 1)
    }
    // Advertising reports of either kind, and the channel's data.
    for subevent in [0x02, 0x0D] as [UInt8] {
        #expect(redaction.count([0x04, 0x3E, 29, subevent, 1, 0, 1, 1, 2, 3, 4, 5, 6, 18, 0x11, 0x07] + uuid) == 4)
    }
    for direction in [.sent, .received] as [BTSnoop.Direction] {
        #expect(redaction.count(data(l2cap(secret, channel: 0x41), boundary: direction == .sent ? 0 : 2), direction) == 9)
    }
}

@Test("a list is seen only where declarations were asked for, and nothing else with them")
func listsOfValues() {
    let declared: [UInt8] = [0x08, 1, 0, 0xFF, 0xFF, 0x03, 0x28], other: [UInt8] = [0x08, 1, 0, 0xFF, 0xFF, 0x00, 0x2A]
    let listed: [UInt8] = [0x09, 20] + secret
    for (requests, visible) in [([declared], listed.count), ([other], 2), ([], 2), ([other, declared], 2), ([declared, other], 2)] {
        var redaction = TraceRedaction()
        for request in requests { _ = redaction.attribute(request) }
        #expect(redaction.attribute(listed, .sent) == visible)
        // Answered: the next list is nobody's.
        #expect(redaction.attribute(listed, .sent) == 2)
    }
    var redaction = TraceRedaction()
    for request in [other, declared] { _ = redaction.attribute(request) }
    _ = redaction.attribute(listed, .sent)
    _ = redaction.attribute(declared)
    #expect(redaction.attribute(listed, .sent) == 2, "after two questions at a time no list is seen")
    _ = redaction.count([0x04, 0x05, 4, 0, 0x40, 0, 0x13])
    _ = redaction.attribute(declared)
    #expect(redaction.attribute(listed, .sent) == listed.count, "until the link ends")
    // By another type, of 128 bits, or with something after it.
    for request in [Array(declared.dropLast(2)) + Array(secret.prefix(16)), declared + [0]] {
        #expect(redaction.attribute(request) == 5)
        #expect(redaction.attribute(listed, .sent) == 2)
    }
}

@Test("of a value in fragments nothing is seen after the first")
func fragmentedValues() {
    var redaction = TraceRedaction()
    let frame = l2cap([0x52, 0x21, 0] + secret + secret)
    #expect(redaction.fragments(frame, of: 27) == [7, 0, 0, 0])
    #expect(redaction.fragments(frame, of: 6) == [6] + Array(repeating: 0, count: 14))
    // What is in the header of the PDU is not seen in a continuation either.
    for size in 1...3 { #expect(redaction.fragments(frame, of: size).allSatisfy { $0 == 0 }) }
    #expect(redaction.fragments(frame, of: 4).dropFirst().allSatisfy { $0 == 0 })
    #expect(redaction.fragments(l2cap([0x1D, 0x21, 0] + secret), of: 27, .sent) == [7, 0])
}

@Test("a list in fragments of 27 octets is seen whole, and what comes after it is not")
func fragmentedDiscovery() {
    var redaction = TraceRedaction()
    let list = l2cap([0x05, 1] + secret + secret)
    #expect(redaction.fragments(list, of: 27, .sent) == [27, 27, 27, 5])
    #expect(redaction.count(data(secret, boundary: 1), .sent) == 5)
    // One octet too many: all of that fragment is somebody's secret.
    #expect(redaction.count(data(Array(list.prefix(27)), boundary: 0), .sent) == 32)
    #expect(redaction.count(data(Array(list[27...]) + [0xA5], boundary: 1), .sent) == 5)
    #expect(redaction.count(data([1], boundary: 1), .sent) == 5)
    // The same fragments from the other side belong to no frame of that side.
    #expect(redaction.count(data(Array(list.prefix(27)), boundary: 0), .sent) == 32)
    #expect(redaction.count(data(Array(secret.prefix(27)), boundary: 1), .received) == 5)
    #expect(redaction.count(data(Array(list[27..<54]), boundary: 1), .sent) == 32)
    // A first fragment ends the frame before it.
    #expect(redaction.count(data(l2cap([0x1B, 1, 0] + secret), boundary: 0), .sent) == 12)
    #expect(redaction.count(data(Array(list[54...]), boundary: 1), .sent) == 5)
}

@Test("connections do not mix, and a fifth one forgets the first")
func interleavedConnections() {
    var redaction = TraceRedaction()
    let list = l2cap([0x05, 1] + secret + secret), value = l2cap([0x1B, 1, 0] + secret + secret)
    func part(_ frame: [UInt8], _ range: Range<Int>, _ handle: UInt16) -> Int {
        redaction.count(data(Array(frame[range]), boundary: range.lowerBound > 0 ? 1 : 0, handle: handle), .sent) - 5
    }
    #expect(part(list, 0..<27, 1) == 27)
    #expect(part(value, 0..<27, 2) == 7)
    #expect(part(list, 27..<54, 1) == 27)
    #expect(part(value, 27..<54, 2) == 0)
    #expect(part(list, 27..<54, 3) == 0)
    #expect(part(list, 0..<27, 4) == 27)
    #expect(part(value, 0..<27, 5) == 7)
    #expect(part(list, 54..<81, 1) == 0)
    // The handle without its flags.
    #expect(redaction.count(data(Array(list[27..<54]), boundary: 1, handle: 4), .sent) == 32)
}

@Test("what is malformed is not seen")
func malformedPackets() {
    var redaction = TraceRedaction()
    let value = data(l2cap([0x52, 0x21, 0] + secret))
    for count in 0..<value.count {
        let visible = redaction.count(Array(value.prefix(count)))
        #expect(visible == (count == 0 ? 0 : count < 5 ? 1 : 5))
        #expect(redaction.count(value + [0xA5]) == 5)
    }
    // Lengths that lie, broadcasts, a boundary flag that LE does not have.
    #expect(redaction.count(data([3, 0, 4, 0] + secret)) == 9)
    #expect(redaction.count(data(l2cap([0x05] + secret), boundary: 6), .sent) == 5)
    #expect(redaction.count(data(l2cap([0x05] + secret), boundary: 3), .sent) == 5)
    #expect(redaction.count(data(l2cap([]))) == 9)
    #expect(redaction.count(data([])) == 5)
    #expect(redaction.count(data(l2cap(secret, channel: 0x40))) == 9)
    #expect(redaction.count(data(l2cap([0x03] + secret, channel: 6))) == 10)
    #expect(redaction.count(data(l2cap([0x12, 1, 40, 0] + secret, channel: 5))) == 13)
    #expect(redaction.count(data(l2cap([0x12, 1, 8, 0, 6, 0, 12, 0, 0, 0, 200, 0], channel: 5), boundary: 0), .sent) == 21)
    #expect(redaction.count(data(l2cap([0x12, 1, 9, 0, 6, 0, 12, 0, 0, 0, 200, 0], channel: 5))) == 10)
    for type in UInt8(0)...255 where type != 2 { #expect(redaction.count([type] + secret) <= 3) }
}

@Test("commands and events of the host are seen, others are named")
func commandsAndEvents() {
    var redaction = TraceRedaction()
    #expect(redaction.count([0x01, 0x03, 0x0C, 0], .sent) == 4)
    #expect(redaction.count([0x01, 0x05, 0x20, 6, 1, 2, 3, 4, 5, 6], .sent) == 10)
    // LE Encrypt has a key in it; a vendor's command may have anything.
    #expect(redaction.count([0x01, 0x17, 0x20, 32] + secret.prefix(32), .sent) == 4)
    #expect(redaction.count([0x01, 0x4C, 0xFC, 32] + secret.prefix(32), .sent) == 4)
    #expect(redaction.count([0x01, 0x03, 0x0C, 0], .received) == 1)
    #expect(redaction.count([0x04, 0x0E, 4, 1, 0x03, 0x0C, 0]) == 7)
    #expect(redaction.count([0x04, 0x0E, 20, 1, 0x17, 0x20, 0] + secret.prefix(16)) == 6)
    #expect(redaction.count([0x04, 0x0E, 4, 1, 0x03, 0x0C, 0], .sent) == 1)
    #expect(redaction.count([0x04, 0xFF, 40] + secret) == 3)
    #expect(redaction.count([0x04, 0x3E, 41, 0x02] + secret) == 4)
    #expect(redaction.count([0x04, 0x3E, 41, 0x09] + secret) == 4)
    #expect(redaction.count([0x04, 0x3E, 11, 0x07] + secret.prefix(10)) == 14)
}

@Test("no window of a secret is seen, however the packet is made")
func anyPacket() {
    var redaction = TraceRedaction()
    var random = SystemRandomNumberGenerator()
    for _ in 0..<20_000 {
        let secret = (0..<24).map { _ in UInt8.random(in: 0...255, using: &random) }
        var packet = data(
            l2cap([UInt8.random(in: 0...255, using: &random), 0x21, 0] + secret), boundary: [0, 1, 2].randomElement(using: &random)!,
            handle: UInt16.random(in: 0...6, using: &random))
        if Bool.random(using: &random) { packet[Int.random(in: 0..<9, using: &random)] = UInt8.random(in: 0...255, using: &random) }
        // From the wallet: what is seen never reaches the eighth octet of what it wrote.
        #expect(redaction.count(packet, .received) < 12 + 8)
    }
}
