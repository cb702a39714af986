import JSON
import TestSupport
import Testing

@testable import AnonCreds

/// The curve and the pairing (anoncreds.md section 6).
struct CurveTests {
    private static let file = Vectors.file("pairing.json")

    private static func octets(_ value: JSONValue?) -> [UInt8] {
        if value?.kind == .array { return (value?.elementList ?? []).flatMap { octets($0) } }
        return value?.string.flatMap { Hex.decode($0.utf8) } ?? []
    }

    private static func fp(_ value: JSONValue?) -> Fp? {
        let octets = octets(value)
        return Limbs(bigEndian: octets.span).flatMap { Fp(number: $0) }
    }

    private static func g1() throws -> G1Point {
        let x = try #require(fp(file["g1"]?["x"])), y = try #require(fp(file["g1"]?["y"]))
        return try #require(G1Point(x, y))
    }

    private static func g2(_ value: JSONValue?) throws -> G2Point {
        let x = octets(value?["x"]), y = octets(value?["y"])
        func element(_ octets: ArraySlice<UInt8>) -> Fp? { Limbs(bigEndian: octets.span).flatMap { Fp(number: $0) } }
        let parts = [x[..<32], x[32...], y[..<32], y[32...]].compactMap(element)
        try #require(parts.count == 4)
        return try #require(G2Point(Fp2(parts[0], parts[1]), Fp2(parts[2], parts[3])))
    }

    private static func scalar(_ number: UInt64) throws -> Scalar { try #require(Scalar(Limbs(number, 0, 0, 0))) }

    @Test func pairingsAreTheReferences() throws {
        let g1 = CurvePoint(try Self.g1()), g2 = try Self.g2(Self.file["g2"])
        let value = Pairing.product([(g1, g2)])
        #expect(Array(PointOctets.octets(value).prefix(384)) == Self.octets(Self.file["pairing_of_generators"]))
        #expect(PointOctets.octets(value) == Self.octets(Self.file["pairing_hashed"]))
        let k = Self.octets(Self.file["g1"]?["k"]), scalar = try #require(PointOctets.scalar(k))
        #expect(Array(PointOctets.octets(value.cyclotomicPower(scalar.limbs)).prefix(384)) == Self.octets(Self.file["pairing_to_k"]))
        #expect(value.cyclotomicPower(scalar.limbs) == value.power(scalar.limbs))
    }

    @Test func pairingsAreBilinear() throws {
        let g1 = CurvePoint(try Self.g1()), g2 = try Self.g2(Self.file["g2"])
        let numbers = try [5, 7, 35].map { try Self.scalar($0) }
        let five = try #require(CurvePoint.sum([(numbers[0], CurvePoint(g2))]).affine)
        let left = Pairing.product([(CurvePoint.sum([(numbers[1], g1)]), five)])
        #expect(left == Pairing.product([(CurvePoint.sum([(numbers[2], g1)]), g2)]))
        #expect(Pairing.product([(g1, g2), (-g1, g2)]) == .one)
        #expect(Pairing.product([(.infinity, g2)]) == .one)
        #expect(Pairing.product([]) == .one)
    }

    @Test func multiplesAgreeWithAddition() throws {
        let g1 = CurvePoint(try Self.g1())
        var sum = CurvePoint<Fp>.infinity
        for number in 0..<40 as Range<UInt64> {
            let scalar = try Self.scalar(number)
            #expect(CurvePoint.isSame(CurvePoint.sum([(scalar, g1)]), sum))
            #expect(CurvePoint.isSame(g1.times(Limbs(number, 0, 0, 0)), sum))
            sum = sum + g1
        }
        #expect(g1.times(Scalar.order).affine == nil)
        #expect((g1 + -g1).affine == nil)
        #expect(PointOctets.octets(CurvePoint<Fp>.infinity) == Self.octets(Self.file["infinity_hashed"]))
    }

    @Test func onlyTheSubgroupIsG2() throws {
        let generator = try Self.g2(Self.file["g2"])
        #expect(generator.isInSubgroup)
        let outside = try Self.g2(Self.file["outside_subgroup"])
        #expect(!outside.isInSubgroup)
        #expect(PointOctets.g2(PointOctets.octets(outside)) == nil)
        // The slow way says the same.
        #expect(CurvePoint(outside).times(Scalar.order).affine != nil)
        #expect(CurvePoint(generator).times(Scalar.order).affine == nil)
    }

    @Test func fieldsAreFields() throws {
        var random = SeededRandom(seed: 254)
        func element() -> Fp { Fp(number: Limbs(random.next(), random.next(), random.next(), random.next() >> 3)) ?? .one }
        for _ in 0..<50 {
            let a = Fp2(element(), element()), b = Fp2(element(), element()), c = Fp2(element(), element())
            #expect((a + b) * c == a * c + b * c)
            #expect(a.squared == a * a)
            #expect(a * a.inverse == .one)
            #expect(a - a == .zero)
            #expect(Fp(number: a.a.number) == a.a)
            let six = Fp6(a, b, c), other = Fp6(c, a, b)
            #expect(six * six.inverse == .one)
            #expect(six.times(a, b) == six * Fp6(a, b, .zero))
            let twelve = Fp12(six, other)
            #expect(twelve * twelve.inverse == .one)
            #expect(twelve.squared == twelve * twelve)
            #expect(twelve.times(line: a, b, c) == twelve * Fp12(Fp6(a, .zero, .zero), Fp6(b, c, .zero)))
        }
        #expect(Fp(number: Fp.p) == nil)
        #expect(Scalar(Scalar.order) == nil)
        #expect(Fp.zero.inverse == .zero)
    }

    @Test func textsAreReadAsTheReferenceDoes() throws {
        for member in Self.file["texts"]?["g1"]?.memberList ?? [] {
            let text = try #require(member.value["text"]?.string)
            #expect(CurveCalculation.g1(text: text) == Self.octets(member.value["hashed"]))
        }
        for member in Self.file["texts"]?["g2"]?.memberList ?? [] {
            let text = try #require(member.value["text"]?.string)
            #expect(CurveCalculation.g2(text: text) == Self.octets(member.value["hashed"]))
        }
        let gt = try #require(Self.file["texts"]?["gt"]?["text"]?.string)
        #expect(CurveCalculation.gt(text: gt) == Self.octets(Self.file["texts"]?["gt"]?["hashed"]))
    }

    @Test func residuesOfTextsNeedNotBeReduced() throws {
        let text = try #require(Self.file["texts"]?["g1"]?["g"]?["text"]?.string), point = CurveCalculation.g1(text: text)
        var words = text.split(separator: " ").map(String.init)
        // p more, in 65 digits.
        let p = "2523648240000001BA344D80000000086121000000000013A700000000000013"
        words[1] = Self.sum(words[1], p)
        #expect(CurveCalculation.g1(text: words.joined(separator: " ")) == point)
        words[1] = "00000" + words[1]
        #expect(CurveCalculation.g1(text: words.joined(separator: " ")) == point)
        words[0] = "9999"
        #expect(CurveCalculation.g1(text: words.joined(separator: " ")) == point)
    }

    /// Of two hexadecimal numbers of one length.
    private static func sum(_ left: String, _ right: String) -> String {
        var carry = 0, digits: [String] = []
        for (a, b) in zip(left.reversed(), right.reversed()) {
            let value = (a.hexDigitValue ?? 0) + (b.hexDigitValue ?? 0) + carry
            digits.append(String(value % 16, radix: 16))
            carry = value / 16
        }
        return (carry == 0 ? "" : "1") + digits.reversed().joined()
    }

    @Test func otherTextsAreNoPoints() throws {
        let text = try #require(Self.file["texts"]?["g1"]?["g"]?["text"]?.string)
        let words = text.split(separator: " ").map(String.init)
        func changed(_ index: Int, _ word: String) -> String {
            var changed = words
            changed[index] = word
            return changed.joined(separator: " ")
        }
        let others = [
            "", " ", text + " ", " " + text, text + " 1 00", words.dropLast().joined(separator: " "), changed(0, "0"), changed(0, "00000"),
            changed(0, "x"), changed(0, "12345"), changed(1, ""), changed(1, "G"), changed(1, String(repeating: "0", count: 71)),
            changed(5, "0"), changed(1, "1"), text.replacing(" ", with: "  "), text.replacing(" ", with: "\t"),
            String(repeating: "1 ", count: 10_000),
        ]
        for other in others { #expect(CurveCalculation.g1(text: other) == nil, "\(other.prefix(80))") }
        for length in 0..<text.utf8.count - 1 { #expect(CurveCalculation.g1(text: String(text.prefix(length))) == nil) }
    }

    @Test func octetsAreReadStrictly() throws {
        let generator = try Self.g1(), point = PointOctets.octets(generator)
        #expect(PointOctets.g1(point) == generator)
        for (index, value) in [(0, 5), (65, 1), (127, 1), (10, 1)] {
            var changed = point
            changed[index] ^= UInt8(value)
            #expect(PointOctets.g1(changed) == nil)
        }
        for length in 0..<128 { #expect(PointOctets.g1(Array(point.prefix(length))) == nil) }
        #expect(PointOctets.g1(Self.octets(Self.file["infinity_hashed"])) == nil)
        #expect(PointOctets.scalar(Scalar.orderOctets) == nil)
        #expect(PointOctets.scalar([1]) == nil)
        #expect(PointText.scalar("".utf8) == nil)
        #expect(PointText.scalar(String(repeating: "0", count: 65).utf8) == nil)
        #expect(PointText.scalar("0f".utf8) == Scalar(Limbs(15, 0, 0, 0)))
    }
}
