/// An element of Fp12 = Fp2[w]/(w⁶ - ξ), as even + odd·w over Fp6. Values of the pairing are here; GT is its subgroup of order r.
struct Fp12: Hashable, Sendable {
    /// Coefficients of w⁰, w², w⁴.
    var even: Fp6
    /// Coefficients of w¹, w³, w⁵.
    var odd: Fp6

    init(_ even: Fp6, _ odd: Fp6) {
        self.even = even
        self.odd = odd
    }

    static var one: Fp12 { Fp12(.one, .zero) }

    static func * (left: Fp12, right: Fp12) -> Fp12 {
        let even = left.even * right.even, odd = left.odd * right.odd
        return Fp12(even + odd.timesV, (left.even + left.odd) * (right.even + right.odd) - even - odd)
    }

    var squared: Fp12 {
        let product = even * odd
        return Fp12((even + odd) * (even + odd.timesV) - product - product.timesV, product + product)
    }

    /// Times a line d + e·w + f·w³, which has no other coefficients.
    func times(line d: Fp2, _ e: Fp2, _ f: Fp2) -> Fp12 {
        let first = even * d, second = odd.times(e, f)
        return Fp12(first + second.timesV, (even + odd).times(d + e, f) - first - second)
    }

    /// The power p⁶. Of an element of GT, the inverse.
    var conjugate: Fp12 { Fp12(even, -odd) }

    var inverse: Fp12 {
        let norm = (even * even - (odd * odd).timesV).inverse
        return Fp12(even * norm, -(odd * norm))
    }

    /// The power p: the coefficient of wⁿ is conjugated and multiplied by ξ^(n(p-1)/6).
    var frobenius: Fp12 {
        Fp12(
            Fp6(even.a.conjugate, even.b.conjugate * FrobeniusConstants.w2, even.c.conjugate * FrobeniusConstants.w4),
            Fp6(
                odd.a.conjugate * FrobeniusConstants.w1, odd.b.conjugate * FrobeniusConstants.w3,
                odd.c.conjugate * FrobeniusConstants.w5))
    }

    /// The square of an element whose order divides p⁴ - p² + 1 (Granger and Scott): a third of the work of `squared`.
    var cyclotomicSquared: Fp12 {
        let (first, second) = Self.squareInFp4(even.a, odd.b)
        let (third, fourth) = Self.squareInFp4(odd.a, even.c)
        let (fifth, sixth) = Self.squareInFp4(even.b, odd.c)
        let twisted = sixth.timesXi
        return Fp12(
            Fp6((first - even.a).doubled + first, (third - even.b).doubled + third, (fifth - even.c).doubled + fifth),
            Fp6((twisted + odd.a).doubled + twisted, (second + odd.b).doubled + second, (fourth + odd.c).doubled + fourth))
    }

    private static func squareInFp4(_ a: Fp2, _ b: Fp2) -> (Fp2, Fp2) {
        let aa = a.squared, bb = b.squared
        return (bb.timesXi + aa, (a + b).squared - aa - bb)
    }

    /// The power of an element whose order divides p⁴ - p² + 1.
    func cyclotomicPower(_ exponent: Limbs) -> Fp12 {
        var powers = [Fp12.one, self]
        for _ in 2..<16 { powers.append((powers.last ?? self) * self) }
        var result = Fp12.one, isBegun = false
        for index in stride(from: 63, through: 0, by: -1) {
            if isBegun { result = result.cyclotomicSquared.cyclotomicSquared.cyclotomicSquared.cyclotomicSquared }
            let digit = exponent.digit(index)
            if digit != 0, powers.indices.contains(digit) {
                result = isBegun ? result * powers[digit] : powers[digit]
                isBegun = true
            }
        }
        return result
    }

    /// The power of any element: for what has yet to be checked.
    func power(_ exponent: Limbs) -> Fp12 {
        var result = Fp12.one
        for position in stride(from: 255, through: 0, by: -1) {
            result = result.squared
            if exponent.bit(position) { result = result * self }
        }
        return result
    }
}

/// ξ^(n(p-1)/6) for n = 1 … 5, as Montgomery residues.
enum FrobeniusConstants {
    static var w1: Fp2 {
        Fp2(
            Fp(residue: Limbs(0x2728_3800_75E9_4F74, 0x144F_87F9_C79B_1F6B, 0xD591_0FFE_D2C9_2F70, 0x1830_373E_E92A_CF9F)),
            Fp(residue: Limbs(0x7FD7_C7FF_8A16_B09F, 0x4CD1_7806_3864_E0A8, 0xE4A3_3D81_2D36_D098, 0x0CF3_2D43_56D5_3061)))
    }
    static var w2: Fp2 {
        Fp2(.zero, Fp(residue: Limbs(0x056E_FC68_E869_FD55, 0x1C92_2091_38D7_BA61, 0xC065_1CD3_594D_6466, 0x22A8_7DEB_BFFF_FFEF)))
    }
    static var w3: Fp2 {
        let both = Fp(residue: Limbs(0xFD55_C5DC_7167_4777, 0xC45A_8B4E_56D9_569C, 0x5F01_1647_2CAE_2274, 0x1AA6_D99B_1D11_5E0A))
        return Fp2(both, both)
    }
    static var w4: Fp2 {
        Fp2(Fp(residue: Limbs(0x746E_FC68_E869_FCD0, 0x74AB_2091_38D7_B9D7, 0xA8F6_FE53_594D_642B, 0x1EB0_BE5B_FFFF_FFE3)), .zero)
    }
    static var w5: Fp2 {
        Fp2(
            Fp(residue: Limbs(0x7D7D_FDDC_E750_96D8, 0x7789_1348_1E74_75F4, 0x7A5D_D8C5_FF77_51DC, 0x0DB3_AC57_C63C_2DA8)),
            Fp(residue: Limbs(0x2982_0223_18AF_693B, 0xE997_ECB7_E18B_8A1F, 0x3FD6_74BA_0088_AE2B, 0x176F_B82A_79C3_D259)))
    }
}
