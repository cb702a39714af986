import JSON

/// A Bitstring Status List of the W3C, and its predecessor StatusList2021: gzip, entries from the most significant bit on.
///
/// Whether the list is signed, current and the one the credential names is decided before: here are only its bits.
struct BitstringStatusList {
    enum Format {
        /// Multibase: `u`, then base64url without padding (Bitstring Status List section 2.2).
        case bitstring
        /// base64url without padding and without a prefix (StatusList2021 section 3.2).
        case statusList2021
    }

    /// What a set bit means.
    enum Purpose: String, CaseIterable {
        case revocation, suspension
    }

    /// Fewer entries do not hide which credential is asked for, and are an error (section 3.2, "minimum").
    static let fewestEntries: UInt64 = 131_072
    /// Longest entry, in bits. The standard names no limit.
    static let largestSize = 32

    let octets: [UInt8]

    /// Number of entries of one bit.
    var count: UInt64 { UInt64(octets.count) * 8 }

    /// - Parameter encodedList: the member of that name.
    init(encodedList: String, format: Format) throws(StatusListError) {
        let text = Array(encodedList.utf8)
        let digits: ArraySlice<UInt8>
        switch format {
        case .bitstring:
            guard text.first == UInt8(ascii: "u") else { throw .malformed }
            digits = text.dropFirst()
        case .statusList2021:
            digits = text[...]
        }
        guard let compressed = Base64.decode(digits) else { throw .malformed }
        octets = try StatusInflation.inflate(compressed, .gzip)
        guard count >= Self.fewestEntries else { throw .tooShort }
    }

    /// The entry, or nil when there is none at `index` or entries of that size make the list too short.
    ///
    /// - Parameters:
    ///   - index: `statusListIndex`.
    ///   - size: `statusSize`, in bits.
    func value(at index: UInt64, size: Int = 1) -> UInt64? {
        guard (1...Self.largestSize).contains(size) else { return nil }
        let entries = count / UInt64(size)
        // Below the number of entries the product cannot overflow.
        guard entries >= Self.fewestEntries, index < entries else { return nil }
        let first = index * UInt64(size)
        var value: UInt64 = 0
        for bit in first..<first + UInt64(size) {
            guard let position = Int(exactly: bit / 8), position < octets.count else { return nil }
            value = value << 1 | UInt64(octets[position] >> (7 - UInt8(bit % 8)) & 1)
        }
        return value
    }

    /// What the entry says. Of a larger entry too, every value but 0 makes the credential invalid (section 3.2, "valid").
    func status(at index: UInt64, purpose: Purpose, size: Int = 1) -> CredentialStatus {
        switch value(at: index, size: size) {
        case nil: .unknown
        case 0: .good
        default: purpose == .revocation ? .revoked : .suspended
        }
    }

    /// The same from the text: a list that cannot be read says nothing.
    static func status(
        encodedList: String, format: Format, at index: UInt64, purpose: Purpose, size: Int = 1
    ) -> CredentialStatus {
        guard let list = try? BitstringStatusList(encodedList: encodedList, format: format) else { return .unknown }
        return list.status(at: index, purpose: purpose, size: size)
    }

    /// `statusListIndex`: a text of decimal digits; issuers write a number too. Nil for anything else, and beyond 64 bits.
    static func index(_ value: JSONValue) -> UInt64? {
        guard let digits = value.string ?? value.number?.lexeme, !digits.isEmpty, digits.utf8.count <= 20,
              digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        return UInt64(digits)
    }
}
