import COpenSSL

/// AES-256-GCM with a 12-byte nonce and a 16-byte tag behind the ciphertext (tuvali.md section 5, step 5), in place.
///
/// One context, made at start and reused; its key schedule is overwritten after each message.
public struct AuthenticatedCipher: ~Copyable {
    public static let keyLength = 32
    public static let nonceLength = 12
    public static let tagLength = 16

    private let context: OpaquePointer

    /// Throws `unavailable`.
    public init() throws(CryptographyError) {
        guard let cipher = Library.shared.aes256GCM, let context = EVP_CIPHER_CTX_new() else {
            throw Library.failure(.unavailable)
        }
        guard EVP_CipherInit_ex2(context, cipher, nil, nil, 0, nil) == 1 else {
            EVP_CIPHER_CTX_free(context)
            throw Library.failure(.unavailable)
        }
        self.context = context
    }

    deinit {
        EVP_CIPHER_CTX_free(context)
    }

    /// Opens `message` (ciphertext, then tag) in place and returns the plaintext's length: `message.count - 16`.
    ///
    /// On return the plaintext is authentic. Throws `wrongLength`, `authenticationFailed`, `unavailable`; the whole
    /// buffer is then wiped, so no unauthenticated byte survives.
    public mutating func open(
        _ message: UnsafeMutableRawBufferPointer, key: borrowing Secret, nonce: Span<UInt8>,
        additional: Span<UInt8> = Span()
    ) throws(CryptographyError) -> Int {
        try key.withBytes { (key) throws(CryptographyError) in
            try open(message, key: key, nonce: nonce, additional: additional)
        }
    }

    /// As above, with the key's 32 bytes where the caller keeps them.
    public mutating func open(
        _ message: UnsafeMutableRawBufferPointer, key: Span<UInt8>, nonce: Span<UInt8>,
        additional: Span<UInt8> = Span()
    ) throws(CryptographyError) -> Int {
        defer { forgetKey() }
        do throws(CryptographyError) {
            let body = try begin(message, key: key, nonce: nonce, additional: additional, sealing: false)
            let tag = UnsafeMutableRawBufferPointer(rebasing: message[body.count...]).baseAddress
            guard EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(Self.tagLength), tag) == 1 else {
                throw Library.failure(.unavailable)
            }
            try process(body)
            guard finish() else { throw Library.failure(.authenticationFailed) }
            return body.count
        } catch {
            wipe(message)
            throw error
        }
    }

    /// Seals in place: the plaintext is all of `message` but its last 16 bytes, which receive the tag. For tools and
    /// tests; the gate sends nothing sealed. Throws `wrongLength`, `unavailable`; the buffer is then wiped.
    public mutating func seal(
        _ message: UnsafeMutableRawBufferPointer, key: Span<UInt8>, nonce: Span<UInt8>,
        additional: Span<UInt8> = Span()
    ) throws(CryptographyError) {
        defer { forgetKey() }
        do throws(CryptographyError) {
            let body = try begin(message, key: key, nonce: nonce, additional: additional, sealing: true)
            try process(body)
            let tag = UnsafeMutableRawBufferPointer(rebasing: message[body.count...]).baseAddress
            guard finish(),
                EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(Self.tagLength), tag) == 1
            else { throw Library.failure(.unavailable) }
        } catch {
            wipe(message)
            throw error
        }
    }

    /// Checks every length, sets key, nonce and additional data, and returns the part of `message` before the tag.
    private func begin(
        _ message: UnsafeMutableRawBufferPointer, key: Span<UInt8>, nonce: Span<UInt8>, additional: Span<UInt8>,
        sealing: Bool
    ) throws(CryptographyError) -> UnsafeMutableRawBufferPointer {
        guard key.count == Self.keyLength, nonce.count == Self.nonceLength, message.count >= Self.tagLength,
            Int32(exactly: message.count) != nil, let additionalCount = Int32(exactly: additional.count)
        else { throw .wrongLength }
        let begun = key.withUnsafeBufferPointer { key in
            nonce.withUnsafeBufferPointer { nonce in
                EVP_CipherInit_ex2(context, nil, key.baseAddress, nonce.baseAddress, sealing ? 1 : 0, nil) == 1
            }
        }
        guard begun else { throw Library.failure(.unavailable) }
        if !additional.isEmpty {
            var produced: Int32 = 0
            let taken = additional.withUnsafeBufferPointer {
                EVP_CipherUpdate(context, nil, &produced, $0.baseAddress, additionalCount) == 1
            }
            guard taken else { throw Library.failure(.unavailable) }
        }
        return UnsafeMutableRawBufferPointer(rebasing: message[..<(message.count - Self.tagLength)])
    }

    private func process(_ body: UnsafeMutableRawBufferPointer) throws(CryptographyError) {
        guard !body.isEmpty else { return }
        guard let start = body.baseAddress?.assumingMemoryBound(to: UInt8.self), let count = Int32(exactly: body.count)
        else { throw .wrongLength }
        var produced: Int32 = 0
        guard EVP_CipherUpdate(context, start, &produced, start, count) == 1, produced == count else {
            throw Library.failure(.unavailable)
        }
    }

    private func finish() -> Bool {
        // GCM has no last block; libcrypto still wants somewhere to write none of it.
        var nothing: UInt64 = 0
        var produced: Int32 = 0
        return withUnsafeMutableBytes(of: &nothing) { buffer in
            EVP_CipherFinal_ex(context, buffer.baseAddress?.assumingMemoryBound(to: UInt8.self), &produced) == 1
        }
    }

    /// Expands an all-zero key over the old key schedule. Freeing the context would do as much and allocate again.
    private func forgetKey() {
        let zeros = InlineArray<32, UInt8>(repeating: 0)
        zeros.span.withUnsafeBufferPointer {
            _ = EVP_CipherInit_ex2(context, nil, $0.baseAddress, $0.baseAddress, 0, nil)
        }
    }
}
