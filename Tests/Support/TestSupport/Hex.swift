/// Hexadecimal text, as vectors and failures of tests have it.
public enum Hex {
    /// The bytes of text that a test wrote; white space is skipped. Anything else is a mistake in the test.
    public static func bytes(_ text: some StringProtocol) -> [UInt8] {
        guard let bytes = decode(text.utf8.filter { $0 != 0x20 && $0 != 0x0A }) else { preconditionFailure("not hexadecimal: \(text)") }
        return bytes
    }

    /// Nil where there is anything but pairs of digits.
    public static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        var high: UInt8?
        for character in text {
            guard let digit = Character(UnicodeScalar(character)).hexDigitValue else { return nil }
            if let first = high {
                bytes.append(first << 4 | UInt8(digit))
                high = nil
            } else {
                high = UInt8(digit)
            }
        }
        return high == nil ? bytes : nil
    }

    public static func text(_ bytes: some Sequence<UInt8>, uppercase: Bool = false, separator: String = "") -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: uppercase) }.joined(separator: separator)
    }
}
