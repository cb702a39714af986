import Bluetooth
import Foundation
import Testing

@testable import Board

private let event: [UInt8] = [0x04, 0x0E, 4, 1, 0x03, 0x0C, 0]
private let reset: [UInt8] = [0x01, 0x03, 0x0C, 0]

/// A listening socket, and the peer it accepts.
private final class Listener {
    private var listening: Int32
    private(set) var peer: Int32 = -1
    private(set) var port: UInt16 = 0

    init(unix path: String) {
        listening = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = bind(listening, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
        }
        listen(listening, 1)
    }

    init() {
        listening = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = bind(listening, $0, length)
                _ = getsockname(listening, $0, &length)
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        listen(listening, 1)
    }

    func meet() { peer = accept(listening, nil, nil) }
    func send(_ octets: [UInt8]) { _ = write(peer, octets, octets.count) }
    func stop() { if listening >= 0 { close(listening); listening = -1 } }
    func hangUp() { if peer >= 0 { close(peer); peer = -1 } }

    deinit {
        hangUp()
        stop()
    }
}

/// Waits for one packet.
private func receive(_ link: any HCILink) throws -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: H4Framer.capacity)
    for _ in 0..<100 {
        let count = try buffer.withUnsafeMutableBytes { try link.read(into: $0) }
        if count > 0 { return Array(buffer[..<count]) }
        _ = awaitReadable(link.descriptor, milliseconds: 100)
    }
    return []
}

private func send(_ packet: [UInt8], by link: any HCILink) throws {
    try packet.withUnsafeBytes { try link.write($0) }
}

@Test func unixLinkCarriesPacketsHoweverTheyAreCut() throws {
    let stage = Stage()
    let listener = Listener(unix: stage.path("air"))
    let link = try HCIMoniker("unix:" + stage.path("air")).makeLink()
    try link.open()
    defer { link.close() }
    listener.meet()
    // Two and a half packets in one piece, then the rest.
    listener.send(event + event + event[..<4])
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
    var name = [CChar](repeating: 0, count: 128)
    try #require(openpty(&far, &near, &name, nil, nil) == 0)
    defer { close(far) }
    let path = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
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
    var name = [CChar](repeating: 0, count: 128)
    try #require(openpty(&far, &near, &name, nil, nil) == 0)
    let path = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let link = try HCIMoniker("serial:\(path)").makeLink()
    try link.open()
    close(near)
    close(far)
    #expect(throws: LinkError.unplugged) { try receive(link) }
    #expect(link.descriptor == -1)
}

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
