/// The curve on octets alone: what programs of ours compare with values that others computed (`anoncreds-check`).
package enum CurveCalculation {
    /// A point of G1 as it is hashed. Nil for a text that is none.
    package static func g1(text: String) -> [UInt8]? { PointText.g1(text.utf8).map { PointOctets.octets($0) } }
    package static func g2(text: String) -> [UInt8]? { PointText.g2(text.utf8).map { PointOctets.octets($0) } }
    package static func gt(text: String) -> [UInt8]? { PointText.gt(text.utf8).map { PointOctets.octets($0) } }

    package static func isInG1(_ octets: [UInt8]) -> Bool { PointOctets.g1(octets) != nil }
    package static func isInG2(_ octets: [UInt8]) -> Bool { PointOctets.g2(octets) != nil }

    /// Nil for what is no point, and for a number that is not below r.
    package static func multiple(ofG1 point: [UInt8], _ number: [UInt8]) -> [UInt8]? {
        guard let point = PointOctets.g1(point), let scalar = PointOctets.scalar(number) else { return nil }
        return PointOctets.octets(CurvePoint.sum([(scalar, CurvePoint(point))]))
    }

    package static func multiple(ofG2 point: [UInt8], _ number: [UInt8]) -> [UInt8]? {
        guard let point = PointOctets.g2(point), let scalar = PointOctets.scalar(number) else { return nil }
        return CurvePoint.sum([(scalar, CurvePoint(point))]).affine.map { PointOctets.octets($0) }
    }

    /// The product of the pairings of all pairs, to the power of a number.
    package static func pairing(_ pairs: [(g1: [UInt8], g2: [UInt8])], power: [UInt8]? = nil) -> [UInt8]? {
        var points: [(CurvePoint<Fp>, G2Point)] = []
        for pair in pairs {
            guard let left = PointOctets.g1(pair.g1), let right = PointOctets.g2(pair.g2) else { return nil }
            points.append((CurvePoint(left), right))
        }
        let value = Pairing.product(points)
        guard let power else { return PointOctets.octets(value) }
        return PointOctets.scalar(power).map { PointOctets.octets(value.cyclotomicPower($0.limbs)) }
    }

    /// ξ^(n(p-1)/6), 64 octets. Nil outside 1 ... 5.
    package static func frobeniusConstant(_ n: Int) -> [UInt8]? {
        let all = [FrobeniusConstants.w1, FrobeniusConstants.w2, FrobeniusConstants.w3, FrobeniusConstants.w4, FrobeniusConstants.w5]
        guard all.indices.contains(n - 1) else { return nil }
        var octets: [UInt8] = []
        all[n - 1].a.number.appendBigEndian(to: &octets)
        all[n - 1].b.number.appendBigEndian(to: &octets)
        return octets
    }

    /// Infinity of G1 as it is hashed.
    package static var infinity: [UInt8] { PointOctets.octets(CurvePoint<Fp>.infinity) }
}
