/// The optimal ate pairing of AMCL's BN254 (anoncreds.md section 6), and products of it.
enum Pairing {
    /// |6x + 2| = 2⁶⁴ + these bits; x = -(2⁶² + 2⁵⁵ + 1).
    private static let loop: UInt64 = 0x8300_0000_0000_0004

    /// The product of e(P, Q) over all pairs, by one chain of squarings and one final exponentiation. A pair with infinity is 1. Every Q
    /// has to be in the subgroup of order r.
    static func product(_ pairs: [(CurvePoint<Fp>, G2Point)]) -> Fp12 {
        finalExponentiation(millerLoop(pairs.compactMap { pair in pair.0.affine.map { ($0, pair.1) } }))
    }

    private static func millerLoop(_ pairs: [(G1Point, G2Point)]) -> Fp12 {
        var value = Fp12.one, points = pairs.map { CurvePoint($0.1) }
        for position in stride(from: 63 as UInt64, through: 0, by: -1) {
            value = value.squared
            for (index, pair) in pairs.enumerated() { value = double(&points[index], at: pair.0, value) }
            guard loop >> position & 1 == 1 else { continue }
            for (index, pair) in pairs.enumerated() { value = add(pair.1, to: &points[index], at: pair.0, value) }
        }
        // x is negative.
        value = value.conjugate
        for (index, pair) in pairs.enumerated() {
            points[index] = -points[index]
            let image = pair.1.frobenius
            value = add(image, to: &points[index], at: pair.0, value)
            value = add(-image.frobenius, to: &points[index], at: pair.0, value)
        }
        return value
    }

    /// The tangent at `point`, evaluated at `place`. It is multiplied by 2YZ³, as any factor of Fp2 becomes 1 in the end; that leaves no
    /// inverse.
    private static func double(_ point: inout CurvePoint<Fp2>, at place: G1Point, _ value: Fp12) -> Fp12 {
        let xx = point.x.squared, yy = point.y.squared, yyyy = yy.squared, zz = point.z.squared
        let d = ((point.x + yy).squared - xx - yyyy).doubled, e = xx.doubled + xx
        let newX = e.squared - d.doubled, newZ = (point.y * point.z).doubled
        let result = value.times(line: newZ * zz * place.y, -(e * zz * place.x), e * point.x - yy.doubled)
        point = CurvePoint(newX, e * (d - newX) - yyyy.doubled.doubled.doubled, newZ)
        return result
    }

    /// The line through `point` and `other`, likewise multiplied by the new Z.
    private static func add(_ other: G2Point, to point: inout CurvePoint<Fp2>, at place: G1Point, _ value: Fp12) -> Fp12 {
        let zz = point.z.squared
        let h = other.x * zz - point.x, r = other.y * zz * point.z - point.y
        let newZ = point.z * h, hh = h.squared, hhh = hh * h, v = point.x * hh
        let newX = r.squared - hhh - v.doubled
        let result = value.times(line: newZ * place.y, -(r * place.x), r * other.x - other.y * newZ)
        point = CurvePoint(newX, r * (v - newX) - point.y * hhh, newZ)
        return result
    }

    /// The power (p¹² - 1)/r, exactly: its last part is (p⁴ - p² + 1)/r by the chain of Scott, Benger, Charlemagne, Dominguez Perez and
    /// Kachisa ("On the Final Exponentiation for Calculating Pairings on Ordinary Elliptic Curves").
    private static func finalExponentiation(_ value: Fp12) -> Fp12 {
        // Never zero: no line of points of the subgroup is.
        let easy = value.conjugate * value.inverse, base = easy.frobenius.frobenius * easy
        let first = powerOfX(base), second = powerOfX(first), third = powerOfX(second)
        let p1 = base.frobenius, p2 = p1.frobenius, p3 = p2.frobenius
        let y0 = p1 * p2 * p3, y1 = base.conjugate
        let y2 = second.frobenius.frobenius, y3 = first.frobenius.conjugate
        let y4 = (first * second.frobenius).conjugate, y5 = second.conjugate
        let y6 = (third * third.frobenius).conjugate
        var left = y6.cyclotomicSquared * y4 * y5
        var right = y3 * y5 * left
        left = left * y2
        right = right.cyclotomicSquared * left
        right = right.cyclotomicSquared
        left = right * y1
        right = right * y0
        return left.cyclotomicSquared * right
    }

    /// The power x; 2⁶² + 2⁵⁵ + 1 by squarings, and the inverse, as x is negative.
    private static func powerOfX(_ base: Fp12) -> Fp12 {
        var result = base
        for position in stride(from: 61, through: 0, by: -1) {
            result = result.cyclotomicSquared
            if position == 55 || position == 0 { result = result * base }
        }
        return result.conjugate
    }
}
