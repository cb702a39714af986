import Testing

@testable import Bluetooth

/// Attribute tables and what is known of them.
enum Database {
    /// The 128-bit UUIDs of the sparse table differ in their first octet on the wire.
    static func uuid(_ first: UInt8) -> UUID { UUID(high: 0xA1A2_A3A4_A5A6_A7A8, low: 0xA9AA_ABAC_ADAE_AF00 | UInt64(first)) }
    static let tail = "AF AE AD AC AB AA A9 A8 A7 A6 A5 A4 A3 A2 A1"

    /// Handles with gaps, 16- and 128-bit UUIDs, a service at FFFF.
    static func sparse() -> AttributeTable {
        var table = AttributeTable()
        do {
            let name: [UInt8] = [0x47, 0x61, 0x74, 0x65]
            try table.addService(.genericAccess, at: 0x0001)
            try table.addCharacteristic(.deviceName, constant: name.span, at: 0x0003)
            try table.addService(uuid(0xB0), at: 0x0010)
            try table.addCharacteristic(uuid(0xB1), .read | .write, maximum: 20, at: 0x0011)
            try table.addCharacteristic(uuid(0xB2), .notify | .indicate, at: 0x0020, valueHandle: 0x0022)
            try table.addClientConfiguration(at: 0x0023)
            try table.addService(UUID(0x180F), at: 0x0030)
            try table.addCharacteristic(UUID(0x2A19), .read | .notify, at: 0x0031)
            try table.addClientConfiguration(at: 0x0033)
            try table.addService(UUID(0x1234), at: 0xFFFF)
        } catch { Issue.record("\(error)") }
        return table
    }

    /// Long values and every kind of access, handles without gaps.
    static func large() -> AttributeTable {
        var table = AttributeTable()
        do {
            let long = (0..<512).map { UInt8(truncatingIfNeeded: $0) }
            try table.addService(UUID(0xAA00))
            try table.addCharacteristic(UUID(0xAA01), .read | .write | .writeWithoutResponse)  // 0003
            try table.addCharacteristic(UUID(0xAA02), constant: long.span)  // 0005
            try table.addCharacteristic(UUID(0xAA03), .write, maximum: 16)  // 0007
            try table.addCharacteristic(UUID(0xAA04), .read | .write, read: .needsAuthentication, write: .needsAuthentication)
            try table.addCharacteristic(UUID(0xAA05), .read | .write, read: .needsEncryption, write: .needsEncryption)  // 000B
            try table.addCharacteristic(UUID(0xAA06), .read | .write, read: .needsAuthorization, write: .needsAuthorization)
            try table.addCharacteristic(UUID(0xAA07), .read | .write, read: .needsLongerKey, write: .needsLongerKey)  // 000F
            for _ in 0..<4 { try table.addCharacteristic(UUID(0xAA08), .read) }  // 0011, 0013, 0015, 0017
            try table.addCharacteristic(UUID(0xAA09), .writeWithoutResponse)  // 0019
            try table.addCharacteristic(UUID(0xAA0A), .notify, pushesUnsubscribed: true)  // 001B
            try table.addCharacteristic(UUID(0xAA0B), .indicate)  // 001D
            try table.addClientConfiguration()  // 001E
            try table.addDescriptor(UUID(0x2901), read: .allowed, write: .allowed, maximum: 8)  // 001F
            try table.addService(UUID(0xAA80), isPrimary: false)  // 0020
            try table.addInclude(of: UUID(0xAA00), service: 1, end: 0x1F)  // 0021
        } catch { Issue.record("\(error)") }
        return table
    }

    /// Services far apart, one of them secondary, one without characteristics, one there twice; includes of both kinds;
    /// every kind of access and descriptor.
    static func islands() -> AttributeTable {
        var table = AttributeTable()
        do {
            try table.addService(.genericAccess, at: 0x0001)
            try table.addCharacteristic(.deviceName, constant: octets("47 61 74 65").span)  // 0003
            try table.addService(uuid(0xC0), at: 0x0100, isPrimary: false)
            try table.addCharacteristic(UUID(0x2A29), constant: octets("49 6F 6E").span)  // 0102
            try table.addService(UUID(0xAA10), at: 0x0200)
            try table.addInclude(of: uuid(0xC0), service: 0x0100, end: 0x0102)
            try table.addInclude(of: .genericAccess, service: 0x0001, end: 0x0003)
            try table.addCharacteristic(UUID(0xAA11), .read | .write, maximum: 64)  // 0204
            try table.addConstant(.userDescription, octets("4E 61 6D 65").span)
            try table.addDescriptor(UUID(0xAA12), read: .allowed, write: .allowed, maximum: 64)  // 0206
            try table.addCharacteristic(uuid(0xC1), .notify | .indicate, at: 0x0300, valueHandle: 0x0310)
            try table.addConstant(.userDescription, octets("42 65 6C 6C").span)
            try table.addClientConfiguration()  // 0312
            try table.addService(uuid(0xC2), at: 0x4000)
            try table.addService(UUID(0xAA10), at: 0x8000)
            try table.addCharacteristic(UUID(0xAA14), .read | .write, read: .needsAuthorization, write: .needsAuthorization)
            try table.addCharacteristic(UUID(0xAA15), .read | .write, read: .needsAuthentication, write: .needsAuthentication)
            try table.addCharacteristic(UUID(0xAA16), .read | .write, read: .needsLongerKey, write: .needsLongerKey)
            try table.addCharacteristic(UUID(0xAA17), .read | .write, read: .needsEncryption, write: .needsEncryption)
            try table.addCharacteristic(
                UUID(0xAA18), .read | .writeWithoutResponse | .extendedProperties, maximum: 4)  // 800A
            try table.addConstant(.extendedProperties, octets("01 00").span)
            try table.addDescriptor(UUID(0xAA19), read: .denied, write: .denied)  // 800C
        } catch { Issue.record("\(error)") }
        return table
    }

    /// Ends with the last handle of all; presentation formats and their aggregate.
    static func last() -> AttributeTable {
        var table = AttributeTable()
        do {
            try table.addService(.genericAccess)
            try table.addCharacteristic(.deviceName, constant: octets("47").span)
            try table.addService(UUID(0xAA20), at: 0xFFF8)
            try table.addCharacteristic(UUID(0xAA21), constant: octets("2A").span)  // FFFA
            try table.addConstant(UUID(0x2904), octets("04 00 AD 27 01 01 00").span)
            try table.addConstant(UUID(0x2905), octets("FB FF FD FF").span)
            try table.addConstant(UUID(0x2904), octets("19 FE 2F 27 01 02 00").span)
            try table.addCharacteristic(UUID(0xAA22), .read | .write)  // FFFF
        } catch { Issue.record("\(error)") }
        return table
    }

    /// Short and long UUIDs by turns, the long form of a short one among them, and values of 0 to 2 octets.
    static func mixed() -> AttributeTable {
        var table = AttributeTable()
        do {
            try table.addService(UUID(0xAA30))
            try table.addService(uuid(0xD0))
            try table.addService(UUID(0xAA31))
            try table.addService(UUID(0xAA32))
            try table.addCharacteristic(UUID(0xAA33), constant: octets("01").span)  // 0006
            try table.addCharacteristic(uuid(0xD1), constant: octets("").span)
            try table.addCharacteristic(uuid(0xD1), constant: octets("").span)  // 000A
            try table.addCharacteristic(UUID(0xAA33), constant: octets("02 03").span)
            try table.addCharacteristic(
                UUID(high: 0x0000_AA33_0000_1000, low: 0x8000_0080_5F9B_34FB), constant: octets("04 05").span)  // 000E
        } catch { Issue.record("\(error)") }
        return table
    }

    /// A visit to the sparse table, request by request.
    static let visit: [(String, String)] = [
        ("02 05 02", "03 05 02"),
        ("10 01 00 FF FF 00 28", "11 06 01 00 04 00 00 18"),
        ("10 05 00 FF FF 00 28", "11 14 10 00 23 00 B0 " + tail),
        ("10 24 00 FF FF 00 28", "11 06 30 00 33 00 0F 18 FF FF FF FF 34 12"),
        ("08 10 00 23 00 03 28", "09 15 11 00 0A 12 00 B1 \(tail) 20 00 30 22 00 B2 \(tail)"),
        ("04 23 00 23 00", "05 01 23 00 02 29"),
        ("12 23 00 01 00", "13"),
        ("0A 12 00", "0B 01 02 03"),
        ("16 12 00 00 00 DE AD", "17 12 00 00 00 DE AD"),
        ("16 12 00 02 00 BE EF", "17 12 00 02 00 BE EF"),
        ("18 01", "19"),
        ("0A 12 00", "0B DE AD BE EF"),
        ("0C 04 00 01 00", "0D 61 74 65"),
        ("0A 02 00", "01 0A 02 00 01"),
    ]
}
