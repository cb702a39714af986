/// A number of 256 bits as four limbs, the lowest first. Its arithmetic wraps or says that it carried; nothing traps.
struct Limbs: Hashable, Sendable {
    var l0: UInt64, l1: UInt64, l2: UInt64, l3: UInt64

    init(_ l0: UInt64, _ l1: UInt64, _ l2: UInt64, _ l3: UInt64) {
        self.l0 = l0
        self.l1 = l1
        self.l2 = l2
        self.l3 = l3
    }

    static let zero = Limbs(0, 0, 0, 0)

    /// From up to 32 big-endian octets; nil where there are more.
    init?(bigEndian octets: Span<UInt8>) {
        guard octets.count <= 32 else { return nil }
        self = .zero
        for index in octets.indices {
            self = Limbs(l0 << 8 | UInt64(octets[index]), l1 << 8 | l0 >> 56, l2 << 8 | l1 >> 56, l3 << 8 | l2 >> 56)
        }
    }

    func appendBigEndian(to octets: inout [UInt8]) {
        for limb in [l3, l2, l1, l0] {
            for shift in stride(from: 56 as UInt64, through: 0, by: -8) { octets.append(UInt8(truncatingIfNeeded: limb >> shift)) }
        }
    }

    var isZero: Bool { l0 | l1 | l2 | l3 == 0 }

    /// Whether the bit at `position` is set; false outside 0 ..< 256.
    func bit(_ position: Int) -> Bool { limb(position >> 6) >> UInt64(truncatingIfNeeded: position & 63) & 1 == 1 }

    /// Four bits from 4·`index` on.
    func digit(_ index: Int) -> Int { Int(limb(index >> 4) >> UInt64(truncatingIfNeeded: (index & 15) * 4) & 15) }

    private func limb(_ index: Int) -> UInt64 {
        switch index {
        case 0: l0
        case 1: l1
        case 2: l2
        case 3: l3
        default: 0
        }
    }

    @inline(__always)
    func isLess(than other: Limbs) -> Bool { minus(other).borrowed }

    /// The difference modulo 2^256, and whether it would be negative.
    @inline(__always)
    func minus(_ other: Limbs) -> (difference: Limbs, borrowed: Bool) {
        var borrow: UInt64 = 0
        let d0 = Self.subtract(l0, other.l0, &borrow), d1 = Self.subtract(l1, other.l1, &borrow)
        let d2 = Self.subtract(l2, other.l2, &borrow), d3 = Self.subtract(l3, other.l3, &borrow)
        return (Limbs(d0, d1, d2, d3), borrow != 0)
    }

    /// The sum modulo 2^256. Both are below 2^255 wherever this is used.
    @inline(__always)
    func plus(_ other: Limbs) -> Limbs {
        var carry: UInt64 = 0
        let s0 = Self.add(l0, other.l0, &carry), s1 = Self.add(l1, other.l1, &carry)
        let s2 = Self.add(l2, other.l2, &carry), s3 = Self.add(l3, other.l3, &carry)
        return Limbs(s0, s1, s2, s3)
    }

    @inline(__always)
    private static func add(_ left: UInt64, _ right: UInt64, _ carry: inout UInt64) -> UInt64 {
        let wide = UInt128(left) &+ UInt128(right) &+ UInt128(carry)
        carry = UInt64(truncatingIfNeeded: wide >> 64)
        return UInt64(truncatingIfNeeded: wide)
    }

    @inline(__always)
    private static func subtract(_ left: UInt64, _ right: UInt64, _ borrow: inout UInt64) -> UInt64 {
        let (first, one) = left.subtractingReportingOverflow(right)
        let (second, two) = first.subtractingReportingOverflow(borrow)
        borrow = one || two ? 1 : 0
        return second
    }
}
