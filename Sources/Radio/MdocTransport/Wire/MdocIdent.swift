import Bluetooth

/// The value of Ident: 16 octets that follow from the phone's key in its engagement (mdoc.md section 2.1).
///
/// Whoever compares two learns nothing from how long it took: all octets are looked at, whatever the first ones are.
public struct MdocIdent: Equatable, Sendable {
    /// Octets of an Ident.
    public static var count: Int { 16 }

    private var octets = InlineArray<16, UInt8>(repeating: 0)

    /// Nil unless there are 16 octets.
    public init?(_ octets: borrowing Span<UInt8>) {
        guard octets.count == Self.count else { return nil }
        for index in 0..<Self.count { self.octets[index] = octets[index] }
    }

    public static func == (a: MdocIdent, b: MdocIdent) -> Bool {
        var difference: UInt8 = 0
        for index in 0..<count { difference |= a.octets[index] ^ b.octets[index] }
        return difference == 0
    }

    /// Lends the octets.
    public func withOctets<Result, Failure: Error>(
        _ body: (borrowing Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(octets.span)
    }
}
