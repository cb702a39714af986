import TestSupport

func octets(_ text: String) -> [UInt8] { Hex.bytes(text) }

/// A blank between octets.
func text(_ octets: some Sequence<UInt8>) -> String { Hex.text(octets, uppercase: true, separator: " ") }

/// Two octets, least significant first.
func pair(_ value: some BinaryInteger) -> [UInt8] {
    [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
}
