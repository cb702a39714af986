/// A number modulo the order r of the groups, always below it (anoncreds.md section 6).
struct Scalar: Hashable, Sendable {
    let limbs: Limbs

    /// r = 36x⁴ + 36x³ + 18x² + 6x + 1, a prime of 254 bits.
    static var order: Limbs { Limbs(0xA100_0000_0000_000D, 0xFF9F_8000_0000_0010, 0xBA34_4D80_0000_0007, 0x2523_6482_4000_0001) }
    /// r, big-endian.
    static var orderOctets: [UInt8] {
        var octets: [UInt8] = []
        order.appendBigEndian(to: &octets)
        return octets
    }

    /// Nil where it is not below r.
    init?(_ limbs: Limbs) {
        guard limbs.isLess(than: Self.order) else { return nil }
        self.limbs = limbs
    }

    private init(reduced limbs: Limbs) { self.limbs = limbs }

    static func - (left: Scalar, right: Scalar) -> Scalar {
        let (difference, borrowed) = left.limbs.minus(right.limbs)
        return Scalar(reduced: borrowed ? difference.plus(order) : difference)
    }

    static prefix func - (value: Scalar) -> Scalar { Scalar(reduced: .zero) - value }
}
