/// Comparisons and classes of octets (RFC 9110 section 5.6.2). No text is made of what a stranger sent.
enum Octets {
    static func equal(_ octets: borrowing Span<UInt8>, _ text: StaticString) -> Bool {
        text.withUTF8Buffer { text in
            guard octets.count == text.count else { return false }
            for index in text.indices where octets[index] != text[index] { return false }
            return true
        }
    }

    /// - Parameter text: in lower case.
    static func equalIgnoringCase(_ octets: borrowing Span<UInt8>, _ text: StaticString) -> Bool {
        text.withUTF8Buffer { text in
            guard octets.count == text.count else { return false }
            for index in text.indices where lowered(octets[index]) != text[index] { return false }
            return true
        }
    }

    /// SP or HTAB.
    static func isBlank(_ octet: UInt8) -> Bool { octet == 0x20 || octet == 0x09 }

    /// What a method or a field's name is made of (`tchar`).
    static func isOfToken(_ octet: UInt8) -> Bool {
        switch octet {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "!#$%&'*+-.^_`|~".utf8.contains(octet)
        }
    }

    /// What a field's value is made of: visible characters, blanks, and what is not ASCII.
    static func isOfValue(_ octet: UInt8) -> Bool { octet >= 0x20 && octet != 0x7F || octet == 0x09 }

    private static func lowered(_ octet: UInt8) -> UInt8 {
        UInt8(ascii: "A")...UInt8(ascii: "Z") ~= octet ? octet | 0x20 : octet
    }
}
