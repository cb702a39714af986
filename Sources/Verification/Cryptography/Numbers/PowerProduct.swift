import COpenSSL

/// One factor of a product of powers.
public struct Power: Sendable {
    enum Base: Sendable {
        case any(Residue)
        case fixed(FixedBase)
    }

    let base: Base
    /// Big-endian magnitude. A negative power is one of the inverse.
    public let exponent: [UInt8]

    public init(_ base: Residue, _ exponent: [UInt8]) {
        self.base = .any(base)
        self.exponent = exponent
    }

    public init(_ base: FixedBase, _ exponent: [UInt8]) {
        self.base = .fixed(base)
        self.exponent = exponent
    }

    /// Bits of the exponent.
    var bitCount: Int {
        guard let first = exponent.firstIndex(where: { $0 != 0 }) else { return 0 }
        return 8 * (exponent.count - first) - exponent[first].leadingZeroBitCount
    }

    func bit(_ position: Int) -> Bool {
        let index = exponent.count - 1 - position / 8
        return exponent.indices.contains(index) && exponent[index] >> UInt8(position % 8) & 1 == 1
    }
}

extension Modulus {
    /// The product of powers by one chain of squarings for all of them (Straus), each with windows of its own. Costs as many squarings as
    /// the longest exponent has bits, and a multiplication for about every sixth bit of all; less by `FixedBase`. At most `mostFactors`.
    /// Throws `wrongLength`, `unavailable`.
    public func product(_ factors: [Power]) throws(CryptographyError) -> Residue {
        guard factors.count <= Self.mostFactors, factors.allSatisfy({ $0.exponent.count <= BigNumber.longest }) else { throw .wrongLength }
        var chain = PowerChain(modulus: self, work: try NumberWork())
        for factor in factors { try chain.append(factor) }
        return try chain.evaluate()
    }

    /// Factors of one product: bounds its tables, half a megabyte in the worst case and a tenth of it in a usual one.
    public static let mostFactors = 32
}

/// The multiplications of a product of powers, and the numbers of libcrypto that live as long as it is computed.
struct PowerChain: ~Copyable {
    /// A multiplication that is due when the chain of squarings has come down to `position`.
    private struct Step {
        let position: Int
        let entry: Entry
    }

    private enum Entry {
        /// One of `numbers`.
        case number(Int)
        /// Of one of `tables`.
        case fixed(Int, Range<Int>)
    }

    private let modulus: Modulus
    private let work: NumberWork
    private var numbers: [OpaquePointer] = []
    private var tables: [FixedBase] = []
    private var steps: [Step] = []

    init(modulus: Modulus, work: consuming NumberWork) {
        self.modulus = modulus
        self.work = work
    }

    deinit {
        for number in numbers { BN_free(number) }
    }

    /// Throws `unavailable`.
    mutating func append(_ factor: Power) throws(CryptographyError) {
        let bits = factor.bitCount
        guard bits > 0 else { return }
        switch factor.base {
        case .fixed(let base) where bits <= base.bits: append(base, factor)
        case .fixed(let base): try append(base.base, factor, bits)
        case .any(let base): try append(base, factor, bits)
        }
    }

    /// Digits of as many bits as there are teeth, each from one place of every row.
    private mutating func append(_ base: FixedBase, _ factor: Power) {
        let table = tables.count
        tables.append(base)
        for place in 0..<base.spacing {
            var digit = 0
            for tooth in 0..<FixedBase.teeth where factor.bit(tooth * base.spacing + place) { digit |= 1 << tooth }
            guard digit > 0 else { continue }
            let (column, position) = place.quotientAndRemainder(dividingBy: base.height)
            steps.append(Step(position: position, entry: .fixed(table, base.range(column: column, digit: digit))))
        }
    }

    /// Windows of the exponent from its highest bit down; each begins and ends with a set bit, so only odd powers are needed.
    private mutating func append(_ base: Residue, _ factor: Power, _ bits: Int) throws(CryptographyError) {
        // The width that makes the table and the multiplications together least.
        let window = bits < 240 ? 4 : bits < 1000 ? 5 : 6
        let first = try append(oddPowersOf: base, count: 1 << (window - 1))
        var high = bits - 1
        while high >= 0 {
            guard factor.bit(high) else {
                high -= 1
                continue
            }
            var low = max(high - window + 1, 0)
            while !factor.bit(low) { low += 1 }
            var value = 0
            for position in stride(from: high, through: low, by: -1) { value = value << 1 | (factor.bit(position) ? 1 : 0) }
            steps.append(Step(position: low, entry: .number(first + value / 2)))
            high = low - 1
        }
    }

    /// base, base³, base⁵ … The index of the first. Throws `unavailable`.
    private mutating func append(oddPowersOf base: Residue, count: Int) throws(CryptographyError) -> Int {
        let first = numbers.count, start = try BigNumber.made()
        numbers.append(start)
        let square = BigNumber(owning: try BigNumber.made())
        guard BN_lebin2bn(base.octets, Int32(base.octets.count), start) != nil, multiply(square.pointer, start, start) else {
            throw Library.failure(.unavailable)
        }
        var last = start
        for _ in 1..<max(count, 1) {
            let next = try BigNumber.made()
            numbers.append(next)
            guard multiply(next, last, square.pointer) else { throw Library.failure(.unavailable) }
            last = next
        }
        return first
    }

    private func multiply(_ result: OpaquePointer, _ left: OpaquePointer, _ right: OpaquePointer) -> Bool {
        BN_mod_mul_montgomery(result, left, right, modulus.montgomery, work.context) == 1
    }

    /// The chain of squarings with all multiplications. Throws `unavailable`.
    mutating func evaluate() throws(CryptographyError) -> Residue {
        steps.sort { $0.position > $1.position }
        let result = BigNumber(owning: try BigNumber.made()), entry = BigNumber(owning: try BigNumber.made())
        guard BN_to_montgomery(result.pointer, BN_value_one(), modulus.montgomery, work.context) == 1 else {
            throw Library.failure(.unavailable)
        }
        var position = steps.first?.position ?? 0, isGood = true
        for step in steps {
            while position > step.position {
                isGood = isGood && multiply(result.pointer, result.pointer, result.pointer)
                position -= 1
            }
            switch step.entry {
            case .number(let index): isGood = isGood && multiply(result.pointer, result.pointer, numbers[index])
            case .fixed(let index, let range):
                isGood =
                    isGood && load(tables[index].table, range, into: entry.pointer)
                    && multiply(result.pointer, result.pointer, entry.pointer)
            }
        }
        while position > 0 {
            isGood = isGood && multiply(result.pointer, result.pointer, result.pointer)
            position -= 1
        }
        guard isGood else { throw Library.failure(.unavailable) }
        return try modulus.stored(result.pointer)
    }

    private func load(_ table: [UInt8], _ range: Range<Int>, into number: OpaquePointer) -> Bool {
        table.withUnsafeBufferPointer { octets in
            guard range.upperBound <= octets.count, let start = octets.baseAddress else { return false }
            return BN_lebin2bn(start + range.lowerBound, Int32(range.count), number) != nil
        }
    }
}
