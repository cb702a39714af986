import Cryptography

/// The texts of the codes that others make than Tuvali: a DIDComm invitation, the request to a Trusted Key wallet. In lent memory; the room
/// is made once, and nothing of a text stays there when its offer is over, for it has the visit's nonce in it.
struct OfferTexts: ~Copyable {
    /// Octets of the longest text: more than a code of version 31 holds.
    static var longest: Int { 2_048 }
    /// Octets of all.
    static var size: Int { 2 * longest }

    private let memory: UnsafeMutableRawBufferPointer
    private var lengths: InlineArray<2, Int> = [0, 0]

    /// - Parameter memory: lent; of `size`, and of nobody else's use for as long as this lives.
    init(_ memory: UnsafeMutableRawBufferPointer) { self.memory = memory }

    /// - Returns: false, with no text any more, where it is empty or too long.
    mutating func put(_ text: borrowing Span<UInt8>, of kind: OfferedKind) -> Bool {
        remove(kind)
        guard let place = Self.place(kind), text.count > 0, text.count <= Self.longest else { return false }
        let room = memory[place * Self.longest..<place * Self.longest + text.count]
        text.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: room).copyMemory(from: $0) }
        lengths[place] = text.count
        return true
    }

    mutating func remove(_ kind: OfferedKind) {
        guard let place = Self.place(kind), lengths[place] > 0 else { return }
        wipe(UnsafeMutableRawBufferPointer(rebasing: memory[place * Self.longest..<place * Self.longest + lengths[place]]))
        lengths[place] = 0
    }

    func hasText(of kind: OfferedKind) -> Bool { Self.place(kind).map { lengths[$0] > 0 } ?? false }

    /// Lends the text; nil without one.
    func withText<Result>(of kind: OfferedKind, _ body: (borrowing Span<UInt8>) -> Result) -> Result? {
        guard let place = Self.place(kind), lengths[place] > 0 else { return nil }
        let octets = UnsafeRawBufferPointer(rebasing: memory[place * Self.longest..<place * Self.longest + lengths[place]])
        return body(octets.assumingMemoryBound(to: UInt8.self).span)
    }

    private static func place(_ kind: OfferedKind) -> Int? {
        switch kind {
        case .tuvali: nil
        case .aries: 0
        case .trustedKey: 1
        }
    }
}
