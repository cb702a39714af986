import TestSupport

/// What a controller says of itself, and what it refuses or leaves unanswered.
struct ControllerScript {
    var version: UInt8 = 9
    var commands = mask(of: legacyAdvertising)
    /// LE Supported, BR/EDR Not Supported.
    var features: UInt64 = 1 << 38 | 1 << 37
    var leFeatures: UInt64 = 0
    var leLength = 251
    var leCount = 8
    var sharedLength = 310
    var sharedCount = 6
    /// Status of each command that is refused.
    var refusals: [UInt16: UInt8] = [:]
    /// How many answers to each command are lost.
    var silences: [UInt16: Int] = [:]

    static let legacyAdvertising: [UInt16] = [0x2005, 0x2006, 0x2008, 0x2009, 0x200A]
    static let extendedAdvertising: [UInt16] = [0x2035, 0x2036, 0x2037, 0x2038, 0x2039]
    /// What the host may leave out, each with its place in the mask below.
    static let optional: [UInt16] = [0x0C6D, 0x2001, 0x2003, 0x2060, 0x1009, 0x2024, 0x2031, 0x2022, 0x2032]

    /// Octet and bit of each command in the supported-commands mask (Core Vol 4 Part E 6.27).
    private static let places: [UInt16: (octet: Int, bit: UInt8)] = [
        0x0C6D: (24, 6), 0x1009: (15, 1), 0x2001: (25, 0), 0x2003: (25, 2), 0x2005: (25, 4), 0x2006: (25, 5), 0x2008: (25, 7),
        0x2009: (26, 0),
        0x200A: (26, 1), 0x2022: (33, 6), 0x2024: (34, 0), 0x2031: (35, 5), 0x2032: (35, 6), 0x2035: (36, 1), 0x2036: (36, 2),
        0x2037: (36, 3), 0x2038: (36, 4), 0x2039: (36, 5), 0x2060: (41, 5),
    ]

    static func mask(of commands: [UInt16]) -> [UInt8] {
        var mask = [UInt8](repeating: 0, count: 64)
        for command in commands { if let place = places[command] { mask[place.octet] |= 1 << place.bit } }
        return mask
    }

    /// Dual-mode, with everything a host could ask for.
    static var full: ControllerScript {
        ControllerScript(
            commands: mask(of: legacyAdvertising + extendedAdvertising + optional), features: 1 << 38, leFeatures: 1 << 5 | 1 << 8 | 1 << 12
        )
    }

    static var extended: ControllerScript {
        ControllerScript(commands: mask(of: extendedAdvertising + optional), leFeatures: 1 << 5 | 1 << 8 | 1 << 12)
    }

    /// Bluetooth 4.0 with the smallest packets.
    static var four: ControllerScript { ControllerScript(version: 6, leLength: 27, leCount: 4) }

    func has(_ command: UInt16) -> Bool {
        guard let place = Self.places[command] else { return false }
        return commands[place.octet] & 1 << place.bit != 0
    }

    var isShared: Bool { leLength == 0 || leCount == 0 }
    var bufferLength: Int { isShared ? sharedLength : leLength }
    var buffers: Int { isShared ? sharedCount : leCount }

    /// What the answer to a command holds behind its status.
    func facts(_ command: UInt16) -> [UInt8] {
        switch command {
        case 0x1001: [version, 0, 0, version, 0xFF, 0xFF, 0, 0]
        case 0x1002: commands
        case 0x1003: octets(features)
        case 0x2003: octets(leFeatures)
        case 0x2002: pair(leLength) + [UInt8(leCount)]
        case 0x2060: pair(leLength) + [UInt8(leCount), 0, 0, 0]
        case 0x1005: pair(sharedLength) + [60] + pair(sharedCount) + [8, 0]
        case 0x1009: [0, 0, 0, 0, 0, 0]
        default: []
        }
    }

    private func octets(_ value: UInt64) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
}

/// Two octets, least significant first.
func pair(_ value: some BinaryInteger) -> [UInt8] {
    [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
}

func hex(_ text: String) -> [UInt8] { Hex.bytes(text) }

/// A blank between octets.
func text(_ octets: some Sequence<UInt8>) -> String { Hex.text(octets, uppercase: true, separator: " ") }
