/// The application behind an attribute table: holds the values that are not in the table.
/// Everything is answered at once; nothing may wait.
public protocol AttributeApplication: ~Copyable {
    /// Appends the value of `handle` (at most 512 octets) to `value`, or refuses.
    mutating func read(_ handle: UInt16, into value: inout AttributeValue) -> ATTError?

    /// Takes a whole value written to `handle`, no longer than the table allows. A refusal reaches the client only
    /// when it asked for an answer.
    mutating func write(_ handle: UInt16, _ value: borrowing Span<UInt8>, isCommand: Bool) -> ATTError?
}

/// The longest attribute value (Core Vol 3 Part F 3.2.9).
public typealias AttributeValue = OctetBuffer<512>
