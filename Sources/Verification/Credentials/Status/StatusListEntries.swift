import CBOR
import CZlib
import Envelopes
import JSON

/// A Bitstring Status List of the W3C, and its predecessor StatusList2021: gzip, entries from the most significant bit on.
///
/// Whether the list is signed, current and the one the credential names is decided before: here are only its bits.
struct BitstringStatusList {
    /// Fewer entries do not hide which credential is asked for, and are an error (section 3.2, "minimum").
    static let fewestEntries: UInt64 = 131_072
    let octets: [UInt8]

    /// Number of entries of one bit.
    var count: UInt64 { UInt64(octets.count) * 8 }

    /// - Parameter encodedList: the member of that name.
    init(encodedList: String, format: StatusEntry.Format) throws(StatusListError) {
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
        guard (1...StatusEntry.largestSize).contains(size) else { return nil }
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
    func status(at index: UInt64, purpose: StatusEntry.Purpose, size: Int = 1) -> CredentialStatus {
        switch value(at: index, size: size) {
        case nil: .unknown
        case 0: .good
        default: purpose == .revocation ? .revoked : .suspended
        }
    }

    /// The same from the text: a list that cannot be read says nothing.
    static func status(
        encodedList: String, format: StatusEntry.Format, at index: UInt64, purpose: StatusEntry.Purpose, size: Int = 1
    ) -> CredentialStatus {
        guard let list = try? BitstringStatusList(encodedList: encodedList, format: format) else { return .unknown }
        return list.status(at: index, purpose: purpose, size: size)
    }
}

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

/// What a status list says about one credential.
///
/// Only a list that was read without any fault says anything: every doubt is `unknown`, which is neither good nor revoked. What `unknown`
/// means for a verdict is policy.
public enum CredentialStatus: String, Hashable, Sendable, CaseIterable {
    case good, revoked, suspended, unknown
}

/// Why a status list cannot be read.
public enum StatusListError: Error, Hashable, Sendable, CaseIterable {
    /// A member is missing, has the wrong type, or is not the text form of anything.
    case malformed
    /// A number of bits for each entry that the format does not have.
    case sizeRefused
    /// Not the compression the format asks for, or broken inside.
    case corrupt
    /// The compressed data end before their own end.
    case truncated
    /// Bytes after the compressed data.
    case trailingBytes
    /// More than the cap once inflated.
    case tooLarge
    /// Fewer entries than a list must have to hide a holder among others.
    case tooShort
    /// No memory: a fault of the gate.
    case unavailable
}

/// Inflates a status list. The cap is on what comes out: a few kilobytes can ask for gigabytes.
enum StatusInflation {
    enum Container: Int32 {
        /// RFC 1950, a window of up to 32 KiB.
        case zlib = 15
        /// RFC 1952, one member.
        case gzip = 31
    }

    /// Most bytes a list may have: 33 million entries of one bit.
    static let cap = 4 << 20
    private static let block = 64 << 10

    /// - Parameter compressed: exactly one stream.
    static func inflate(_ compressed: [UInt8], _ container: Container, cap: Int = cap) throws(StatusListError) -> [UInt8] {
        guard !compressed.isEmpty else { throw .truncated }
        guard let length = UInt32(exactly: compressed.count) else { throw .tooLarge }
        // zlib's state points back to its stream, so the stream needs an address that never changes.
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        defer { stream.deallocate() }
        guard inflateInit2_(stream, container.rawValue, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            throw .unavailable
        }
        defer { inflateEnd(stream) }
        var input = compressed
        return try input.withUnsafeMutableBufferPointer { (input) throws(StatusListError) in
            stream.pointee.next_in = input.baseAddress
            stream.pointee.avail_in = length
            return try drain(stream, cap: cap)
        }
    }

    private static func drain(_ stream: UnsafeMutablePointer<z_stream>, cap: Int) throws(StatusListError) -> [UInt8] {
        var output: [UInt8] = []
        var room = [UInt8](repeating: 0, count: block)
        while true {
            let (status, written) = room.withUnsafeMutableBufferPointer { room in
                stream.pointee.next_out = room.baseAddress
                stream.pointee.avail_out = UInt32(truncatingIfNeeded: room.count)
                let status = CZlib.inflate(stream, Z_NO_FLUSH)
                return (status, room.count - Int(stream.pointee.avail_out))
            }
            guard output.count + written <= cap else { throw .tooLarge }
            output.append(contentsOf: room.prefix(written))
            switch status {
            case Z_STREAM_END:
                guard stream.pointee.avail_in == 0 else { throw .trailingBytes }
                return output
            case Z_OK where written > 0 || stream.pointee.avail_in > 0:
                continue
            case Z_OK, Z_BUF_ERROR:
                throw .truncated
            case Z_DATA_ERROR, Z_NEED_DICT:
                throw .corrupt
            default:
                throw .unavailable
            }
        }
    }
}
