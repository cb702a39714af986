import COpenSSL

/// What a certificate's subject consists of, for certificates whose values stand there (trustedkey.md section 6).
extension Certificate {
    /// One part of a subject's name: its kind as a dotted identifier ("2.5.4.3"), and its text.
    public struct SubjectPart: Hashable, Sendable {
        public let identifier: String
        public let text: String
    }

    /// Most parts of a subject that are looked at. A claim has one for each value, and 4 KiB of certificate hold no more than this.
    private static let mostParts: Int32 = 256

    /// All parts of the subject's name, in order: UTF8String, PrintableString, IA5String and NumericString.
    ///
    /// Throws `malformedCertificate` for a value of another kind, for text that its kind does not allow or that is empty, and for more
    /// parts than are looked at.
    public func subjectParts() throws(CryptographyError) -> [SubjectPart] {
        defer { ERR_clear_error() }
        let name = X509_get_subject_name(storage.certificate)
        let count = X509_NAME_entry_count(name)
        guard 0...Self.mostParts ~= count else { throw .malformedCertificate }
        var parts: [SubjectPart] = []
        for index in 0..<count {
            guard let entry = X509_NAME_get_entry(name, index), let identifier = Self.dotted(X509_NAME_ENTRY_get_object(entry)),
                let text = Self.exactText(X509_NAME_ENTRY_get_data(entry))
            else { throw .malformedCertificate }
            parts.append(SubjectPart(identifier: identifier, text: text))
        }
        return parts
    }

    /// The text of a string type as it stands there: nothing is converted.
    private static func exactText(_ value: UnsafePointer<ASN1_STRING>?) -> String? {
        guard let value, let start = ASN1_STRING_get0_data(value) else { return nil }
        let octets = UnsafeBufferPointer(start: start, count: max(0, Int(ASN1_STRING_length(value))))
        guard !octets.isEmpty, let text = String(validating: octets, as: UTF8.self) else { return nil }
        switch ASN1_STRING_type(value) {
        case V_ASN1_UTF8STRING: return text
        case V_ASN1_IA5STRING: return octets.allSatisfy { $0 < 0x80 } ? text : nil
        case V_ASN1_PRINTABLESTRING: return octets.allSatisfy(isPrintable) ? text : nil
        case V_ASN1_NUMERICSTRING: return octets.allSatisfy { $0 == 0x20 || isDigit($0) } ? text : nil
        default: return nil
        }
    }

    private static func isDigit(_ octet: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= octet }

    /// X.680 table 10.
    private static func isPrintable(_ octet: UInt8) -> Bool {
        let isLetter = UInt8(ascii: "a")...UInt8(ascii: "z") ~= octet | 0x20 && octet < 0x80
        return isLetter || isDigit(octet) || " '()+,-./:=?".utf8.contains(octet)
    }
}
