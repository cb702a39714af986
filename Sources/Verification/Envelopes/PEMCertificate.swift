/// The textual form of certificates, RFC 7468 section 5.
public enum PEMCertificate {
    /// DER octets of the one certificate in `text`; nil when there is anything else.
    ///
    /// - Parameter label: of another kind of text: "X509 CRL" is a revocation list (RFC 7468 section 6).
    public static func decode(_ text: String, label: String = "CERTIFICATE") -> [UInt8]? {
        let begin = "-----BEGIN \(label)-----", end = "-----END \(label)-----"
        let characters = text.utf8.filter { $0 != 0x20 && $0 != 0x0A && $0 != 0x0D && $0 != 0x09 }
        // The labels contain a space themselves.
        let first = begin.utf8.filter { $0 != 0x20 }, last = end.utf8.filter { $0 != 0x20 }
        guard characters.count > first.count + last.count, characters.starts(with: first), characters.suffix(last.count).elementsEqual(last)
        else { return nil }
        return Base64.decode(ArraySlice(characters.dropFirst(first.count).dropLast(last.count)), alphabet: .standard)
    }
}
