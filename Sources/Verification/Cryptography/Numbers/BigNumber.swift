import COpenSSL

/// An integer of any size, libcrypto's BIGNUM. For numbers that are public: nothing here takes the same time for all of them.
public struct BigNumber: ~Copyable {
    /// Octets of the largest number that is read. Proofs of AnonCreds have integers of up to 500 (anoncreds.md section 2).
    public static let longest = 1024
    /// Digits of the longest decimal text that is read; it fits `longest`.
    public static let mostDigits = 2400

    let pointer: OpaquePointer

    init(owning pointer: OpaquePointer) { self.pointer = pointer }

    deinit { BN_free(pointer) }

    /// From a big-endian magnitude; none is zero. Throws `wrongLength` above `longest`, `unavailable`.
    public init(octets: Span<UInt8>) throws(CryptographyError) {
        guard octets.count <= Self.longest else { throw .wrongLength }
        let made = try Self.made()
        guard octets.withUnsafeBufferPointer({ BN_bin2bn($0.baseAddress, Int32($0.count), made) }) != nil else {
            BN_free(made)
            throw Library.failure(.unavailable)
        }
        pointer = made
    }

    /// From `-?[0-9]+`. libcrypto stops at the first character it does not know, so the text is looked at first. Throws `wrongLength` for
    /// any other text and for one of more than `mostDigits`, `unavailable`.
    public init(decimal: Span<UInt8>) throws(CryptographyError) {
        var text: [CChar] = []
        text.reserveCapacity(decimal.count + 1)
        for index in decimal.indices {
            let octet = decimal[index]
            guard index <= Self.mostDigits, UInt8(ascii: "0")...UInt8(ascii: "9") ~= octet || (index == 0 && octet == UInt8(ascii: "-"))
            else {
                throw .wrongLength
            }
            text.append(CChar(bitPattern: octet))
        }
        guard let last = text.last, last != CChar(bitPattern: UInt8(ascii: "-")) else { throw .wrongLength }
        text.append(0)
        let count = Int32(text.count - 1)
        var made: OpaquePointer? = try Self.made()
        guard BN_dec2bn(&made, text) == count, let made else {
            BN_free(made)
            throw Library.failure(.unavailable)
        }
        pointer = made
    }

    /// Throws `unavailable`.
    public init(_ value: Int64) throws(CryptographyError) {
        let made = try Self.made()
        guard BN_set_word(made, UInt(value.magnitude)) == 1 else {
            BN_free(made)
            throw Library.failure(.unavailable)
        }
        if value < 0 { BN_set_negative(made, 1) }
        pointer = made
    }

    static func made() throws(CryptographyError) -> OpaquePointer {
        _ = Library.shared
        guard let made = BN_new() else { throw Library.failure(.unavailable) }
        return made
    }

    public var isNegative: Bool { BN_is_negative(pointer) == 1 }
    public var isZero: Bool { BN_is_zero(pointer) == 1 }

    /// Bits of the magnitude; 0 for zero.
    public var bitCount: Int { Int(BN_num_bits(pointer)) }

    /// The magnitude, big-endian without leading zeros; empty for zero.
    public var octets: [UInt8] {
        let count = (bitCount + 7) / 8
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, written in
            written = count == 0 ? 0 : Int(max(BN_bn2bin(pointer, buffer.baseAddress), 0))
        }
    }

    public borrowing func isLess(than other: borrowing BigNumber) -> Bool { BN_cmp(pointer, other.pointer) < 0 }

    /// Throws `unavailable`.
    public borrowing func plus(_ other: borrowing BigNumber) throws(CryptographyError) -> BigNumber {
        let result = BigNumber(owning: try Self.made())
        guard BN_add(result.pointer, pointer, other.pointer) == 1 else { throw Library.failure(.unavailable) }
        return result
    }

    /// Throws `unavailable`.
    public borrowing func minus(_ other: borrowing BigNumber) throws(CryptographyError) -> BigNumber {
        let result = BigNumber(owning: try Self.made())
        guard BN_sub(result.pointer, pointer, other.pointer) == 1 else { throw Library.failure(.unavailable) }
        return result
    }

    /// Throws `unavailable`.
    public borrowing func times(_ other: borrowing BigNumber) throws(CryptographyError) -> BigNumber {
        let result = BigNumber(owning: try Self.made()), work = try NumberWork()
        guard BN_mul(result.pointer, pointer, other.pointer, work.context) == 1 else { throw Library.failure(.unavailable) }
        return result
    }

    /// This number times 2 to the `bits`, at most eight times `longest`. Throws `wrongLength`, `unavailable`.
    public borrowing func shifted(left bits: Int) throws(CryptographyError) -> BigNumber {
        guard 0...8 * Self.longest ~= bits else { throw .wrongLength }
        let result = BigNumber(owning: try Self.made())
        guard BN_lshift(result.pointer, pointer, Int32(bits)) == 1 else { throw Library.failure(.unavailable) }
        return result
    }

    /// The remainder in 0 ..< `modulus`, also of a negative number. Throws `unavailable`, which a modulus of zero is too.
    public borrowing func modulo(_ modulus: borrowing BigNumber) throws(CryptographyError) -> BigNumber {
        let result = BigNumber(owning: try Self.made()), work = try NumberWork()
        guard BN_nnmod(result.pointer, pointer, modulus.pointer, work.context) == 1 else { throw Library.failure(.unavailable) }
        return result
    }
}

/// libcrypto's pool of temporary numbers.
struct NumberWork: ~Copyable {
    let context: OpaquePointer

    /// Throws `unavailable`.
    init() throws(CryptographyError) {
        _ = Library.shared
        guard let made = BN_CTX_new() else { throw Library.failure(.unavailable) }
        context = made
    }

    deinit { BN_CTX_free(context) }
}
