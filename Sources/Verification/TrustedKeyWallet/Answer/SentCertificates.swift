import Envelopes

/// Certificates as an answer has them: base64 with commas between, each perhaps in PEM armour (trustedkey.md section 2).
enum SentCertificates {
    /// Octets of the longest certificate.
    static let longest = 4 << 10
    static let mostClaims = 16
    static let mostIssuers = 8

    private static let begin = Array("-----BEGINCERTIFICATE-----".utf8), end = Array("-----ENDCERTIFICATE-----".utf8)

    /// The octets of each, which nobody has looked at yet; none for an empty text. Throws `answerMalformed`.
    static func decode(_ text: [UInt8]?, most: Int) throws(TrustedKeyFault) -> [[UInt8]] {
        guard let text else { return [] }
        let characters = text.filter { !isBlank($0) }
        guard !characters.isEmpty else { return [] }
        guard let parts = characters[...].separated(by: UInt8(ascii: ","), most: most) else { throw .answerMalformed }
        var certificates: [[UInt8]] = []
        for part in parts {
            guard let der = Base64.decode(unarmoured(part), alphabet: .standard), 1...longest ~= der.count else { throw .answerMalformed }
            certificates.append(der)
        }
        return certificates
    }

    private static func isBlank(_ octet: UInt8) -> Bool { octet == 0x20 || octet == 0x0A || octet == 0x0D || octet == 0x09 }

    /// Without the armour, where both halves of it are there. Half an armour stays, and is no base64.
    private static func unarmoured(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard text.count > begin.count + end.count, text.starts(with: begin), text.suffix(end.count).elementsEqual(end) else { return text }
        return text.dropFirst(begin.count).dropLast(end.count)
    }
}
