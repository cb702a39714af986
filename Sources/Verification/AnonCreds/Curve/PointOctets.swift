/// Points, scalars and values of GT as octets: in W3C presentations, and what is hashed (anoncreds.md section 6).
enum PointOctets {
    static let pointLength = 128
    static let gtLength = 512
    static let scalarLength = 32

    /// `04 ‖ x ‖ y`, then zeros; on the curve.
    static func g1(_ octets: [UInt8]) -> G1Point? {
        guard octets.count == pointLength, octets[0] == 4, octets[65...].allSatisfy({ $0 == 0 }),
            let x = element(octets[1..<33]), let y = element(octets[33..<65])
        else { return nil }
        return G1Point(x, y)
    }

    /// `xa ‖ xb ‖ ya ‖ yb`; on the curve and in the subgroup.
    static func g2(_ octets: [UInt8]) -> G2Point? {
        guard octets.count == pointLength, let xa = element(octets[0..<32]), let xb = element(octets[32..<64]),
            let ya = element(octets[64..<96]), let yb = element(octets[96..<128]), let point = G2Point(Fp2(xa, xb), Fp2(ya, yb))
        else { return nil }
        return point.isInSubgroup ? point : nil
    }

    static func scalar(_ octets: [UInt8]) -> Scalar? {
        guard octets.count == scalarLength else { return nil }
        return Limbs(bigEndian: octets.span).flatMap { Scalar($0) }
    }

    private static func element(_ octets: ArraySlice<UInt8>) -> Fp? { Limbs(bigEndian: octets.span).flatMap { Fp(number: $0) } }

    static func octets(_ point: G1Point) -> [UInt8] {
        padded([0x04], [point.x, point.y], to: pointLength)
    }

    /// Infinity, which no commitment is and a sum may be, has x = 0 and y = 1.
    static func octets(_ point: CurvePoint<Fp>) -> [UInt8] {
        point.affine.map { octets($0) } ?? padded([0x04], [.zero, .one], to: pointLength)
    }

    static func octets(_ point: G2Point) -> [UInt8] {
        padded([], [point.x.a, point.x.b, point.y.a, point.y.b], to: pointLength)
    }

    /// The coefficients of w⁰ w³ w¹ w⁴ w² w⁵.
    static func octets(_ value: Fp12) -> [UInt8] {
        let coefficients = [value.even.a, value.odd.b, value.odd.a, value.even.c, value.even.b, value.odd.c]
        return padded([], coefficients.flatMap { [$0.a, $0.b] }, to: gtLength)
    }

    private static func padded(_ head: [UInt8], _ elements: [Fp], to length: Int) -> [UInt8] {
        var octets = head
        octets.reserveCapacity(length)
        for element in elements { element.number.appendBigEndian(to: &octets) }
        while octets.count < length { octets.append(0) }
        return octets
    }
}
