/// An element a + b·i of Fp2 = Fp[i]/(i² + 1).
struct Fp2: CoordinateField {
    var a: Fp, b: Fp

    @inline(__always)
    init(_ a: Fp, _ b: Fp) {
        self.a = a
        self.b = b
    }

    static var zero: Fp2 { @inline(__always) get { Fp2(.zero, .zero) } }
    static var one: Fp2 { Fp2(.one, .zero) }
    /// 2/ξ = 1 - i, of the twist.
    static var curveConstant: Fp2 { Fp2(.one, -.one) }

    @inline(__always) var isZero: Bool { a.isZero && b.isZero }

    @inline(__always) static func + (left: Fp2, right: Fp2) -> Fp2 { Fp2(left.a + right.a, left.b + right.b) }
    @inline(__always) static func - (left: Fp2, right: Fp2) -> Fp2 { Fp2(left.a - right.a, left.b - right.b) }
    @inline(__always) static prefix func - (value: Fp2) -> Fp2 { Fp2(-value.a, -value.b) }

    static func * (left: Fp2, right: Fp2) -> Fp2 {
        let first = left.a * right.a, second = left.b * right.b
        return Fp2(first - second, (left.a + left.b) * (right.a + right.b) - first - second)
    }

    @inline(__always) static func * (left: Fp2, right: Fp) -> Fp2 { Fp2(left.a * right, left.b * right) }

    var squared: Fp2 {
        let product = a * b
        return Fp2((a + b) * (a - b), product + product)
    }

    @inline(__always) var conjugate: Fp2 { Fp2(a, -b) }

    /// Times ξ = 1 + i.
    @inline(__always) var timesXi: Fp2 { Fp2(a - b, a + b) }

    var inverse: Fp2 {
        let norm = (a.squared + b.squared).inverse
        return Fp2(a * norm, -(b * norm))
    }
}
