import Cryptography

/// Text of somebody else's on a terminal: nothing that moves the cursor or turns the reading direction around.
func printable(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.map { isPlain($0) ? $0 : "\u{FFFD}" }))
}

/// The same JSON with escapes for what a terminal would obey. In JSON that has no white space it stands in strings only.
func escaped(_ json: String) -> String {
    guard !json.unicodeScalars.allSatisfy(isPlain) else { return json }
    var text = String.UnicodeScalarView()
    for scalar in json.unicodeScalars {
        if isPlain(scalar) {
            text.append(scalar)
        } else {
            let digits = String(scalar.value, radix: 16)
            text.append(contentsOf: ("\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits).unicodeScalars)
        }
    }
    return String(text)
}

/// Neither a control character (C0, DEL, C1), nor a line separator, nor a bidirectional embedding, override or isolate.
private func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0, 0x2028...0x202E, 0x2066...0x2069: false
    default: true
    }
}

/// A length of time for people.
///
/// - Parameter seconds: not negative.
func span(of seconds: Int64) -> String {
    switch seconds {
    case ..<120: "\(seconds) s"
    case ..<7200: "\(seconds / 60) minutes"
    case ..<172_800: "\(seconds / 3600) hours"
    default: "\(seconds / 86_400) days"
    }
}

/// SHA-256 as 64 lower-case digits.
func fingerprint(_ octets: [UInt8]) -> String {
    guard let digest = try? Digest.hash(octets.span, .sha256) else { return "(no SHA-256)" }
    return digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}
