import TestSupport
import Testing

@testable import Bluetooth

/// What becomes of one packet of a visit on its way to the host.
private enum Spoiling {
    case cut(Int)
    case set(Int, UInt8)
    case longer
    case lost
    case twice

    static func all(of packet: [UInt8]) -> [Spoiling] {
        (0..<packet.count).map { .cut($0) } + (0..<packet.count).flatMap { [.set($0, 0x00), .set($0, 0xFF)] } + [.longer, .lost, .twice]
    }

    /// The packet spoiled; nil when that changes nothing.
    func apply(to packet: [UInt8]) -> [UInt8]? {
        var spoiled = packet
        switch self {
        case .cut(let count): spoiled = Array(packet.prefix(count))
        case .set(let index, let octet): spoiled[index] = octet
        case .longer: spoiled.append(0xFF)
        case .lost: spoiled = [0x04, 0xFF, 0x00]
        case .twice: return packet
        }
        return spoiled == packet ? nil : spoiled
    }
}

/// Events a link may bring, as a controller sends them.
private let linkEvents = [
    "04 05 04 00 40 00 13", "04 08 04 00 40 00 01", "04 10 01 00", "04 13 05 01 40 00 01 00", "04 1A 01 01", "04 30 03 00 40 00",
    "04 3E 13 01 00 41 00 01 01 11 22 33 44 55 66 18 00 00 00 58 02 00",
    "04 3E 1F 0A 00 41 00 01 01 11 22 33 44 55 66 00 00 00 00 00 00 00 00 00 00 00 00 18 00 00 00 58 02 00",
    "04 3E 0A 03 00 40 00 0C 00 00 00 58 02", "04 3E 0D 05 40 00 01 02 03 04 05 06 07 08 00 00",
    "04 3E 0B 07 40 00 FB 00 48 08 FB 00 48 08", "04 3E 06 0C 00 40 00 02 02", "04 3E 06 12 00 00 40 00 00", "04 3E 04 14 40 00 01",
]

/// Packets of one clean life: bring-up and a visit.
private func life(_ script: Script, pieces: Int) -> (packets: [[UInt8]], bringUp: Int) {
    let phone = Phone(Database.sparse(), script)
    phone.pieces = pieces
    phone.open()
    let bringUp = phone.delivered.count
    phone.visit()
    return (phone.delivered, bringUp)
}

/// Lives once with packet `index` spoiled, then once more without: that life must be as good as any.
private func survives(
    _ index: Int, _ packet: [UInt8], inBringUp: Bool, _ script: Script, pieces: Int, _ spoiling: Spoiling
) -> Bool {
    guard let spoiled = spoiling.apply(to: packet) else { return true }
    let phone = Phone(Database.sparse(), script)
    phone.controller.isStrict = false
    phone.pieces = pieces
    phone.swap = { count, packet in count == index ? spoiled : packet }
    if case .twice = spoiling {
        phone.swap = { [unowned phone] count, packet in
            guard count == index else { return packet }
            phone.swap = nil
            phone.deliver(packet)
            return packet
        }
    }
    phone.open()
    phone.visit()
    phone.swap = nil
    // Time heals: commands are given up, links ended, retries made.
    phone.pass(milliseconds: 40_000)
    if phone.isConnected {
        phone.handle = phone.storage.pointee.core.connection.handle
        phone.disconnect()
    }
    phone.handle = 0x0040
    phone.host.stopAdvertising()
    phone.run()
    // What a lying controller said of itself is asked again.
    if inBringUp || !phone.isReady {
        phone.controller.isStrict = true
        phone.open()
    }
    phone.controller.isStrict = true
    return phone.visit()
}

@Suite struct SweepTests {
    /// How many parts the sweep has, so that they run side by side.
    static let parts = 8

    @Test(arguments: 0..<parts)
    func everyPacketOfALifeSpoiledInEveryWay(part: Int) {
        sweep(Script(), pieces: .max, part)
    }

    @Test(arguments: 0..<parts)
    func theSameInSmallPieces(part: Int) {
        sweep(.four, pieces: 5, part)
    }

    private func sweep(_ script: Script, pieces: Int, _ part: Int) {
        let (packets, bringUp) = life(script, pieces: pieces)
        #expect(packets.count >= 50)
        for index in stride(from: part, to: packets.count, by: Self.parts) {
            for spoiling in Spoiling.all(of: packets[index]) {
                if !survives(index, packets[index], inBringUp: index < bringUp, script, pieces: pieces, spoiling) {
                    Issue.record("packet \(index), \(text(packets[index])): \(spoiling)")
                }
            }
        }
    }

    /// Every request of the tables as one ACL packet, spoiled in every way; the host serves on, on the same link.
    @Test(arguments: 0..<parts)
    func everyRequestSpoiledInEveryWay(part: Int) {
        var requests: [(channel: UInt16, octets: [UInt8])] = [(6, octets("01 03 00 0D 10 03 03"))]
        requests += (sparseRows + largeRows).map { (4, octets($0.request)) }
        requests += signallingRows.map { (5, octets($0.request)) }
        for index in stride(from: part, to: requests.count, by: Self.parts) {
            let (channel, request) = requests[index]
            let packet = octets("02 40 20") + pair(request.count + 4) + pair(request.count) + pair(channel) + request
            let phone = Phone.connected()
            for spoiling in Spoiling.all(of: packet) {
                guard let spoiled = spoiling.apply(to: packet) else { continue }
                phone.deliver(spoiled)
                phone.run()
                let answer = phone.att("0A 04 00")
                if answer != "0B 47 61 74 65" { Issue.record("\(text(packet)): \(spoiling)") }
            }
            phone.disconnect()
            #expect(phone.visit())
        }
    }

    /// Every event of a link, spoiled in every way.
    @Test(arguments: linkEvents)
    func everyEventOfALinkSpoiledInEveryWay(event: String) {
        let packet = octets(event)
        for spoiling in Spoiling.all(of: packet) {
            guard let spoiled = spoiling.apply(to: packet) else { continue }
            let phone = Phone.connected()
            phone.controller.isStrict = false
            phone.deliver(spoiled)
            phone.run()
            phone.pass(milliseconds: 40_000)
            if phone.isConnected { phone.disconnect() }
            if !phone.isReady { phone.open() }
            phone.host.stopAdvertising()
            phone.run()
            phone.controller.isStrict = true
            if !phone.visit() { Issue.record("\(event): \(spoiling)") }
        }
    }

    /// Octets that are no packets at all, as many as a second of a fast link has.
    @Test func noiseLeavesTheHostAlive() {
        var noise = SeededRandom(seed: 0x9E37_79B9)
        let phone = Phone.connected()
        phone.controller.isStrict = false
        for _ in 0..<20_000 {
            var packet = (0..<Int(noise.next() % 40)).map { _ in UInt8(truncatingIfNeeded: noise.next()) }
            if !packet.isEmpty, noise.next() % 4 > 0 { packet[0] = noise.next() % 2 == 0 ? 0x02 : 0x04 }
            if packet.count >= 5, packet[0] == 0x02, noise.next() % 4 > 0 {
                packet.replaceSubrange(1..<5, with: [0x40, noise.next() % 2 == 0 ? 0x20 : 0x10] + pair(packet.count - 5))
                if packet.count >= 9, noise.next() % 2 == 0 {
                    packet.replaceSubrange(5..<9, with: pair(packet.count - 9) + [UInt8(4 + noise.next() % 3), 0])
                }
            }
            if packet.count >= 3, packet[0] == 0x04, noise.next() % 4 > 0 { packet[2] = UInt8(packet.count - 3) }
            phone.deliver(packet)
            phone.run()
            if !phone.isReady { phone.open() }
            if !phone.isConnected { phone.connect() }
        }
        phone.pass(milliseconds: 40_000)
        phone.controller.isStrict = true
        phone.open()
        #expect(phone.visit())
    }
}
