/// Octets from hexadecimal text; anything that is no digit separates nothing.
func octets(_ text: String) -> [UInt8] {
    let digits = text.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

/// Hexadecimal text, a blank between octets.
func text(_ octets: some Sequence<UInt8>) -> String {
    octets.map { $0 < 16 ? "0" + String($0, radix: 16, uppercase: true) : String($0, radix: 16, uppercase: true) }
        .joined(separator: " ")
}

/// Two octets, least significant first.
func pair(_ value: some BinaryInteger) -> [UInt8] {
    [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
}
