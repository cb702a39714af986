/// The parts of `<issuer JWT>~<disclosure>~...~[<key binding JWT>]` (RFC 9901 section 4).
struct CompactSDJWT {
    let issuerJWT: CompactJWS
    /// Each disclosure as received: base64url text.
    let disclosures: [ArraySlice<UInt8>]
    let keyBinding: ArraySlice<UInt8>?
    /// Everything up to and including the last `~`: what a key binding JWT signs the hash of.
    let presentation: ArraySlice<UInt8>

    /// More than any credential seen has; each costs a hash.
    private static let mostDisclosures = 1024

    init(_ text: [UInt8]) throws(RejectReason) {
        let tilde = UInt8(ascii: "~")
        guard let last = text.lastIndex(of: tilde) else { throw .compactMalformed }
        guard let parts = text[..<last].separated(by: tilde, most: 1 + Self.mostDisclosures) else { throw .tooComplex }
        guard let first = parts.first, parts.allSatisfy({ !$0.isEmpty }) else { throw .compactMalformed }
        issuerJWT = try CompactJWS(first, malformed: .compactMalformed)
        disclosures = Array(parts.dropFirst())
        presentation = text[...last]
        let rest = text[text.index(after: last)...]
        keyBinding = rest.isEmpty ? nil : rest
    }
}
