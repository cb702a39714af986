import CBOR
import JSON

/// A Token Status List of the IETF (draft-ietf-oauth-status-list section 4): zlib, entries from the least significant bit on.
///
/// Whether the token around it is signed, current and the one the credential names is decided before: here are only its entries.
struct TokenStatusList {
    /// Bits of one entry.
    let size: UInt64
    let octets: [UInt8]

    /// - Parameters:
    ///   - bits: 1, 2, 4 or 8.
    ///   - compressed: `lst`, decoded.
    init(bits: UInt64, compressed: [UInt8]) throws(StatusListError) {
        guard [1, 2, 4, 8].contains(bits) else { throw .sizeRefused }
        size = bits
        octets = try StatusInflation.inflate(compressed, .zlib)
    }

    /// The `status_list` of a JWT (section 4.2). Other members, for example `aggregation_uri`, play no part.
    init(_ list: JSONValue) throws(StatusListError) {
        guard let bits = list["bits"]?.int64, let text = list["lst"]?.string, let compressed = Base64.decode(text) else { throw .malformed }
        guard let bits = UInt64(exactly: bits) else { throw .sizeRefused }
        try self.init(bits: bits, compressed: compressed)
    }

    /// Claim 65533 of a CWT (section 4.3).
    init(_ list: CBORItem) throws(StatusListError) {
        guard let bits = list["bits"]?.uint64, let compressed = list["lst"]?.bytes else { throw .malformed }
        try self.init(bits: bits, compressed: compressed)
    }

    /// Number of entries. The last ones may be padding.
    var count: UInt64 { UInt64(octets.count) * 8 / size }

    /// The entry; nil when there is none at `index`.
    func value(at index: UInt64) -> UInt8? {
        guard index < count else { return nil }
        // Below `count` the product cannot overflow.
        let bit = index * size
        guard let position = Int(exactly: bit / 8), position < octets.count else { return nil }
        return octets[position] >> UInt8(bit % 8) & UInt8(truncatingIfNeeded: UInt64(1) << size - 1)
    }

    /// What the entry says (section 7.1). Types of applications are unknown here.
    func status(at index: UInt64) -> CredentialStatus {
        switch value(at: index) {
        case 0: .good
        case 1: .revoked
        case 2: .suspended
        default: .unknown
        }
    }
}
