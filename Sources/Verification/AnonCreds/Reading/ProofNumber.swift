import Cryptography

/// An integer of a proof (anoncreds.md section 2): sign and minimal big-endian magnitude.
struct ProofNumber: Hashable, Sendable {
    /// be(|x|); empty for zero.
    let octets: [UInt8]
    let isNegative: Bool

    static let zero = ProofNumber(magnitude: [])

    /// Leading zeros are dropped.
    init(magnitude: some Collection<UInt8>, isNegative: Bool = false) {
        octets = Array(magnitude.drop { $0 == 0 })
        self.isNegative = isNegative && !octets.isEmpty
    }

    init(_ value: Int64) {
        let magnitude = value.magnitude
        self.init(magnitude: (0..<8).map { UInt8(truncatingIfNeeded: magnitude >> (56 - 8 * $0)) }, isNegative: value < 0)
    }

    /// From `-?(0|[1-9][0-9]*)`, never `-0`, of at most `Limits.digits`; `-` only where `signed`. Throws `presentationMalformed`,
    /// `unavailable`.
    init(text: [UInt8], signed: Bool = false) throws(PresentationReason) {
        let isNegative = text.first == UInt8(ascii: "-"), digits = isNegative ? text.dropFirst() : text[...]
        guard 1...Limits.digits ~= digits.count, digits.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }),
            digits.first != UInt8(ascii: "0") || (digits.count == 1 && !isNegative), signed || !isNegative
        else { throw .presentationMalformed }
        let magnitude = try available { () throws(CryptographyError) in try BigNumber(decimal: digits.span).octets }
        self.init(magnitude: magnitude, isNegative: isNegative)
    }

    var bitCount: Int { octets.first.map { 8 * octets.count - $0.leadingZeroBitCount } ?? 0 }

    /// Whether 0 ≤ x < 2^`bits`.
    func isNatural(below bits: Int) -> Bool { !isNegative && bitCount <= bits }

    /// Whether |x| is less than the other's.
    func isMagnitudeLess(than other: ProofNumber) -> Bool {
        octets.count == other.octets.count ? octets.lexicographicallyPrecedes(other.octets) : octets.count < other.octets.count
    }

    /// Throws `unavailable`.
    func number() throws(CryptographyError) -> BigNumber {
        let number = try BigNumber(octets: octets.span)
        return isNegative ? try BigNumber(0).minus(number) : number
    }
}
