import Testing

@testable import Bluetooth

/// The least that makes the host drop something for one reason, and for no other.
struct DropCause: Sendable, CustomStringConvertible {
    enum Moment {
        case closed, bringingUp, ready, advertising, connected
        /// Of a host that looks for a phone, and of one that has connected to it.
        case scanning, central
    }

    var drop: Drop
    var moment: Moment
    /// From the controller, one after the other; the host says nothing in between.
    var packets: [[UInt8]]

    init(_ drop: Drop, _ moment: Moment = .connected, _ packets: String...) {
        self.drop = drop
        self.moment = moment
        self.packets = packets.map(octets)
    }

    var description: String { "\(drop.name)" }

    /// One L2CAP frame in one ACL packet.
    static func frame(_ channel: UInt16, _ payload: String) -> String {
        let payload = octets(payload)
        return text(octets("02 40 20") + pair(payload.count + 4) + pair(payload.count) + pair(channel) + payload)
    }

    static func connection(status: String = "00", handle: String = "40 00", role: String = "01") -> String {
        "04 3E 13 01 \(status) \(handle) \(role) 01 11 22 33 44 55 66 18 00 00 00 58 02 00"
    }

    static let all: [DropCause] = [
        // HCI
        DropCause(.emptyPacket, .connected, ""), DropCause(.unknownPacketType, .connected, "03 40 00 00"),
        DropCause(.packetLength, .connected, "04 0E 02 00"), DropCause(.eventTruncated, .connected, "04 0E"),
        DropCause(.eventUnknown, .connected, "04 FF 00"), DropCause(.eventMalformed, .connected, "04 05 00"),
        DropCause(.commandUnexpected, .connected, "04 0E 04 01 01 10 00"), DropCause(.completedPacketsMalformed, .connected, "04 13 00"),
        DropCause(.completedPacketsUnknownHandle, .connected, "04 13 05 01 41 00 01 00"),
        DropCause(.completedPacketsExcess, .connected, "04 13 05 01 40 00 01 00"),
        DropCause(.connectionFailed, .ready, connection(status: "3E")), DropCause(.connectionEarly, .bringingUp, connection()),
        DropCause(.connectionDuplicate, .connected, connection(handle: "41 00")),
        DropCause(.connectionHandleInvalid, .ready, connection(handle: "00 0F")),
        DropCause(.connectionRole, .ready, connection(role: "00")),
        DropCause(.disconnectionUnknownHandle, .connected, "04 05 04 00 41 00 13"), DropCause(.hardwareError, .connected, "04 10 01 42"),
        DropCause(.dataBufferOverflow, .connected, "04 1A 01 01"),
        DropCause(.keyRequest, .connected, "04 3E 0D 05 40 00 01 02 03 04 05 06 07 08 00 00"),
        // ACL and L2CAP
        DropCause(.dataWhileClosed, .closed, frame(4, "0A 04 00")),
        DropCause(.unknownHandle, .connected, "02 41 20 07 00 03 00 04 00 0A 04 00"),
        DropCause(.dataUnclaimed, .advertising, "02 41 20 07 00 03 00 04 00 0A 04 00", "02 42 20 00 00"),
        DropCause(.packetBoundary, .connected, "02 40 30 00 00"), DropCause(.broadcast, .connected, "02 40 60 00 00"),
        DropCause(.startWhileIncomplete, .connected, "02 40 20 03 00 03 00 04", frame(4, "0A 04 00")),
        DropCause(.continuationWithoutStart, .connected, "02 40 10 01 00 00"),
        DropCause(.continuationOverrun, .connected, "02 40 20 04 00 09 00 04 00", "02 40 10 58 02" + String(repeating: " 00", count: 600)),
        DropCause(.frameOverrun, .connected, "02 40 20 06 00 01 00 04 00 0A 00"),
        DropCause(.frameTooLong, .connected, "02 40 20 02 00 FF FF"),
        DropCause(.channelUnknown, .connected, frame(0x3A, "00 00")),
        // Signalling and security
        DropCause(.signallingMalformed, .connected, frame(5, "")), DropCause(.signallingIgnored, .connected, frame(5, "01 01 00 00")),
        DropCause(.signallingBusy, .connected, frame(5, "7F 01 00 00"), frame(5, "7F 01 00 00")),
        DropCause(.securityMalformed, .connected, frame(6, "")), DropCause(.securityIgnored, .connected, frame(6, "03")),
        DropCause(.securityBusy, .connected, frame(6, "01"), frame(6, "01")),
        // ATT
        DropCause(.attributeEmpty, .connected, frame(4, "")),
        DropCause(.attributeTooLong, .connected, frame(4, "0B" + String(repeating: " 00", count: 30))),
        DropCause(.attributeBusy, .connected, frame(4, "0A 04 00"), frame(4, "0A 04 00")),
        DropCause(.attributeUnexpectedConfirmation, .connected, frame(4, "1E")),
        DropCause(.attributeIgnored, .connected, frame(4, "0B 00")),
        DropCause(.writeCommandRefused, .connected, frame(4, "52 FF 0F 00")), DropCause(.signedWrite, .connected, frame(4, "D2 12 00 00")),
        // Scanning
        DropCause(.reportMalformed, .scanning, "04 3E 02 02 01"),
        DropCause(.advertisementMalformed, .scanning, "04 3E 0E 02 01 00 01 11 22 33 44 55 66 02 05 07 C0"),
        // The attribute client, and the credit based channel
        DropCause(.attributeUnexpectedResponse, .central, frame(4, "0B 00")),
        DropCause(.notificationUnknown, .central, frame(4, "1B 12 00 00")),
        DropCause(.channelViolation, .central, frame(5, "14 01 0A 00 80 00 41 00 17 00 17 00 00 00"), frame(0x40, "FF FF")),
    ]
}

@Suite struct DropCauseTests {
    @Test("each cause is counted once, by its own counter and by no other", arguments: DropCause.all)
    func counted(cause: DropCause) {
        var script = cause.moment == .scanning || cause.moment == .central ? Script.centralRole : Script()
        if cause.moment == .bringingUp { script.silences = [.readLocalVersion: 1] }
        let phone = Phone(Database.sparse(), script)
        phone.host.listen(0x0080)
        if cause.moment != .closed { phone.open() }
        if cause.moment == .scanning { phone.scan() }
        if cause.moment == .central {
            phone.initiate()
            phone.linked()
        }
        if cause.moment == .connected || cause.moment == .advertising { phone.advertise() }
        if cause.moment == .connected { phone.connect() }
        #expect(phone.counters.total == 0)
        for packet in cause.packets { phone.deliver(packet) }
        #expect(phone.counters[cause.drop] == 1)
        #expect(phone.counters.total == 1)
    }

    @Test("no counter is without a cause")
    func whole() {
        #expect(DropCause.all.map(\.drop.rawValue).sorted() == Array(0..<UInt8(Drop.count)))
    }
}
