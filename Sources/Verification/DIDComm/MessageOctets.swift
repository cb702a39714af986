import Cryptography

/// Octets that say something about somebody: a message, or what was attached to it. They stay at one address and are overwritten with zeros
/// when the value ends.
public struct MessageOctets: ~Copyable {
    private let memory: UnsafeMutableRawBufferPointer
    public let count: Int

    /// Takes the octets over: the array is overwritten.
    init(taking octets: inout [UInt8]) {
        // One octet at least, so that there is an address.
        memory = .allocate(byteCount: max(octets.count, 1), alignment: 16)
        memory.copyBytes(from: octets)
        count = octets.count
        wipe(&octets)
    }

    /// A copy. The caller wipes the original.
    init(copying octets: Span<UInt8>) {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: max(octets.count, 1), alignment: 16)
        octets.withUnsafeBytes { memory.copyMemory(from: $0) }
        self.memory = memory
        count = octets.count
    }

    deinit {
        wipe(memory)
        memory.deallocate()
    }

    /// Lends the octets for the duration of `body`, which must not keep them.
    public borrowing func withOctets<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let octets = UnsafeRawBufferPointer(octets).assumingMemoryBound(to: UInt8.self)
        return try body(octets.span)
    }

    /// Decrypts in place. Errors as of `ChaChaPoly.open`; nothing is then left of the octets.
    mutating func open(
        tag: Span<UInt8>, key: borrowing Secret, nonce: Span<UInt8>, additional: Span<UInt8>
    ) throws(CryptographyError) {
        try ChaChaPoly.open(octets, tag: tag, key: key, nonce: nonce, additional: additional)
    }

    /// Encrypts in place and returns the tag. Errors as of `ChaChaPoly.seal`.
    mutating func seal(key: borrowing Secret, nonce: Span<UInt8>, additional: Span<UInt8>) throws(CryptographyError) -> InlineArray<
        16, UInt8
    > {
        try ChaChaPoly.seal(octets, key: key, nonce: nonce, additional: additional)
    }

    private var octets: UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(start: memory.baseAddress, count: count) }
}
