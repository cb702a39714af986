import COpenSSL

/// A base of which many powers are due, with a table made once (Lim and Lee): the exponent is cut into eight rows, and a column of them is
/// one multiplication. A power by it costs an eighth of its bits in multiplications and a sixteenth in squarings, which it shares with the
/// other factors of a product.
public struct FixedBase: Sendable {
    static let teeth = 8
    /// Halves of a row, each with a table of its own: half the squarings for twice the memory.
    static let columns = 2
    /// Entries of a column's table: none for no tooth.
    static let entries = 1 << teeth - 1

    let base: Residue
    /// Bits of a row.
    let spacing: Int
    /// Residues one after the other, 255 for each column. Kept here and not by libcrypto, whose memory is small.
    let table: [UInt8]
    private let width: Int

    /// Bits between two columns, and how long the chain of squarings is.
    var height: Int { (spacing + Self.columns - 1) / Self.columns }

    /// Bits of the longest exponent that the table is for.
    public var bits: Int { Self.teeth * spacing }

    /// - Parameter bits: of the longest exponent; a longer one costs what it costs without a table.
    ///
    /// Some 150 thousand octets, a few milliseconds. Throws `wrongLength` for no bits or more than a number may have, `unavailable`.
    public init(_ base: Residue, bits: Int, of modulus: Modulus) throws(CryptographyError) {
        guard 1...8 * BigNumber.longest ~= bits else { throw .wrongLength }
        self.base = base
        spacing = (bits + Self.teeth - 1) / Self.teeth
        width = modulus.width
        table = try Self.table(base, spacing: spacing, height: (spacing + Self.columns - 1) / Self.columns, modulus)
    }

    private static func table(_ base: Residue, spacing: Int, height: Int, _ modulus: Modulus) throws(CryptographyError) -> [UInt8] {
        let work = try NumberWork()
        // The powers 2^(tooth·spacing + column·height), by column and tooth.
        var powers: [[Residue]] = Array(repeating: [], count: columns), power = base, position = 0
        for tooth in 0..<teeth {
            for column in 0..<columns {
                let due = tooth * spacing + column * height
                while position < due {
                    power = try modulus.multiply(power, power, work)
                    position += 1
                }
                powers[column].append(power)
            }
        }
        var table: [UInt8] = []
        table.reserveCapacity(columns * entries * modulus.width)
        for column in powers {
            var products: [Residue] = []
            for (tooth, power) in column.enumerated() {
                products.append(power)
                for lower in 0..<(1 << tooth - 1) { products.append(try modulus.multiply(products[lower], power, work)) }
            }
            for product in products { table += product.octets }
        }
        return table
    }

    /// The octets of an entry: the product over the teeth that `digit` has set, 1 or more.
    func range(column: Int, digit: Int) -> Range<Int> {
        let start = (column * Self.entries + digit - 1) * width
        return start..<start + width
    }
}
