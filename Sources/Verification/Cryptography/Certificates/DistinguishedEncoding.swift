/// The distinguished encoding rules as far as certificates go (X.690 sections 10 and 11): one value has one encoding.
///
/// libcrypto also reads lengths that are longer than need be, and keeps what it read: written again, it is what came. Where a certificate's
/// octets are all there is to compare, they have to be those that its issuer would have written (trustedkey.md section 3, step 8).
enum DistinguishedEncoding {
    /// Values within values: a certificate needs ten.
    private static let deepest = 24

    /// Whether `octets` are exactly one value, encoded so.
    static func isOneValue(_ octets: Span<UInt8>) -> Bool {
        guard let whole = header(octets, 0, octets.count), whole.end == octets.count else { return false }
        return isDistinguished(octets, whole, 0)
    }

    private struct Header {
        let identifier: UInt8
        /// Where the contents begin and end.
        let start: Int
        let end: Int

        var isConstructed: Bool { identifier & 0x20 != 0 }
        /// The tag's number, where it is one of ASN.1's own.
        var universal: UInt8? { identifier & 0xC0 == 0 ? identifier & 0x1F : nil }
    }

    /// Tags below 31, and the shortest form of a length.
    private static func header(_ octets: Span<UInt8>, _ position: Int, _ limit: Int) -> Header? {
        guard limit - position >= 2, octets[position] & 0x1F != 0x1F else { return nil }
        let first = octets[position + 1]
        var length = Int(first), start = position + 2
        if first >= 0x80 {
            let count = Int(first & 0x7F)
            guard 1...3 ~= count, limit - start >= count else { return nil }
            length = 0
            for index in start..<start + count { length = length << 8 | Int(octets[index]) }
            start += count
            // The shortest: no leading zero, and no length that fits into one octet less.
            guard length >= 0x80, count == 1 || length >> (8 * (count - 1)) != 0 else { return nil }
        }
        guard length <= limit - start else { return nil }
        return Header(identifier: octets[position], start: start, end: start + length)
    }

    private static func isDistinguished(_ octets: Span<UInt8>, _ value: Header, _ depth: Int) -> Bool {
        guard depth < deepest else { return false }
        let isSet = value.universal == 17
        // Sequences and sets hold values and nothing else does, of ASN.1's own.
        if let number = value.universal {
            guard value.isConstructed == (number == 16 || number == 17) else { return false }
        }
        guard value.isConstructed else { return isPrimitive(octets, value) }
        var position = value.start
        var last: Range<Int>?
        while position < value.end {
            guard let inner = header(octets, position, value.end), isDistinguished(octets, inner, depth + 1) else { return false }
            // X.690 section 11.6: a set's elements ascend.
            if isSet, let last, descends(octets, last, position..<inner.end) { return false }
            last = position..<inner.end
            position = inner.end
        }
        return true
    }

    private static func descends(_ octets: Span<UInt8>, _ first: Range<Int>, _ second: Range<Int>) -> Bool {
        for (left, right) in zip(first, second) where octets[left] != octets[right] { return octets[left] > octets[right] }
        return first.count > second.count
    }

    private static func isPrimitive(_ octets: Span<UInt8>, _ value: Header) -> Bool {
        let count = value.end - value.start
        switch value.universal {
        case 0: return false
        // The only one there is, whether an extension is critical, is not by default: no is not written (X.690 section 11.5).
        case 1: return count == 1 && octets[value.start] == 0xFF
        case 2, 10: return isShortestInteger(octets, value)
        case 3: return isBitString(octets, value)
        case 5: return count == 0
        case 6: return isObjectIdentifier(octets, value)
        case 23: return count == 13 && isTime(octets, value)
        case 24: return count == 15 && isTime(octets, value)
        default: return true
        }
    }

    private static func isShortestInteger(_ octets: Span<UInt8>, _ value: Header) -> Bool {
        guard value.end > value.start else { return false }
        guard value.end - value.start > 1 else { return true }
        let first = octets[value.start], second = octets[value.start + 1]
        return !(first == 0 && second < 0x80) && !(first == 0xFF && second >= 0x80)
    }

    /// Bits that no value needs are zero.
    private static func isBitString(_ octets: Span<UInt8>, _ value: Header) -> Bool {
        guard value.end > value.start else { return false }
        let unused = octets[value.start]
        guard unused < 8 else { return false }
        guard value.end - value.start > 1 else { return unused == 0 }
        return octets[value.end - 1] & ((1 << unused) - 1) == 0
    }

    /// Every number of it in as few octets as it needs.
    private static func isObjectIdentifier(_ octets: Span<UInt8>, _ value: Header) -> Bool {
        var begins = true
        for index in value.start..<value.end {
            guard !begins || octets[index] != 0x80 else { return false }
            begins = octets[index] < 0x80
        }
        return value.end > value.start && begins
    }

    /// Digits to the second, and Z (X.690 sections 11.7 and 11.8, RFC 5280 section 4.1.2.5).
    private static func isTime(_ octets: Span<UInt8>, _ value: Header) -> Bool {
        for index in value.start..<value.end - 1 {
            guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= octets[index] else { return false }
        }
        return octets[value.end - 1] == UInt8(ascii: "Z")
    }
}

extension Certificate {
    /// Parses DER that is the one encoding of what it says, as a certificate whose extensions nobody reads but for the critical ones:
    /// `readCriticalExtensions`. Throws `malformedCertificate` also where the same certificate could have been written in fewer octets, or
    /// in another order.
    public init(distinguished der: Span<UInt8>) throws(CryptographyError) {
        guard der.count <= Self.longest, DistinguishedEncoding.isOneValue(der) else { throw .malformedCertificate }
        try self.init(unread: der)
    }
}
