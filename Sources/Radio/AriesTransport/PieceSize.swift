/// How much a message and its pieces may be, in octets (aries.md section 1).
public enum PieceSize {
    /// The longest message from a wallet, and the memory that a `PieceAssembler` is lent: 512 KiB. The largest envelope seen has 107 kB.
    public static var longest: Int { 512 << 10 }
    /// The longest attribute value (Core Vol 3 Part F 3.2.9).
    public static var longestValue: Int { 512 }
    /// The longest piece that the gate sends, whatever the link takes.
    public static var longestPiece: Int { 500 }
    /// What a piece is shorter than the MTU by: the wallets' own figure, which leaves room for the header of any request.
    public static var headroom: Int { 12 }
    /// The smallest MTU there is (Core Vol 3 Part G 5.2.1); its pieces have 11 octets.
    public static var smallestMTU: UInt16 { 23 }

    /// The longest piece to a wallet on a link of that ATT MTU.
    public static func piece(mtu: UInt16) -> Int { min(Int(max(mtu, smallestMTU)) - headroom, longestPiece) }
}
