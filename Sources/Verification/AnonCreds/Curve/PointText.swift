/// Points, scalars and values of GT as text (anoncreds.md section 6). Every field element has to be an element; every point has to lie on
/// its curve, and those of G2 in the subgroup.
enum PointText {
    /// Octets of the longest: twelve pairs of four digits and seventy.
    static let longest = 12 * 76

    static func g1(_ text: some Sequence<UInt8>) -> G1Point? {
        guard let elements = elements(text, count: 3), !elements[2].isZero else { return nil }
        let inverse = elements[2].inverse
        return G1Point(elements[0] * inverse, elements[1] * inverse)
    }

    static func g2(_ text: some Sequence<UInt8>) -> G2Point? {
        guard let elements = elements(text, count: 6) else { return nil }
        let z = Fp2(elements[4], elements[5])
        guard !z.isZero else { return nil }
        let inverse = z.inverse
        guard let point = G2Point(Fp2(elements[0], elements[1]) * inverse, Fp2(elements[2], elements[3]) * inverse) else { return nil }
        return point.isInSubgroup ? point : nil
    }

    /// An element of order r that is not 1.
    static func gt(_ text: some Sequence<UInt8>) -> Fp12? {
        guard let e = elements(text, count: 12) else { return nil }
        let value = Fp12(
            Fp6(Fp2(e[0], e[1]), Fp2(e[8], e[9]), Fp2(e[6], e[7])), Fp6(Fp2(e[4], e[5]), Fp2(e[2], e[3]), Fp2(e[10], e[11])))
        return value != .one && value.power(Scalar.order) == .one ? value : nil
    }

    /// One to 64 hexadecimal digits, below r.
    static func scalar(_ text: some Sequence<UInt8>) -> Scalar? {
        var limbs = Limbs.zero, count = 0
        for octet in text {
            guard let digit = hexDigit(octet), count < 64 else { return nil }
            limbs = shifted(limbs, digit)
            count += 1
        }
        return count == 0 ? nil : Scalar(limbs)
    }

    /// `excess HEX` for each element, one blank between all.
    private static func elements(_ text: some Sequence<UInt8>, count: Int) -> [Fp]? {
        var words: [[UInt8]] = [[]], length = 0
        for octet in text {
            length += 1
            guard length <= longest, words.count <= 2 * count else { return nil }
            if octet == UInt8(ascii: " ") { words.append([]) } else { words[words.count - 1].append(octet) }
        }
        guard words.count == 2 * count else { return nil }
        var elements: [Fp] = []
        for index in 0..<count {
            guard isExcess(words[2 * index]), let element = element(words[2 * index + 1]) else { return nil }
            elements.append(element)
        }
        return elements
    }

    /// One to four digits that are more than 0: how far AMCL let the residue grow. It has no other meaning.
    private static func isExcess(_ word: [UInt8]) -> Bool {
        1...4 ~= word.count && word.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 } && word.contains { $0 != UInt8(ascii: "0") }
    }

    /// One to seventy hexadecimal digits, a Montgomery residue with R = 2^280 that need not be reduced.
    private static func element(_ word: [UInt8]) -> Fp? {
        guard 1...70 ~= word.count else { return nil }
        var low = Limbs.zero, high: UInt64 = 0
        for octet in word {
            guard let digit = hexDigit(octet) else { return nil }
            high = high << 4 | low.l3 >> 60
            low = shifted(low, digit)
        }
        // 2^256 is less than seven times p.
        for _ in 0..<7 where !low.isLess(than: Fp.p) { low = low.minus(Fp.p).difference }
        // With R = 2^256 the residue is (low + high·2^256)·2^-24. Montgomery's product takes another 2^-256.
        let lower = Fp(residue: low) * Fp(residue: Limbs(0, 0, 0, 1 << 40))
        let upper = Fp(residue: Limbs(high, 0, 0, 0)) * Fp(residue: powerOf488)
        return lower + upper
    }

    /// 2^488 mod p.
    private static var powerOf488: Limbs {
        Limbs(0xF7BC_C94A_E886_745C, 0x4D2E_06F3_A0BF_6E94, 0x077C_2CD3_7D1F_9B83, 0x10BC_09BB_EEAB_4437)
    }

    private static func shifted(_ limbs: Limbs, _ digit: UInt64) -> Limbs {
        Limbs(limbs.l0 << 4 | digit, limbs.l1 << 4 | limbs.l0 >> 60, limbs.l2 << 4 | limbs.l1 >> 60, limbs.l3 << 4 | limbs.l2 >> 60)
    }

    private static func hexDigit(_ octet: UInt8) -> UInt64? {
        switch octet {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(octet - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt64(octet - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt64(octet - UInt8(ascii: "A") + 10)
        default: nil
        }
    }
}
