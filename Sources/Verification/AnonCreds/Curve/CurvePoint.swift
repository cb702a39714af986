/// A point of y² = x³ + b that is not infinity.
struct AffinePoint<Field: CoordinateField>: Hashable, Sendable {
    let x: Field, y: Field

    /// Without a look at the curve: for what was computed here.
    init(unchecked x: Field, _ y: Field) {
        self.x = x
        self.y = y
    }

    /// Nil where it is not on the curve.
    init?(_ x: Field, _ y: Field) {
        guard y.squared == x.squared * x + Field.curveConstant else { return nil }
        self.init(unchecked: x, y)
    }

    static prefix func - (point: Self) -> Self { Self(unchecked: point.x, -point.y) }
}

/// A point of G1.
typealias G1Point = AffinePoint<Fp>
/// A point of the twist. In G2 only where `isInSubgroup`.
typealias G2Point = AffinePoint<Fp2>

/// A point in Jacobian coordinates, infinity included: x = X/Z², y = Y/Z³, Z = 0 for infinity.
struct CurvePoint<Field: CoordinateField>: Sendable {
    var x: Field, y: Field, z: Field

    init(_ x: Field, _ y: Field, _ z: Field) {
        self.x = x
        self.y = y
        self.z = z
    }

    init(_ point: AffinePoint<Field>) { self.init(point.x, point.y, .one) }

    static var infinity: Self { Self(.one, .one, .zero) }

    /// Nil for infinity.
    var affine: AffinePoint<Field>? {
        guard !z.isZero else { return nil }
        let inverse = z.inverse, square = inverse.squared
        return AffinePoint(unchecked: x * square, y * square * inverse)
    }

    static prefix func - (point: Self) -> Self { Self(point.x, -point.y, point.z) }

    var doubled: Self {
        let xx = x.squared, yy = y.squared, yyyy = yy.squared
        let d = ((x + yy).squared - xx - yyyy).doubled, e = xx.doubled + xx
        let newX = e.squared - d.doubled
        return Self(newX, e * (d - newX) - yyyy.doubled.doubled.doubled, (y * z).doubled)
    }

    static func + (left: Self, right: Self) -> Self {
        if left.z.isZero { return right }
        if right.z.isZero { return left }
        let leftSquare = left.z.squared, rightSquare = right.z.squared
        let u1 = left.x * rightSquare, u2 = right.x * leftSquare
        let s1 = left.y * right.z * rightSquare, s2 = right.y * left.z * leftSquare
        let h = u2 - u1, r = s2 - s1
        if h.isZero { return r.isZero ? left.doubled : infinity }
        let hh = h.squared, hhh = hh * h, v = u1 * hh
        let newX = r.squared - hhh - v.doubled
        return Self(newX, r * (v - newX) - s1 * hhh, left.z * right.z * h)
    }

    /// The sum of multiples, by one chain of doublings for all of them and digits of four bits.
    static func sum(_ terms: [(scalar: Scalar, point: Self)]) -> Self {
        let tables = terms.map { term in
            var multiples = [infinity, term.point]
            for _ in 2..<16 { multiples.append((multiples.last ?? infinity) + term.point) }
            return multiples
        }
        var result = infinity
        for index in stride(from: 63, through: 0, by: -1) {
            result = result.doubled.doubled.doubled.doubled
            for (term, table) in zip(terms, tables) {
                let digit = term.scalar.limbs.digit(index)
                if digit != 0, table.indices.contains(digit) { result = result + table[digit] }
            }
        }
        return result
    }

    /// The multiple by a number that need not be below r.
    func times(_ number: Limbs) -> Self {
        var result = Self.infinity
        for position in stride(from: 255, through: 0, by: -1) {
            result = result.doubled
            if number.bit(position) { result = result + self }
        }
        return result
    }

    /// Whether both are the same point.
    static func isSame(_ left: Self, _ right: Self) -> Bool { (left + -right).z.isZero }
}

extension AffinePoint where Field == Fp2 {
    /// π: the Frobenius endomorphism of the twist.
    var frobenius: Self { Self(unchecked: x.conjugate * FrobeniusConstants.w2, y.conjugate * FrobeniusConstants.w3) }

    /// Whether the order is r.
    ///
    /// On the whole twist π² - t·π + p = 0 with t - 1 = 6x². So π(Q) = 6x²·Q gives (1 - t + p)·Q = r·Q = 0; and on the subgroup of order r
    /// it holds. Half the work of a multiple by r.
    var isInSubgroup: Bool {
        let square = Limbs(0x0600_0000_0000_0006, 0x6181_8000_0000_0003, 0, 0)
        return CurvePoint.isSame(CurvePoint(self).times(square), CurvePoint(frobenius))
    }
}
