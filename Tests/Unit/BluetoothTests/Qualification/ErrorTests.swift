import Testing

@testable import Bluetooth

/// Every error code the server can answer, for every request that can cause it (Core Vol 3 Part F 3.4.1.1).
@Suite struct ErrorTests {
    /// One application value of each access: 0003, 0005 and so on, under the types AA00, AA01 and so on.
    static let accesses: [(access: AttributeTable.Access, read: UInt8, write: UInt8)] = [
        (.denied, 0x02, 0x03), (.needsAuthentication, 0x05, 0x05), (.needsAuthorization, 0x08, 0x08),
        (.needsLongerKey, 0x0C, 0x0C), (.needsEncryption, 0x0F, 0x0F),
    ]

    /// An application's own, and those all profiles share (Core Specification Supplement Part B).
    static let codes: [UInt8] = [UInt8](0x80...0x9F) + [UInt8](0xFC...0xFF)

    static func table() throws -> AttributeTable {
        var table = AttributeTable()
        try table.addService(UUID(0x1234))
        for (number, (access, _, _)) in accesses.enumerated() {
            try table.addCharacteristic(
                UUID(0xAA00 + UInt16(number)), .read | .write | .writeWithoutResponse, read: access, write: access)
        }
        try table.addCharacteristic(UUID(0xAA10), .read | .write, maximum: 4)  // 000D
        return table
    }

    @Test("what a client may not do is refused by the code of the reason, whatever it asks with", arguments: accesses.indices)
    func access(number: Int) throws {
        let phone = Phone.connected(try Self.table())
        let (handle, type) = (UInt8(3 + 2 * number), UInt8(number))
        let (read, write) = (Self.accesses[number].read, Self.accesses[number].write)
        for request in [
            [0x0A, handle, 0], [0x0C, handle, 0, 0, 0], [0x0E, 0x01, 0, handle, 0], [0x20, 0x01, 0, handle, 0],
            [0x08, 0x01, 0, 0xFF, 0xFF, type, 0xAA],
        ] as [[UInt8]] {
            #expect(phone.att(request) == text([0x01, request[0], handle, 0, read]), "\(text(request))")
        }
        for request in [[0x12, handle, 0, 1], [0x16, handle, 0, 0, 0, 1]] as [[UInt8]] {
            #expect(phone.att(request) == text([0x01, request[0], handle, 0, write]), "\(text(request))")
        }
        #expect(phone.att([0x52, handle, 0, 1]) == "")
        #expect(phone.application.writes.isEmpty)
        // Find By Type Value passes over what cannot be read (Part F 3.4.3.3).
        #expect(phone.att([0x06, 0x01, 0, 0xFF, 0xFF, type, 0xAA]) == "01 06 01 00 0A")
    }

    @Test("an application's own codes reach the client from every request", arguments: codes)
    func application(code: UInt8) throws {
        let phone = Phone.connected(try Self.table())
        phone.application.readErrors[0x0D] = ATTError(rawValue: code)
        phone.application.writeErrors[0x0D] = ATTError(rawValue: code)
        for request in [
            "0A 0D 00", "0C 0D 00 00 00", "0E 0D 00 01 00", "20 01 00 0D 00", "08 01 00 FF FF 10 AA", "12 0D 00 01",
        ] {
            #expect(phone.att(request) == text([0x01, octets(request)[0], 0x0D, 0, code]), "\(request)")
        }
        #expect(phone.att("16 0D 00 00 00 01") == "17 0D 00 00 00 01")
        #expect(phone.att("18 01") == text([0x01, 0x18, 0x0D, 0, code]))
        #expect(phone.att("18 01") == "19")
    }

    /// Handles that are not there, ranges that are none, PDUs of the wrong length, values too long.
    static let rows: [(String, String)] = [
        ("0A 0E 00", "01 0A 0E 00 01"), ("0C 0E 00 00 00", "01 0C 0E 00 01"), ("0E 01 00 0E 00", "01 0E 0E 00 01"),
        ("20 01 00 0E 00", "01 20 0E 00 01"), ("12 0E 00 01", "01 12 0E 00 01"), ("16 0E 00 00 00 01", "01 16 0E 00 01"),
        ("04 00 00 01 00", "01 04 00 00 01"), ("06 00 00 01 00 00 28", "01 06 00 00 01"), ("08 00 00 01 00 00 28", "01 08 00 00 01"),
        ("10 00 00 01 00 00 28", "01 10 00 00 01"), ("04 02 00 01 00", "01 04 02 00 01"), ("06 02 00 01 00 00 28", "01 06 02 00 01"),
        ("08 02 00 01 00 00 28", "01 08 02 00 01"), ("10 02 00 01 00 00 28", "01 10 02 00 01"),
        ("02 17", "01 02 00 00 04"), ("04 01 00 02", "01 04 00 00 04"), ("06 01 00 02 00 00", "01 06 00 00 04"),
        ("08 01 00 02 00 00", "01 08 00 00 04"), ("0A 01", "01 0A 00 00 04"), ("0C 01 00 00", "01 0C 00 00 04"),
        ("0E 01 00", "01 0E 00 00 04"), ("10 01 00 02 00 00", "01 10 00 00 04"), ("12 01", "01 12 00 00 04"),
        ("16 01 00 00", "01 16 00 00 04"), ("18", "01 18 00 00 04"), ("18 02", "01 18 00 00 04"), ("20 01 00", "01 20 00 00 04"),
        ("00", "01 00 00 00 06"), ("1A", "01 1A 00 00 06"), ("0C 01 00 03 00", "01 0C 01 00 07"),
        ("04 0E 00 FF FF", "01 04 0E 00 0A"), ("06 01 00 FF FF 00 28 35 12", "01 06 01 00 0A"),
        ("08 01 00 FF FF 02 28", "01 08 01 00 0A"), ("10 02 00 FF FF 00 28", "01 10 02 00 0A"),
        ("12 0D 00 01 02 03 04 05", "01 12 0D 00 0D"), ("10 01 00 FF FF 03 28", "01 10 01 00 10"),
        ("16 0D 00 00 00 01 02 03 04 05", "17 0D 00 00 00 01 02 03 04 05"), ("18 01", "01 18 0D 00 0D"),
        ("16 0D 00 01 00 01", "17 0D 00 01 00 01"), ("18 01", "01 18 0D 00 07"),
    ]

    @Test("every other code, request by request") func everyOtherCode() throws {
        let phone = Phone.connected(try Self.table())
        for (request, response) in Self.rows { #expect(phone.att(request) == response, "\(request)") }
        var taken = 0
        while taken < 200, phone.att("16 0D 00 00 00 01").hasPrefix("17") { taken += 1 }
        #expect(taken == ReferenceServer.queueRoom / 7)
        #expect(phone.att("16 0D 00 00 00 01") == "01 16 0D 00 09")
    }
}
