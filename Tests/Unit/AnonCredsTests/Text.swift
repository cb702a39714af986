import TestSupport

/// Octets in hexadecimal.
func hexOctets(_ octets: [UInt8]) -> String { Hex.text(octets) }

/// A number in hexadecimal, without leading zeros.
func hexNumber(_ octets: [UInt8]) -> String { String(Hex.text(octets).drop { $0 == "0" }) }
