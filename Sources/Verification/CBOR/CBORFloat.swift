/// A float as it was written: its bits and their width. Conversions move bits and never round (RFC 8949 section 3.3, IEEE 754 section 3.4).
public struct CBORFloat: Hashable, Sendable {
    public enum Width: UInt8, Hashable, Sendable, CaseIterable {
        case half = 2, single = 4, double = 8

        var exponentBits: UInt64 { self == .half ? 5 : self == .single ? 8 : 11 }
        var fractionBits: UInt64 { self == .half ? 10 : self == .single ? 23 : 52 }
        var bias: Int { (1 << (Int(exponentBits) - 1)) - 1 }
    }

    public let width: Width
    /// The bits, in the low end.
    public let bits: UInt64

    init(width: Width, bits: UInt64) {
        self.width = width
        self.bits = bits
    }

    /// The narrowest float with exactly this value; a NaN keeps its sign and payload (RFC 8949 section 4.2.2).
    public init(shortest value: Double) {
        let double = CBORFloat(width: .double, bits: value.bitPattern)
        self = double.narrowed(to: .half) ?? double.narrowed(to: .single) ?? double
    }

    /// The same number in the widest format; a NaN keeps its sign and payload, signalling ones too.
    public var double: Double { Double(bitPattern: widened) }

    /// Whether no narrower float has exactly this value.
    public var isShortest: Bool {
        let double = CBORFloat(width: .double, bits: widened)
        switch width {
        case .half: return true
        case .single: return double.narrowed(to: .half) == nil
        case .double: return double.narrowed(to: .half) == nil && double.narrowed(to: .single) == nil
        }
    }

    /// The bits of the same value as a double.
    private var widened: UInt64 {
        guard width != .double else { return bits }
        let shift = 52 - width.fractionBits
        let sign = (bits >> (width.exponentBits + width.fractionBits) & 1) << 63
        let exponent = Int(bits >> width.fractionBits & (1 << width.exponentBits - 1))
        var fraction = bits & (1 << width.fractionBits - 1)
        switch exponent {
        case (1 << Int(width.exponentBits)) - 1:
            return sign | 0x7FF << 52 | fraction << shift
        case 0 where fraction == 0:
            return sign
        case 0:
            // A subnormal has no leading one: move its highest bit to where the leading one is.
            let steps = UInt64(fraction.leadingZeroBitCount) - (63 - width.fractionBits)
            fraction = (fraction << steps) & (1 << width.fractionBits - 1)
            return sign | UInt64(1 - width.bias - Int(steps) + 1023) << 52 | fraction << shift
        default:
            return sign | UInt64(exponent - width.bias + 1023) << 52 | fraction << shift
        }
    }

    /// A double's value in a narrower format; nil when it does not fit exactly.
    private func narrowed(to narrow: Width) -> CBORFloat? {
        let sign = (bits >> 63) << (narrow.exponentBits + narrow.fractionBits)
        let exponent = Int(bits >> 52 & 0x7FF)
        let fraction = bits & (1 << 52 - 1)
        let dropped = 52 - narrow.fractionBits
        let highest = (UInt64(1) << narrow.exponentBits - 1)
        func kept(_ fraction: UInt64, _ dropped: UInt64) -> UInt64? {
            fraction & (1 << dropped - 1) == 0 ? fraction >> dropped : nil
        }
        if exponent == 0x7FF {
            guard let fraction = kept(fraction, dropped) else { return nil }
            return CBORFloat(width: narrow, bits: sign | highest << narrow.fractionBits | fraction)
        }
        if exponent == 0 {
            // A double's subnormals are far below every narrower format.
            return fraction == 0 ? CBORFloat(width: narrow, bits: sign) : nil
        }
        let biased = exponent - 1023 + narrow.bias
        if biased >= 1 {
            guard biased < Int(highest), let fraction = kept(fraction, dropped) else { return nil }
            return CBORFloat(width: narrow, bits: sign | UInt64(biased) << narrow.fractionBits | fraction)
        }
        let extra = UInt64(1 - biased)
        guard extra <= narrow.fractionBits, let fraction = kept(fraction | 1 << 52, dropped + extra) else { return nil }
        return CBORFloat(width: narrow, bits: sign | fraction)
    }
}
