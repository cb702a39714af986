import TestSupport
import Testing

@testable import Cryptography

/// Numbers of any size, and products of powers by the fast way and the plain one.
struct BigNumberTests {
    /// Odd, of the given bits.
    private static func modulus(_ bits: Int, _ random: inout SeededRandom) throws -> Modulus {
        var octets = random.bytes((bits + 7) / 8)
        let top = (bits - 1) % 8
        octets[0] = octets[0] & UInt8((1 << top) - 1) | UInt8(1 << top)
        octets[octets.count - 1] |= 1
        return try Modulus(octets.span)
    }

    private static func number(_ decimal: String) throws(CryptographyError) -> BigNumber {
        let octets = Array(decimal.utf8)
        return try BigNumber(decimal: octets.span)
    }

    private static func residue(_ octets: [UInt8], _ modulus: Modulus) throws(CryptographyError) -> Residue {
        try modulus.residue(octets.span)
    }

    /// Sign and hexadecimal magnitude: what a noncopyable number is compared by.
    private static func text(_ number: borrowing BigNumber) -> String { (number.isNegative ? "-" : "") + Hex.text(number.octets) }

    @Test func numbersAreReadAndWritten() throws {
        #expect(try Self.text(Self.number("65537")) == "010001")
        #expect(try Self.text(Self.number("0")) == "")
        #expect(try Self.text(Self.number("-258")) == "-0102")
        let padded: [UInt8] = [0, 0, 5]
        #expect(try Self.text(BigNumber(octets: padded.span)) == "05")
        #expect(try Self.text(BigNumber(Int64.min)) == "-8000000000000000")
        let bits = try Self.number("-258").bitCount
        #expect(bits == 9)
    }

    @Test(arguments: ["", "-", "+1", "1 ", " 1", "1a", "0x1", "1\u{0}2", "--1", "1-", "٣", String(repeating: "1", count: 2500)])
    func otherTextsAreNoNumbers(_ text: String) {
        #expect(throws: CryptographyError.wrongLength) { try Self.text(Self.number(text)) }
    }

    @Test func arithmeticHasSigns() throws {
        let seven = try BigNumber(7), minusTen = try BigNumber(-10), zero = try BigNumber(0)
        let sum = try Self.text(seven.plus(minusTen)), difference = try Self.text(seven.minus(minusTen))
        let product = try Self.text(seven.times(minusTen)), remainder = try Self.text(minusTen.modulo(seven))
        let shifted = try Self.text(seven.shifted(left: 9)), isLess = seven.isLess(than: minusTen)
        #expect([sum, difference, product, remainder, shifted] == ["-03", "11", "-46", "04", "0e00"])
        #expect(!isLess)
        let negative = Result { try Self.text(seven.shifted(left: -1)) }, byZero = Result { try Self.text(seven.modulo(zero)) }
        #expect(throws: CryptographyError.wrongLength) { try negative.get() }
        #expect(throws: CryptographyError.unavailable) { try byZero.get() }
    }

    @Test func moduliAreOddAndOfTheirSize() throws {
        let even = [UInt8](repeating: 0xFE, count: 256), short: [UInt8] = [7], long = [UInt8](repeating: 0xFF, count: 513)
        #expect(throws: CryptographyError.malformedKey) { try Modulus(even.span) }
        #expect(throws: CryptographyError.keySizeRefused) { try Modulus(short.span) }
        #expect(throws: CryptographyError.keySizeRefused) { try Modulus(long.span) }
    }

    @Test(arguments: [1024, 2047, 2048, 2049, 2050, 2056, 2304, 4096]) func productsAreThoseOfPlainPowers(_ bits: Int) throws {
        var random = SeededRandom(seed: UInt64(bits))
        let modulus = try Self.modulus(bits, &random)
        for count in [0, 1, 2, 3, 7] {
            var factors: [Power] = [], expected = try Self.residue([1], modulus)
            for index in 0..<count {
                let base = random.bytes(bits / 8), exponent = index == 2 ? [] : random.bytes([1, 32, 75, 383, 20][index % 5])
                factors.append(Power(try modulus.residue(base.span), exponent))
                let power = try modulus.power(base.span, exponent.span)
                expected = try modulus.product(expected, modulus.residue(power.span))
            }
            #expect(try modulus.octets(of: modulus.product(factors)) == modulus.octets(of: expected))
        }
    }

    @Test(arguments: [1, 8, 9, 594, 2433, 3061]) func tablesGiveTheSamePowers(_ bits: Int) throws {
        var random = SeededRandom(seed: UInt64(bits))
        let modulus = try Self.modulus(2049, &random), octets = random.bytes(256), other = random.bytes(256)
        let base = try FixedBase(Self.residue(octets, modulus), bits: bits, of: modulus)
        // As long as the table is for, shorter, nothing, longer.
        for length in [(bits + 7) / 8, bits / 16, 0, 400] {
            let exponent = random.bytes(length), more = random.bytes(32)
            let expected = try modulus.product(
                Self.residue(modulus.power(octets.span, exponent.span), modulus),
                Self.residue(modulus.power(other.span, more.span), modulus))
            let found = try modulus.product([Power(base, exponent), Power(Self.residue(other, modulus), more)])
            #expect(try modulus.octets(of: found) == modulus.octets(of: expected))
        }
        #expect(throws: CryptographyError.wrongLength) { try FixedBase(Self.residue(octets, modulus), bits: 0, of: modulus) }
    }

    @Test func inversesAreAllOrNone() throws {
        var random = SeededRandom(seed: 3)
        let modulus = try Self.modulus(2049, &random)
        let residues = try (0..<6).map { _ in
            let octets = random.bytes(250)
            return try modulus.residue(octets.span)
        }
        let inverses = try #require(try modulus.inverses(of: residues))
        for (residue, inverse) in zip(residues, inverses) {
            #expect(try modulus.octets(of: modulus.product(residue, inverse)) == [1])
        }
        let zero = try Self.residue([], modulus)
        #expect(try modulus.inverses(of: residues + [zero]) == nil)
        #expect(try modulus.inverses(of: [])?.isEmpty == true)
    }

    @Test func tooManyFactorsAreRefused() throws {
        var random = SeededRandom(seed: 4)
        let modulus = try Self.modulus(1024, &random), one = try Self.residue([1], modulus)
        #expect(throws: CryptographyError.wrongLength) {
            try modulus.product(Array(repeating: Power(one, [1]), count: Modulus.mostFactors + 1))
        }
    }
}
