/// What is wrong with octets that should make up messages. What follows them means nothing any more (mdoc.md sections 2.2 and 2.4).
public enum MessageFault: UInt8, Error, Hashable, Sendable {
    /// A value without so much as its header.
    case emptyValue
    /// A header that is neither "more follows" nor "last".
    case header
    /// A value longer than an attribute value can be.
    case valueTooLong
    /// A message longer than `MessageSize.longest`.
    case messageTooLong
    /// More whole messages than anybody sends without being answered, or more octets of them than there is room for.
    case tooManyMessages
}
