import Testing

@testable import Bluetooth

/// Cases of the LE signalling channel and of the security manager that a peripheral without pairing answers.
private let signallingCases: [Case] = [
    Case(
        "L2CAP/LE/REJ/BI-02-C unknown command", ("0A 01 02 00 02 00", "01 01 02 00 00 00"),
        ("0E 02 04 00 40 00 00 00", "01 02 02 00 00 00"),
        ("FF 03 00 00", "01 03 02 00 00 00")),
    Case(
        "L2CAP/LE/CPU/BI-02-C a peripheral rejects a parameter update request",
        ("12 01 08 00 06 00 06 00 00 02 C8 00", "01 01 02 00 00 00"), ("12 02 08 00 18 00 28 00 00 00 2A 00", "01 02 02 00 00 00")),
    Case("a parameter update request with a latency out of range", ("12 03 08 00 18 00 28 00 F4 01 2A 00", "01 03 02 00 00 00")),
    Case(
        "credit based connection to an unknown SPSM",
        ("14 04 0A 00 27 00 40 00 17 00 17 00 01 00", "15 04 0A 00 00 00 00 00 00 00 00 00 02 00")),
    Case("enhanced connection to an unknown SPSM", ("17 05 0A 00 27 00 40 00 40 00 01 00 40 00", "18 05 08 00 00 00 00 00 00 00 02 00")),
]

/// The first request of each pairing; what would follow is ignored, because nothing began.
private let securityCases: [Case] = [
    Case("SM/PER/PROT/BV-02-C timeout of a responder: nothing waits", ("01 03 00 01 10 07 07", "05 05"), ("03 \(zeros(16))", "")),
    Case("SM/PER/JW/BV-02-C Just Works", ("01 03 00 01 10 01 01", "05 05")),
    Case(
        "SM/PER/JW/BI-02-C Just Works with a wrong confirm value",
        ("01 03 00 01 10 01 01", "05 05"), ("03 \(zeros(16))", ""), ("04 \(zeros(16))", "")),
    Case("SM/PER/JW/BI-03-C Just Works with reserved bits", ("01 03 00 E1 10 01 01", "05 05"), ("01 03 00 21 10 01 01", "05 05")),
    Case("SM/PER/PKE/BV-02-C passkey entry", ("01 04 00 05 10 01 01", "05 05"), ("01 02 00 05 10 01 01", "05 05")),
    Case("SM/PER/PKE/BI-03-C passkey entry with a wrong confirm value", ("01 04 00 05 10 01 01", "05 05"), ("03 \(zeros(16))", "")),
    Case("SM/PER/OOB/BV-02-C out of band", ("01 03 01 05 10 01 01", "05 05")),
    Case("SM/PER/EKS/BI-02-C key size too short", ("01 03 00 01 06 01 01", "05 05")),
    Case("SM/PER/SCJW/BV-02-C Secure Connections, Just Works", ("01 03 00 09 10 01 01", "05 05"), ("0C \(zeros(64))", "")),
    Case("SM/PER/SCJW/BV-03-C Secure Connections with reserved bits", ("01 03 00 C9 10 01 01", "05 05")),
    Case("SM/PER/SCPK/BV-02-C Secure Connections, passkey entry", ("01 04 00 0D 10 01 01", "05 05"), ("0D \(zeros(16))", "")),
    Case("SM/PER/KDU/BI-01-C an invalid public key", ("0C \(zeros(64))", "")),
    Case("an unknown command", ("0F", "05 07"), ("00", "05 07")),
    Case("a failure is not answered", ("05 05", "")),
]

private func zeros(_ count: Int) -> String { text([UInt8](repeating: 0, count: count)) }

@Suite struct ChannelTables {
    @Test("LE signalling", arguments: signallingCases) func signalling(rows: Case) {
        let phone = Phone.connected(Database.islands())
        for (request, response) in rows.steps { #expect(phone.signal(request) == response, "\(rows.id): \(request)") }
        #expect(phone.att("0A 03 00") == "0B 47 61 74 65")
    }

    @Test("pairing is refused", arguments: securityCases) func security(rows: Case) {
        let phone = Phone.connected(Database.islands())
        for (request, response) in rows.steps {
            #expect(phone.secure(octets(request)) == response, "\(rows.id): \(request)")
            // Attributes are served as before; those that need a key still do.
            #expect(phone.att("0A 03 00") == "0B 47 61 74 65")
            #expect(phone.att("0A 04 80") == "01 0A 04 80 05")
        }
        #expect(phone.isConnected)
    }

    @Test(
        "L2CAP/LE/CID/BI-01-C channels that are not there are ignored",
        arguments: [0x0000, 0x0001, 0x0003, 0x0007, 0x003A, 0x0040, 0xFFFF] as [UInt16])
    func unknownChannel(channel: UInt16) {
        let phone = Phone.connected(Database.islands())
        phone.send(channel, octets("0A 03 00"))
        #expect(phone.controller.frames.isEmpty)
        #expect(phone.counters[.channelUnknown] == 1)
        #expect(phone.att("0A 03 00") == "0B 47 61 74 65")
    }
}
