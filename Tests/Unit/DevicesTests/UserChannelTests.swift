import Bluetooth
import BoardTestSupport
import Foundation
import Testing

@testable import Devices

/// On a machine whose kernel has Bluetooth, controller 65000 is absent; elsewhere the kernel itself is the reason.
@Test func aControllerThatCannotBe() throws {
    let link = try HCIMoniker("hci:65000").makeLink()
    let watch = ControllerWatch()
    let probe = socket(31, Int32(SOCK_RAW.rawValue), 1)
    if probe < 0 {
        #expect(throws: LinkError.noBluetoothInKernel) { try link.open() }
        #expect(throws: LinkError.noBluetoothInKernel) { try watch.open() }
        #expect(LinkError.noBluetoothInKernel.remedy == .tellOperator)
    } else {
        close(probe)
        #expect(throws: LinkError.noSuchController) { try link.open() }
        try watch.open()
        #expect(try watch.next() == nil)
    }
    #expect(link.descriptor == -1)
}

@Test func controllerNewsOctets() {
    func news(_ octets: [UInt8], count: Int? = nil) -> ControllerNews? {
        var buffer = InlineArray<64, UInt8>(repeating: 0)
        for (index, octet) in octets.enumerated() { buffer[index] = octet }
        return ControllerWatch.news(buffer, count: count ?? octets.count)
    }
    #expect(news([4, 0, 1, 0, 0, 0]) == .added(index: 1))
    #expect(news([5, 0, 0x34, 0x12, 0, 0]) == .removed(index: 0x1234))
    #expect(news([0x1D, 0, 0, 0, 0, 0]) == .addedUnconfigured(index: 0))
    #expect(news([4, 0, 1, 0, 0]) == nil)
    #expect(news([6, 0, 1, 0, 0, 0]) == nil)
    #expect(news([]) == nil)
}

@Test func backOffDoublesAndEnds() {
    var pauses = BackOff()
    #expect((0..<7).map { _ in pauses.next() / 1_000_000 } == [250, 500, 1000, 2000, 4000, 8000, 8000])
    pauses.reset()
    #expect(pauses.next() == 250_000_000)
}

@Test func holdersOfSocketsAreNamed() throws {
    let table = """
        sk               RefCnt Rmem   Wmem   User   Inode  Parent
        0000000000000000 2      0      0      0      18231  0
        0000000000000000 2      0      0      0      0      0
        broken
        """
    #expect(ControllerUsers.inodes(in: table) == ["18231"])
    #expect(ControllerUsers.inodes(in: "") == [])
    // A socket of our own stands for somebody else's.
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var facts = stat()
    fstat(descriptor, &facts)
    let holders = ControllerUsers.processes(holding: ["\(facts.st_ino)"], except: 0)
    #expect(holders.count == 1 && holders[0].hasSuffix("(\(getpid()))"))
    #expect(ControllerUsers.processes(holding: ["\(facts.st_ino)"]) == [])
}

/// A pair of sockets that keep packets whole, as the user channel does.
private func packetPair() throws -> (UserChannel, Int32) {
    var ends: [Int32] = [0, 0]
    try #require(socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_NONBLOCK.rawValue), 0, &ends) == 0)
    return (UserChannel(index: 0, adopting: ends[0]), ends[1])
}

@Test func userChannelReadsOnePacketAtATime() throws {
    let (channel, kernel) = try packetPair()
    var buffer = [UInt8](repeating: 0, count: H4Framer.capacity)
    #expect(try buffer.withUnsafeMutableBytes { try channel.read(into: $0) } == 0)
    _ = write(kernel, event, event.count)
    _ = write(kernel, event, event.count - 1)
    #expect(try receive(channel) == event)
    #expect(try receive(channel) == Array(event.dropLast()))
    try send(reset, by: channel)
    #expect(drain(kernel) == reset)
    close(kernel)
    #expect(throws: LinkError.unplugged) { try receive(channel) }
    #expect(channel.descriptor == -1)
    #expect(channel.remedy(for: .unplugged) == .waitForController)
}

@Test func aPacketLargerThanTheBufferIsNoticed() throws {
    let (channel, kernel) = try packetPair()
    defer { close(kernel) }
    _ = write(kernel, event, event.count)
    var small = [UInt8](repeating: 0, count: event.count - 1)
    #expect(throws: LinkError.truncatedPacket) { try small.withUnsafeMutableBytes { try channel.read(into: $0) } }
    #expect(channel.descriptor == -1)
}

@Test func userChannelKeepsThePacketTheKernelHasNoRoomFor() throws {
    let (channel, kernel) = try packetPair()
    let packet: [UInt8] = [0x02, 1, 0, 0xFB, 3] + [UInt8](repeating: 5, count: 1019)
    var sent = 0
    while !channel.hasUnsent && sent < 10_000 {
        try send(packet, by: channel)
        sent += 1
    }
    #expect(channel.hasUnsent)
    #expect(throws: LinkError.writePending) { try send(reset, by: channel) }
    var received = 0
    var buffer = [UInt8](repeating: 0, count: 2048)
    while true {
        let count = read(kernel, &buffer, buffer.count)
        if count > 0 {
            #expect(count == packet.count)
            received += 1
        } else if channel.hasUnsent {
            try channel.flush()
        } else {
            break
        }
    }
    #expect(received == sent)
    // The socket refuses more than HCI_MAX_FRAME_SIZE, so it is not asked.
    #expect(throws: LinkError.badPacket) { try send([UInt8](repeating: 2, count: 1029), by: channel) }
    close(kernel)
    #expect(throws: LinkError.unplugged) { try send(reset, by: channel) }
}
