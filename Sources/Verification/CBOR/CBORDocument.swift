/// One whole encoding, checked: a single item, no duplicate keys, nothing after it (RFC 8949).
public struct CBORDocument: Sendable {
    let tape: CBORTape

    /// - Parameter bytes: they are copied once.
    public init(parsing bytes: Span<UInt8>, options: CBOROptions = .standard) throws(CBORError) {
        tape = try CBORTape(copying: bytes, options: options)
    }

    public init(parsing bytes: [UInt8], options: CBOROptions = .standard) throws(CBORError) {
        tape = try CBORTape(copying: bytes.span, options: options)
    }

    /// The item that was parsed.
    public var root: CBORItem { CBORItem(tape: tape, index: 0) }

    public var byteCount: Int { tape.memory.count }
}
