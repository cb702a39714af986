import COpenSSL

/// A number modulo n, as `Modulus` computes with it. It means something together with that modulus only.
public struct Residue: Sendable {
    /// Little-endian, in Montgomery's form, `Modulus.width` octets.
    let octets: [UInt8]
}

/// An odd modulus n of 1024 to 4096 bits with what Montgomery's multiplication needs: made once, when what has the modulus is loaded.
///
/// libcrypto has fast multiplications for 4k limbs of 64 bits with a full highest one, and n of AnonCreds has 33 limbs and one to three
/// bits in the highest. So everything is computed modulo n·q, with the odd q that fills 36 limbs, and reduced modulo n at the end: 36
/// limbs take half the time of 33 here. Nothing changes after `init`, which is why sharing it between threads is safe.
public final class Modulus: @unchecked Sendable {
    /// Bits of n. Key sizes of RSA and CL are between.
    public static let bits = 1024...4096
    private static let limbBits = 64

    let number: OpaquePointer
    /// Of n·q.
    let montgomery: OpaquePointer
    /// Octets of a residue.
    let width: Int
    /// n, big-endian.
    public let octets: [UInt8]
    public let bitCount: Int

    /// - Parameter octets: n, big-endian.
    ///
    /// Throws `malformedKey` for an even one, `keySizeRefused`, `unavailable`.
    public init(_ octets: Span<UInt8>) throws(CryptographyError) {
        let number = try BigNumber(octets: octets)
        guard Self.bits ~= number.bitCount else { throw .keySizeRefused }
        guard BN_is_odd(number.pointer) == 1 else { throw .malformedKey }
        let wide = try Self.widened(number), work = try NumberWork()
        guard let montgomery = BN_MONT_CTX_new() else { throw Library.failure(.unavailable) }
        guard BN_MONT_CTX_set(montgomery, wide.pointer, work.context) == 1, let copy = BN_dup(number.pointer) else {
            BN_MONT_CTX_free(montgomery)
            throw Library.failure(.unavailable)
        }
        self.number = copy
        self.montgomery = montgomery
        self.octets = number.octets
        bitCount = number.bitCount
        width = (wide.bitCount + 7) / 8
    }

    deinit {
        BN_free(number)
        BN_MONT_CTX_free(montgomery)
    }

    /// The largest odd multiple n·q that fills a number of limbs that 4 divides.
    private static func widened(_ number: borrowing BigNumber) throws(CryptographyError) -> BigNumber {
        let limbs = (number.bitCount + limbBits - 1) / limbBits, room = (limbs + 3) / 4 * 4 * limbBits
        let power = try BigNumber(1).shifted(left: room), work = try NumberWork()
        let quotient = BigNumber(owning: try BigNumber.made())
        guard BN_div(quotient.pointer, nil, power.pointer, number.pointer, work.context) == 1 else { throw Library.failure(.unavailable) }
        // n is odd and more than one, so the quotient times n is below the power; one less where it is even.
        if BN_is_odd(quotient.pointer) == 0 { return try quotient.minus(BigNumber(1)).times(number) }
        return try quotient.times(number)
    }

    /// Whether 0 ≤ `octets` < n.
    public func contains(_ octets: Span<UInt8>) -> Bool {
        guard let other = try? BigNumber(octets: octets) else { return false }
        return BN_cmp(other.pointer, number) < 0
    }

    /// The residue of a big-endian number. Throws `wrongLength`, `unavailable`.
    public func residue(_ octets: Span<UInt8>) throws(CryptographyError) -> Residue {
        let number = try BigNumber(octets: octets), work = try NumberWork()
        return try residue(number, work)
    }

    func residue(_ value: borrowing BigNumber, _ work: borrowing NumberWork) throws(CryptographyError) -> Residue {
        let result = try value.modulo(BigNumber(copying: number))
        guard BN_to_montgomery(result.pointer, result.pointer, montgomery, work.context) == 1 else { throw Library.failure(.unavailable) }
        return try stored(result.pointer)
    }

    func stored(_ pointer: OpaquePointer) throws(CryptographyError) -> Residue {
        var written: Int32 = -1
        let octets = [UInt8](unsafeUninitializedCapacity: width) { buffer, count in
            written = BN_bn2lebinpad(pointer, buffer.baseAddress, Int32(width))
            count = written < 0 ? 0 : width
        }
        guard written >= 0 else { throw Library.failure(.unavailable) }
        return Residue(octets: octets)
    }

    /// The number of a residue in 0 ..< n, big-endian without leading zeros. Throws `unavailable`.
    public func octets(of residue: Residue) throws(CryptographyError) -> [UInt8] {
        let work = try NumberWork()
        return try number(of: residue, work).octets
    }

    func number(of residue: Residue, _ work: borrowing NumberWork) throws(CryptographyError) -> BigNumber {
        let result = BigNumber(owning: try BigNumber.made())
        guard BN_lebin2bn(residue.octets, Int32(residue.octets.count), result.pointer) != nil,
            BN_from_montgomery(result.pointer, result.pointer, montgomery, work.context) == 1,
            BN_nnmod(result.pointer, result.pointer, number, work.context) == 1
        else { throw Library.failure(.unavailable) }
        return result
    }

    /// The inverses of all, by one inversion and three multiplications each; nil where one of them has none. Throws `unavailable`.
    public func inverses(of residues: [Residue]) throws(CryptographyError) -> [Residue]? {
        guard !residues.isEmpty else { return [] }
        let work = try NumberWork()
        // products[i] is that of the first i + 1.
        var products: [Residue] = []
        for residue in residues {
            products.append(try products.last.map { (last) throws(CryptographyError) in try multiply(last, residue, work) } ?? residue)
        }
        guard let last = products.last else { return nil }
        let whole = try number(of: last, work)
        let inverse = BigNumber(owning: try BigNumber.made())
        guard BN_mod_inverse(inverse.pointer, whole.pointer, number, work.context) != nil else {
            ERR_clear_error()
            return nil
        }
        var rest = try residue(inverse, work), inverses: [Residue] = []
        for index in residues.indices.reversed() {
            guard index > 0 else { break }
            inverses.append(try multiply(rest, products[index - 1], work))
            rest = try multiply(rest, residues[index], work)
        }
        inverses.append(rest)
        return inverses.reversed()
    }

    func multiply(_ left: Residue, _ right: Residue, _ work: borrowing NumberWork) throws(CryptographyError) -> Residue {
        let result = BigNumber(owning: try BigNumber.made()), other = BigNumber(owning: try BigNumber.made())
        guard BN_lebin2bn(left.octets, Int32(left.octets.count), result.pointer) != nil,
            BN_lebin2bn(right.octets, Int32(right.octets.count), other.pointer) != nil,
            BN_mod_mul_montgomery(result.pointer, result.pointer, other.pointer, montgomery, work.context) == 1
        else { throw Library.failure(.unavailable) }
        return try stored(result.pointer)
    }

    /// The product of two. Throws `unavailable`.
    public func product(_ left: Residue, _ right: Residue) throws(CryptographyError) -> Residue {
        let work = try NumberWork()
        return try multiply(left, right, work)
    }

    /// `base` to the `exponent`, both big-endian, in the plain way: what the fast products are compared with. Throws `wrongLength`,
    /// `unavailable`.
    public func power(_ base: Span<UInt8>, _ exponent: Span<UInt8>) throws(CryptographyError) -> [UInt8] {
        let base = try BigNumber(octets: base), exponent = try BigNumber(octets: exponent), work = try NumberWork()
        let result = BigNumber(owning: try BigNumber.made())
        guard BN_mod_exp_mont(result.pointer, base.pointer, exponent.pointer, number, work.context, nil) == 1 else {
            throw Library.failure(.unavailable)
        }
        return result.octets
    }
}

extension BigNumber {
    /// Throws `unavailable`.
    init(copying other: OpaquePointer) throws(CryptographyError) {
        _ = Library.shared
        guard let made = BN_dup(other) else { throw Library.failure(.unavailable) }
        pointer = made
    }
}
