/// An element a + b·v + c·v² of Fp6 = Fp2[v]/(v³ - ξ), with v = w².
struct Fp6: Hashable, Sendable {
    var a: Fp2, b: Fp2, c: Fp2

    init(_ a: Fp2, _ b: Fp2, _ c: Fp2) {
        self.a = a
        self.b = b
        self.c = c
    }

    static var zero: Fp6 { Fp6(.zero, .zero, .zero) }
    static var one: Fp6 { Fp6(.one, .zero, .zero) }

    static func + (left: Fp6, right: Fp6) -> Fp6 { Fp6(left.a + right.a, left.b + right.b, left.c + right.c) }
    static func - (left: Fp6, right: Fp6) -> Fp6 { Fp6(left.a - right.a, left.b - right.b, left.c - right.c) }
    static prefix func - (value: Fp6) -> Fp6 { Fp6(-value.a, -value.b, -value.c) }

    static func * (left: Fp6, right: Fp6) -> Fp6 {
        let aa = left.a * right.a, bb = left.b * right.b, cc = left.c * right.c
        let bc = (left.b + left.c) * (right.b + right.c) - bb - cc
        let ab = (left.a + left.b) * (right.a + right.b) - aa - bb
        let ac = (left.a + left.c) * (right.a + right.c) - aa - cc
        return Fp6(aa + bc.timesXi, ab + cc.timesXi, ac + bb)
    }

    static func * (left: Fp6, right: Fp2) -> Fp6 { Fp6(left.a * right, left.b * right, left.c * right) }

    /// Times d + e·v.
    func times(_ d: Fp2, _ e: Fp2) -> Fp6 {
        let ad = a * d, be = b * e
        return Fp6(ad + (c * e).timesXi, (a + b) * (d + e) - ad - be, c * d + be)
    }

    var timesV: Fp6 { Fp6(c.timesXi, a, b) }

    var inverse: Fp6 {
        let first = a.squared - (b * c).timesXi, second = c.squared.timesXi - a * b, third = b.squared - a * c
        let norm = (a * first + (c * second).timesXi + (b * third).timesXi).inverse
        return Fp6(first * norm, second * norm, third * norm)
    }
}
