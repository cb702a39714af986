import Bluetooth
import BoardTestSupport
import Foundation
import Testing

@testable import Devices

@Test func unixLinkCarriesPacketsHoweverTheyAreCut() throws {
    let stage = Stage()
    let listener = Listener(unix: stage.path("air"))
    let link = try HCIMoniker("unix:" + stage.path("air")).makeLink()
    try link.open()
    defer { link.close() }
    listener.meet()
    // Two and a half packets in one piece, then the rest.
    listener.send(event + event + Array(event[..<4]))
    #expect(try receive(link) == event)
    #expect(link.hasUnread)
    #expect(try receive(link) == event)
    listener.send(Array(event[4...]))
    #expect(try receive(link) == event)
    #expect(!link.hasUnread)
    try send(reset, by: link)
    #expect(!link.hasUnsent)
    #expect(drain(listener.peer) == reset)
}

@Test func aLinkSaysWhetherItsLastReadTookAllThereWas() throws {
    let stage = Stage()
    let listener = Listener(unix: stage.path("air"))
    let link = try HCIMoniker("unix:" + stage.path("air")).makeLink()
    try link.open()
    defer { link.close() }
    #expect(link.mayHaveMore, "nothing was read yet")
    listener.meet()
    listener.send(event + event)
    #expect(try receive(link) == event && link.mayHaveMore)
    #expect(try receive(link) == event && !link.mayHaveMore)
    // What comes now is read all the same.
    listener.send(event)
    #expect(awaitReadable(link.descriptor, milliseconds: 1000))
    #expect(try receiveOnce(link) == event)
    // More than one read has room for: there may be more, until a read says otherwise.
    let packet: [UInt8] = [0x02, 1, 0, 0xFB, 3] + [UInt8](repeating: 7, count: 1019)
    for _ in 0..<5 { listener.send(packet) }
    for _ in 0..<4 { #expect(try receive(link) == packet && link.mayHaveMore) }
    #expect(try receive(link) == packet && !link.mayHaveMore)
    listener.hangUp()
    try link.open()
    #expect(link.mayHaveMore, "opened anew")
}

@Test func tcpLinkSurvivesOctetByOctet() throws {
    let listener = Listener()
    let link = try HCIMoniker("tcp:127.0.0.1:\(listener.port)").makeLink()
    try link.open()
    defer { link.close() }
    listener.meet()
    for octet in event + event { listener.send([octet]) }
    #expect(try receive(link) == event)
    #expect(try receive(link) == event)
    try send(reset, by: link)
    #expect(drain(listener.peer) == reset)
}

@Test func aFloodIsWrittenInPartsAndNothingIsLost() throws {
    let stage = Stage()
    let listener = Listener(unix: stage.path("air"))
    let link = try HCIMoniker("unix:" + stage.path("air")).makeLink()
    try link.open()
    listener.meet()
    let packet: [UInt8] = [0x02, 1, 0, 0xFB, 3] + (0..<1019).map { UInt8(truncatingIfNeeded: $0) }
    var sent = 0
    while !link.hasUnsent && sent < 10_000 {
        try send(packet, by: link)
        sent += 1
    }
    // The peer does not read: the socket is full and one packet is kept.
    #expect(link.hasUnsent)
    #expect(throws: LinkError.writePending) { try send(packet, by: link) }
    var received: [UInt8] = []
    for _ in 0..<10_000 where link.hasUnsent {
        received += drain(listener.peer)
        try link.flush()
    }
    received += drain(listener.peer)
    #expect(received.count == sent * packet.count)
    #expect(Array(received.suffix(packet.count)) == packet)
}

@Test func lostFramingClosesTheLinkAndOpeningStartsOver() throws {
    let stage = Stage()
    let listener = Listener(unix: stage.path("air"))
    let link = try HCIMoniker("unix:" + stage.path("air")).makeLink()
    try link.open()
    listener.meet()
    listener.send(event + [0x77, 1, 2, 3])
    #expect(try receive(link) == event)
    #expect(throws: LinkError.lostFraming(.unknownType)) { try receive(link) }
    #expect(link.descriptor == -1)
    #expect(throws: LinkError.notOpen) { try receive(link) }
    listener.hangUp()
    try link.open()
    listener.meet()
    listener.send(event)
    #expect(try receive(link) == event)
    listener.send(Array(event[..<3]))
    listener.hangUp()
    #expect(throws: LinkError.lostFraming(.endedInsidePacket)) { try receive(link) }
    try link.open()
    listener.meet()
    listener.hangUp()
    #expect(throws: LinkError.ended) { try receive(link) }
}

@Test func aPacketThatStopsIsOverdueTwoSecondsAfterItsLastOctet() throws {
    let stage = Stage()
    let listener = Listener(unix: stage.path("air"))
    let link = try HCIMoniker("unix:" + stage.path("air")).makeLink()
    try link.open()
    listener.meet()
    let second: UInt64 = 1_000_000_000
    var watch = StallWatch()
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: H4Framer.capacity, alignment: 8)
    defer { room.deallocate() }
    listener.send(event)
    #expect(try receive(link) == event)
    watch.drained(link.octetsInsidePacket, 0)
    #expect(watch.deadline == nil)
    // Its length says more than there is.
    listener.send([0x04, 0x05, 0x84, 0, 0x40, 0, 0x13])
    #expect(awaitReadable(link.descriptor, milliseconds: 1000))
    #expect(try link.read(into: room) == 0)
    watch.drained(link.octetsInsidePacket, 5 * second)
    #expect(watch.deadline == 7 * second)
    // Looking again without anything new changes nothing; one more octet does.
    watch.drained(link.octetsInsidePacket, 6 * second)
    #expect(watch.deadline == 7 * second)
    listener.send([0])
    #expect(awaitReadable(link.descriptor, milliseconds: 1000))
    #expect(try link.read(into: room) == 0)
    watch.drained(link.octetsInsidePacket, 6 * second)
    #expect(!watch.isStalled(8 * second - 1))
    #expect(watch.isStalled(8 * second))
    // The rest of it, however late.
    listener.send([UInt8](repeating: 0, count: 0x84 - 5))
    #expect(awaitReadable(link.descriptor, milliseconds: 1000))
    #expect(try link.read(into: room) == 0x84 + 3)
    watch.drained(link.octetsInsidePacket, 9 * second)
    #expect(watch.deadline == nil)
    #expect(!watch.isStalled(.max))
    // A packet that is stepped over is a packet too.
    listener.send([0x03, 1, 0, 9, 1])
    #expect(awaitReadable(link.descriptor, milliseconds: 1000))
    #expect(try link.read(into: room) == 0)
    #expect(link.octetsInsidePacket != nil)
    link.close()
    #expect(link.octetsInsidePacket == nil)
}

@Test func aPeerThatIsGoneIsAnErrorOfWriting() throws {
    let stage = Stage()
    let listener = Listener(unix: stage.path("air"))
    let link = try HCIMoniker("unix:" + stage.path("air")).makeLink()
    try link.open()
    listener.meet()
    listener.hangUp()
    #expect(throws: LinkError.ended) { try send(reset, by: link) }
    #expect(link.descriptor == -1)
}

@Test func packetsNoHostSendsAreRefusedAndTheLinkStays() throws {
    let stage = Stage()
    let listener = Listener(unix: stage.path("air"))
    let link = try HCIMoniker("unix:" + stage.path("air")).makeLink()
    try link.open()
    listener.meet()
    for packet in [[], [1], [1, 3, 0x0C], event, [UInt8](repeating: 2, count: H4Framer.capacity + 1)] {
        #expect(throws: LinkError.badPacket) { try send(packet, by: link) }
    }
    try send(reset, by: link)
    #expect(drain(listener.peer) == reset)
}

@Test func whatCannotBeOpenedSaysWhy() throws {
    let stage = Stage()
    let listener = Listener()
    let port = listener.port
    listener.stop()
    _ = FileManager.default.createFile(atPath: stage.path("file"), contents: nil)
    let cases: [(String, LinkError)] = [
        ("unix:/nowhere/air", .notFound), ("unix:/" + String(repeating: "x", count: 200), .badAddress),
        ("tcp:127.0.0.1:\(port)", .refused), ("tcp:localhost:1", .badAddress), ("serial:/dev/nowhere", .notFound),
        ("serial:" + stage.path("file"), .badAddress), ("unix:" + stage.path("file"), .refused),
    ]
    for (text, error) in cases {
        let link = try HCIMoniker(text).makeLink()
        #expect(throws: error, "\(text)") { try link.open() }
        #expect(link.descriptor == -1)
    }
}

@Test(arguments: [115_200, 921_600, 3_000_000, 4_000_000] as [UInt32])
func serialLinkOnAPseudoTerminal(baud: UInt32) throws {
    var far: Int32 = -1
    var near: Int32 = -1
    try #require(openpty(&far, &near, nil, nil, nil) == 0)
    defer { close(far) }
    let path = String(cString: ttyname(near))
    let link = try HCIMoniker("serial:\(path),\(baud)").makeLink()
    try link.open()
    close(near)
    var settings = termios()
    tcgetattr(link.descriptor, &settings)
    #expect(cfgetospeed(&settings) == SerialPort.speed(baud))
    #expect(settings.c_cflag & 0o20000000000 != 0, "RTS/CTS")
    // Every octet value passes both ways: a terminal that is not raw would eat or double some.
    let all = [0x04, 0xFF, 255] + (1...255).map { UInt8($0) }
    _ = write(far, all, all.count)
    #expect(try receive(link) == all)
    let command: [UInt8] = [0x01, 0x0A, 0x0D, 5, 3, 4, 17, 19, 10]
    try send(command, by: link)
    #expect(drain(far) == command)
    // A second program is refused while the link has the port (TIOCEXCL), unless it is root.
    if getuid() != 0 {
        let second = try HCIMoniker("serial:\(path),\(baud)").makeLink()
        #expect(throws: LinkError.controllerTaken) { try second.open() }
    }
    link.close()
}

@Test func aSerialPortThatVanishesIsUnplugged() throws {
    var far: Int32 = -1
    var near: Int32 = -1
    try #require(openpty(&far, &near, nil, nil, nil) == 0)
    let path = String(cString: ttyname(near))
    let link = try HCIMoniker("serial:\(path)").makeLink()
    try link.open()
    close(near)
    close(far)
    #expect(throws: LinkError.unplugged) { try receive(link) }
    #expect(link.descriptor == -1)
}
