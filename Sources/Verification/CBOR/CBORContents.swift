/// The contents of a byte string where they lie. `CBORItem.bytes` leaves a copy behind that nobody overwrites: too little for a portrait.
extension CBORItem {
    /// Lends the contents of a byte string for the duration of `body`, which must not keep them; nil for every other type. Chunks are
    /// joined in memory that is overwritten afterwards.
    public func withContents<Result, Failure: Error>(_ body: (Span<UInt8>) throws(Failure) -> Result) throws(Failure) -> Result? {
        guard kind == .bytes else { return nil }
        defer { withExtendedLifetime(tape) {} }
        guard node.isChunked else {
            let octets = tape.content(index).assumingMemoryBound(to: UInt8.self)
            return try body(octets.span)
        }
        let joined = UnsafeMutableRawBufferPointer.allocate(byteCount: sourceRange.count, alignment: 16)
        defer { Self.wipe(joined) }
        var chunk = index + 1, count = 0
        // Chunks are shorter than the string with its heads, and end with it.
        while chunk < Int(node.next) {
            let content = tape.content(chunk)
            guard content.count <= joined.count - count else { break }
            UnsafeMutableRawBufferPointer(rebasing: joined[count..<count + content.count]).copyMemory(from: content)
            count += content.count
            chunk += 1
        }
        let octets = UnsafeRawBufferPointer(rebasing: joined[..<count]).assumingMemoryBound(to: UInt8.self)
        return try body(octets.span)
    }

    /// As `embedded`, without a copy of the contents that stays behind.
    public func embeddedInPlace(options: CBOROptions = .standard) throws(CBORError) -> CBORDocument {
        let document = try withContents { (octets) throws(CBORError) in try CBORDocument(parsing: octets, options: options) }
        guard let document else { throw fault(.wrongType) }
        return document
    }

    /// Not inlined: the stores come right before the memory is freed and must not be optimised away.
    @inline(never)
    private static func wipe(_ memory: UnsafeMutableRawBufferPointer) {
        memory.initializeMemory(as: UInt8.self, repeating: 0)
        memory.deallocate()
    }
}
