import Bluetooth

/// The assigned numbers an engineer meets most (Bluetooth Assigned Numbers 2.1 and 7.1).
enum ControllerNames {
    /// HCI_Version, for example "5.2 (0x0B)".
    static func version(_ number: UInt8) -> String {
        let names = ["1.0b", "1.1", "1.2", "2.0", "2.1", "3.0", "4.0", "4.1", "4.2", "5.0", "5.1", "5.2", "5.3", "5.4", "6.0", "6.1"]
        let name = Int(number) < names.count ? names[Int(number)] : "newer than this program"
        return "\(name) (0x\(hexadecimal(UInt64(number), digits: 2)))"
    }

    /// The company, for example "15 (Broadcom)".
    static func manufacturer(_ number: UInt16) -> String {
        let name: String? =
            switch number {
            case 2: "Intel"
            case 10: "CSR"
            case 13: "Texas Instruments"
            case 15: "Broadcom"
            case 29: "Qualcomm"
            case 70: "MediaTek"
            case 89: "Nordic Semiconductor"
            case 93: "Realtek"
            case 305: "Cypress"
            case 1521: "Linux Foundation"
            default: nil
            }
        return "\(number)" + (name.map { " (\($0))" } ?? "")
    }

    static func address(_ address: DeviceAddress) -> String {
        (0..<6).reversed().map { hexadecimal(UInt64(address.octet($0)), digits: 2) }.joined(separator: ":")
    }

    /// Addresses that many controllers have: nobody gave this one its own.
    static func isDefault(_ address: DeviceAddress) -> Bool {
        switch address.value {
        case 0, 0xFFFF_FFFF_FFFF, 0xAAAA_AAAA_AAAA, 0x4343_A112_1FAC, 0x4345_C000_1FAC, 0x4345_C500_0000, 0x4343_0000_0000,
            0x0020_7002_A000,
            0x2076_A000_5679, 0x4324_B300_0000, 0x4330_B100_0000, 0x4334_B000_0000, 0x4334_1B00_0000, 0x4335_4300_0000:
            true
        default: false
        }
    }

    static func hexadecimal(_ value: UInt64, digits: Int) -> String {
        let text = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }

    /// Bits of the LE feature set (Core Vol 6 Part B 4.6).
    static let features: [(bit: UInt64, name: String)] = [
        (0, "LE encryption"), (1, "connection parameters request"), (2, "extended reject"), (3, "peripheral-initiated features exchange"),
        (4, "LE ping"),
        (5, "data length extension"), (6, "LL privacy"), (8, "2M PHY"), (11, "coded PHY"), (12, "extended advertising"),
        (13, "periodic advertising"),
        (14, "channel selection algorithm 2"),
    ]
}
