/// What the coordinates of a curve are: Fp for G1, Fp2 for G2.
protocol CoordinateField: Hashable, Sendable {
    static var zero: Self { get }
    static var one: Self { get }
    /// b of y² = x³ + b.
    static var curveConstant: Self { get }
    var isZero: Bool { get }
    static func + (left: Self, right: Self) -> Self
    static func - (left: Self, right: Self) -> Self
    static func * (left: Self, right: Self) -> Self
    static prefix func - (value: Self) -> Self
    var squared: Self { get }
    /// Zero for zero.
    var inverse: Self { get }
}

extension CoordinateField {
    @inline(__always) var doubled: Self { self + self }
}

/// An element of the prime field of AMCL's BN254 (anoncreds.md section 6), in Montgomery's form with R = 2^256, always below p.
struct Fp: CoordinateField {
    /// The Montgomery residue.
    var residue: Limbs

    @inline(__always) init(residue: Limbs) { self.residue = residue }

    /// p = 36x⁴ + 36x³ + 24x² + 6x + 1 of 254 bits.
    static var p: Limbs {
        @inline(__always) get { Limbs(0xA700_0000_0000_0013, 0x6121_0000_0000_0013, 0xBA34_4D80_0000_0008, 0x2523_6482_4000_0001) }
    }
    /// -1/p modulo 2^64.
    private static var inverseOfP: UInt64 { @inline(__always) get { 0x0843_5E50_D794_35E5 } }
    /// R² mod p.
    private static var squareOfR: Limbs {
        Limbs(0xB3E8_8674_5370_473D, 0x55EF_BF6E_8C1C_C3F1, 0x281E_3A1B_7F86_954F, 0x1B0A_32FD_F640_3A3D)
    }

    static var zero: Fp { @inline(__always) get { Fp(residue: .init(0, 0, 0, 0)) } }
    static var one: Fp {
        Fp(residue: Limbs(0x15FF_FFFF_FFFF_FF8E, 0xB939_FFFF_FFFF_FF8A, 0xA2C6_2EFF_FFFF_FFCD, 0x212B_A4F2_7FFF_FFF5))
    }
    static var curveConstant: Fp { one + one }

    /// The element of a number; nil where it is not below p.
    init?(number: Limbs) {
        guard number.isLess(than: Self.p) else { return nil }
        self = Fp(residue: number) * Fp(residue: Self.squareOfR)
    }

    /// The number in 0 ..< p.
    var number: Limbs { (self * Fp(residue: Limbs(1, 0, 0, 0))).residue }

    @inline(__always) var isZero: Bool { residue.isZero }

    @inline(__always)
    static func + (left: Fp, right: Fp) -> Fp { Fp(residue: reduced(left.residue.plus(right.residue))) }

    @inline(__always)
    static func - (left: Fp, right: Fp) -> Fp {
        let (difference, borrowed) = left.residue.minus(right.residue)
        return Fp(residue: borrowed ? difference.plus(p) : difference)
    }

    @inline(__always)
    static prefix func - (value: Fp) -> Fp { zero - value }

    /// What is below 2p, below p.
    @inline(__always)
    private static func reduced(_ value: Limbs) -> Limbs {
        let (difference, borrowed) = value.minus(p)
        return borrowed ? value : difference
    }

    /// Montgomery's multiplication, a limb of `right` at a time. p leaves two bits free, so four limbs and one carry are enough.
    static func * (left: Fp, right: Fp) -> Fp {
        var sum = Limbs(0, 0, 0, 0)
        step(&sum, left.residue, right.residue.l0)
        step(&sum, left.residue, right.residue.l1)
        step(&sum, left.residue, right.residue.l2)
        step(&sum, left.residue, right.residue.l3)
        return Fp(residue: reduced(sum))
    }

    @inline(__always)
    private static func step(_ sum: inout Limbs, _ left: Limbs, _ limb: UInt64) {
        let p = p
        var carry: UInt64 = 0, fold: UInt64 = 0
        let low = multiplied(left.l0, limb, sum.l0, &carry), factor = low &* inverseOfP
        _ = multiplied(p.l0, factor, low, &fold)
        let next1 = multiplied(left.l1, limb, sum.l1, &carry)
        sum.l0 = multiplied(p.l1, factor, next1, &fold)
        let next2 = multiplied(left.l2, limb, sum.l2, &carry)
        sum.l1 = multiplied(p.l2, factor, next2, &fold)
        let next3 = multiplied(left.l3, limb, sum.l3, &carry)
        sum.l2 = multiplied(p.l3, factor, next3, &fold)
        sum.l3 = carry &+ fold
    }

    /// The low half of left·right + sum + carry, which always fits 128 bits; `carry` becomes the high half.
    @inline(__always)
    private static func multiplied(_ left: UInt64, _ right: UInt64, _ sum: UInt64, _ carry: inout UInt64) -> UInt64 {
        let wide = UInt128(left) &* UInt128(right) &+ UInt128(sum) &+ UInt128(carry)
        carry = UInt64(truncatingIfNeeded: wide >> 64)
        return UInt64(truncatingIfNeeded: wide)
    }

    var squared: Fp { self * self }

    /// By Fermat: the power p - 2.
    var inverse: Fp {
        let exponent = Self.p.minus(Limbs(2, 0, 0, 0)).difference
        var result = Fp.one
        for position in stride(from: 253, through: 0, by: -1) {
            result = result.squared
            if exponent.bit(position) { result = result * self }
        }
        return result
    }
}
