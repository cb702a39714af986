/// What is wrong with what a wallet writes. It ends the visit: what follows means nothing any more (aries.md section 1).
public enum PieceFault: UInt8, Error, Hashable, Sendable {
    /// A write of no octets, or of more than an attribute value can have. The request is answered with Invalid Attribute Value Length.
    case valueLength
    /// More octets than a message may have. The request is answered in the same way.
    case messageTooLarge
    /// A marker before anything else: a message of no octets.
    case emptyMessage
}
