import Bluetooth
import Testing

/// Read Request of the device name, and its answer.
let readName = hex("0A 03 00")
let nameRead = [0x0B] + Array("Gatehouse".utf8)
private let nameFrame = hex("03 00 04 00 0A 03 00")

@Suite struct ACLAndL2CAPTests {
    static let inputs: [Malformed] = [
        Malformed(name: "unknown handle", packets: [acl(nameFrame, handle: 0x0041)], drops: [.unknownHandle: 1]),
        Malformed(name: "handle 0FFF", packets: [acl(nameFrame, handle: 0x0FFF)], drops: [.unknownHandle: 1]),
        Malformed(name: "PB 11", packets: [acl(nameFrame, flags: 3)], drops: [.packetBoundary: 1]),
        Malformed(
            name: "PB 11 inside a frame",
            packets: [acl(Array(nameFrame[..<5])), acl([1], flags: 3), acl(Array(nameFrame[5...]), flags: 1)],
            drops: [.packetBoundary: 1], attributes: [nameRead]),
        Malformed(name: "PB 00 for a first fragment is tolerated", packets: [acl(nameFrame, flags: 0)], attributes: [nameRead]),
        Malformed(name: "BC 01", packets: [acl(nameFrame, flags: 6)], drops: [.broadcast: 1]),
        Malformed(name: "BC 10", packets: [acl(nameFrame, flags: 0xA)], drops: [.broadcast: 1]),
        Malformed(name: "BC 11", packets: [acl(nameFrame, flags: 0xE)], drops: [.broadcast: 1]),
        Malformed(
            name: "BC 01 inside a frame",
            packets: [acl(Array(nameFrame[..<5])), acl([1], flags: 5), acl(Array(nameFrame[5...]), flags: 1)],
            drops: [.broadcast: 1], attributes: [nameRead]),
        Malformed(name: "continuation first", packets: [acl(nameFrame, flags: 1)], drops: [.continuationWithoutStart: 1]),
        Malformed(name: "continuation of nothing", packets: [acl([], flags: 1)], drops: [.continuationWithoutStart: 1]),
        Malformed(
            name: "continuation after a whole frame", packets: [acl(nameFrame), acl([0x0A, 0x03], flags: 1)],
            drops: [.continuationWithoutStart: 1], attributes: [nameRead]),
        Malformed(
            name: "start over start", packets: [acl(Array(nameFrame[..<5])), acl(nameFrame)], drops: [.startWhileIncomplete: 1],
            attributes: [nameRead]),
        Malformed(
            name: "ten starts over starts", packets: (0..<10).map { _ in acl(Array(nameFrame[..<6])) } + [acl(nameFrame)],
            drops: [.startWhileIncomplete: 10], attributes: [nameRead]),
        // No link layer sends one: what follows it has no start.
        Malformed(name: "first fragment of 0 octets", packets: cut(0), drops: [.continuationWithoutStart: 1]),
        Malformed(name: "first fragment of 1 octet", packets: cut(1), attributes: [nameRead]),
        Malformed(name: "first fragment of 2 octets", packets: cut(2), attributes: [nameRead]),
        Malformed(name: "first fragment of 3 octets", packets: cut(3), attributes: [nameRead]),
        Malformed(name: "octet by octet", packets: [acl([3])] + nameFrame.dropFirst().map { acl([$0], flags: 1) }, attributes: [nameRead]),
        Malformed(
            name: "an empty continuation inside a frame",
            packets: [acl(Array(nameFrame[..<5])), acl([], flags: 1), acl(Array(nameFrame[5...]), flags: 1)], attributes: [nameRead]),
        Malformed(
            name: "total below the announced", packets: [acl(hex("04 00 04 00 0A 03 00")), acl(nameFrame)],
            drops: [.startWhileIncomplete: 1], attributes: [nameRead]),
        Malformed(name: "total above the announced", packets: [acl(hex("02 00 04 00 0A 03 00"))], drops: [.frameOverrun: 1]),
        Malformed(
            name: "total above the announced in the second fragment",
            packets: [acl(hex("03 00 04 00 0A")), acl(hex("03 00 00"), flags: 1)],
            drops: [.frameOverrun: 1]),
        Malformed(
            name: "continuations of a frame given up",
            packets: [acl(hex("02 00 04 00 0A 03 00")), acl(nameFrame, flags: 1), acl(nameFrame, flags: 1), acl(nameFrame)],
            drops: [.frameOverrun: 1], attributes: [nameRead]),
        Malformed(
            name: "continuation beyond every frame",
            packets: [acl(hex("0A 00 04 00 0A")), acl([UInt8](repeating: 0, count: 600), flags: 1)], drops: [.continuationOverrun: 1]),
        Malformed(name: "announced 0", packets: [frame(4, [])], drops: [.attributeEmpty: 1]),
        Malformed(
            name: "announced 0, no channel", packets: [acl([0, 0]), acl(nameFrame)], drops: [.startWhileIncomplete: 1],
            attributes: [nameRead]),
        Malformed(name: "announced 0, data behind", packets: [acl(hex("00 00 04 00 0A 03 00"))], drops: [.frameOverrun: 1]),
        Malformed(name: "announced FFFF", packets: [acl(hex("FF FF 04 00 0A 03 00"))], drops: [.frameTooLong: 1]),
        Malformed(
            name: "announced FFFF, and the most data a packet has",
            packets: [acl(hex("FF FF 04 00") + [UInt8](repeating: 0x0A, count: 1017)), acl(nameFrame)], drops: [.frameTooLong: 1],
            attributes: [nameRead]),
        Malformed(name: "announced frame + 1", packets: [acl(hex("06 02 04 00 0A 03 00"))], drops: [.frameTooLong: 1]),
        Malformed(
            name: "announced frame + 1, whole", packets: [frame(4, [0x52, 0x1C, 0] + [UInt8](repeating: 0, count: 515))],
            drops: [.frameTooLong: 1]),
        Malformed(
            name: "announced the largest frame, cut", packets: [acl(hex("05 02 04 00 0A 03 00")), acl(nameFrame)],
            drops: [.startWhileIncomplete: 1], attributes: [nameRead]),
        Malformed(
            name: "interleaved fragments of two links",
            packets: [
                acl(Array(nameFrame[..<5])), acl(Array(nameFrame[..<5]), handle: 0x41), acl(Array(nameFrame[5...]), flags: 1, handle: 0x41),
                acl(Array(nameFrame[5...]), flags: 1),
            ], drops: [.unknownHandle: 2], attributes: [nameRead]),
        Malformed(name: "CID 0", packets: [frame(0, readName)], drops: [.channelUnknown: 1]),
        Malformed(name: "CID 1", packets: [frame(1, readName)], drops: [.channelUnknown: 1]),
        Malformed(name: "CID 3A, as iOS probes it", packets: [frame(0x3A, hex("09 05 02 00 00 00 00"))], drops: [.channelUnknown: 1]),
        Malformed(name: "CID 40", packets: [frame(0x40, readName)], drops: [.channelUnknown: 1]),
        Malformed(name: "CID FFFF", packets: [frame(0xFFFF, readName)], drops: [.channelUnknown: 1]),
        Malformed(name: "an empty frame of CID 3A", packets: [frame(0x3A, [])], drops: [.channelUnknown: 1]),
        Malformed(
            name: "ACL length above the data", packets: [spoiled { $0[3] += 1 }], drops: [.packetLength: 1],
            dropsWithoutLink: [.packetLength: 1]),
        Malformed(
            name: "ACL length below the data", packets: [spoiled { $0[3] -= 1 }], drops: [.packetLength: 1],
            dropsWithoutLink: [.packetLength: 1]),
        Malformed(
            name: "ACL length FFFF", packets: [spoiled { ($0[3], $0[4]) = (0xFF, 0xFF) }], drops: [.packetLength: 1],
            dropsWithoutLink: [.packetLength: 1]),
        Malformed(
            name: "ACL length 0 with data", packets: [spoiled { ($0[3], $0[4]) = (0, 0) }], drops: [.packetLength: 1],
            dropsWithoutLink: [.packetLength: 1]),
    ]

    private static func cut(_ count: Int) -> [[UInt8]] { [acl(Array(nameFrame[..<count])), acl(Array(nameFrame[count...]), flags: 1)] }

    private static func spoiled(_ change: (inout [UInt8]) -> Void) -> [UInt8] {
        var packet = acl(nameFrame)
        change(&packet)
        return packet
    }

    @Test(arguments: Malformed.cases(inputs))
    func survived(_ input: Malformed.Case) throws { try input.run() }

    /// A packet of data cut at every octet: the length no longer fits, or there is none.
    @Test func aPacketOfDataCutAtEveryLength() throws {
        try Malformed.sweep(
            (1..<12).map { length in
                Malformed(
                    name: "cut at \(length)", packets: [Array(acl(nameFrame)[..<length])], drops: [.packetLength: 1],
                    dropsWithoutLink: [.packetLength: 1])
            })
    }
}
