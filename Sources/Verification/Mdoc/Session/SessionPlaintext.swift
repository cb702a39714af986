import Cryptography

/// What a message of the phone held: somebody's document. It stays at one address and is overwritten with zeros when the value ends.
public struct SessionPlaintext: ~Copyable {
    private let memory: UnsafeMutableRawBufferPointer
    public let count: Int

    /// Opens ciphertext and tag. Throws `wrongLength`, `authenticationFailed`, `unavailable`; nothing of it is then left.
    init(
        opening message: [UInt8], with cipher: inout AuthenticatedCipher, key: borrowing Secret, nonce: Span<UInt8>
    ) throws(CryptographyError) {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: message.count, alignment: 16)
        memory.copyBytes(from: message)
        let count: Int
        do throws(CryptographyError) {
            count = try cipher.open(memory, key: key, nonce: nonce)
        } catch {
            // The cipher has wiped it.
            memory.deallocate()
            throw error
        }
        self.memory = memory
        self.count = count
    }

    deinit {
        wipe(memory)
        memory.deallocate()
    }

    /// Lends the octets for the duration of `body`, which must not keep them.
    public borrowing func withOctets<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let octets = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(memory).prefix(count)).assumingMemoryBound(to: UInt8.self)
        return try body(octets.span)
    }
}

/// A message of the phone that opened.
public struct SessionMessage: ~Copyable {
    /// A DeviceResponse, if the phone keeps to the protocol. Nothing in it is believed yet.
    public let plaintext: SessionPlaintext
    /// The status beside it: the session has ended with this message. Nil where it goes on.
    public let status: SessionStatus?
    /// Whether a request was waiting for it. What comes after the gate has given up, and before it asks again, is of no use.
    public let isAwaited: Bool
}
