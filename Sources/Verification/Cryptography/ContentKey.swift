import COpenSSL

/// A key that whoever encrypts and everybody who decrypts have in common, for AES-GCM with a 16-octet tag behind the ciphertext (RFC 9053
/// section 4.1). It is overwritten when nobody holds it any more.
///
/// Opening proves that somebody with the key sealed it: that is everybody who has to read it, so it says nothing about who.
public final class ContentKey: Sendable {
    /// Octets a key may have: AES-128, AES-192, AES-256.
    public static let lengths = [16, 24, 32]
    public static let nonceLength = 12
    public static let tagLength = 16

    private let octets: SecretOctets

    /// Throws `wrongLength`.
    public init(_ octets: Span<UInt8>) throws(CryptographyError) {
        guard Self.lengths.contains(octets.count) else { throw .wrongLength }
        self.octets = SecretOctets(octets)
    }

    /// 128, 192 or 256.
    public var bits: Int { octets.count * 8 }

    /// The plaintext of `message`, the ciphertext and the tag behind it. Throws `wrongLength`, `authenticationFailed`, `unavailable`; no
    /// octet that was not authenticated leaves this function.
    public func open(_ message: Span<UInt8>, nonce: Span<UInt8>, additional: Span<UInt8>) throws(CryptographyError) -> [UInt8] {
        guard nonce.count == Self.nonceLength, message.count >= Self.tagLength, let length = Int32(exactly: message.count - Self.tagLength),
            let additionalLength = Int32(exactly: additional.count)
        else { throw .wrongLength }
        guard let cipher = EVP_CIPHER_fetch(nil, "AES-\(bits)-GCM", nil), let context = EVP_CIPHER_CTX_new() else {
            throw Library.failure(.unavailable)
        }
        defer {
            EVP_CIPHER_CTX_free(context)
            EVP_CIPHER_free(cipher)
        }
        var plain = [UInt8](repeating: 0, count: Int(length))
        var tag = (0..<Self.tagLength).map { message[Int(length) + $0] }
        var produced: Int32 = 0, rest: UInt64 = 0
        let isBegun = octets.withOctets { key in
            nonce.withUnsafeBufferPointer { EVP_DecryptInit_ex2(context, cipher, key.baseAddress, $0.baseAddress, nil) == 1 }
        }
        let isRead =
            additional.isEmpty
            || additional.withUnsafeBufferPointer { EVP_DecryptUpdate(context, nil, &produced, $0.baseAddress, additionalLength) == 1 }
        let isOpened = plain.withUnsafeMutableBufferPointer { plain in
            message.withUnsafeBufferPointer {
                length == 0 || EVP_DecryptUpdate(context, plain.baseAddress, &produced, $0.baseAddress, length) == 1
            }
        }
        let isTagged = EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(Self.tagLength), &tag) == 1
        // GCM has no last block; libcrypto still wants somewhere to write none of it.
        let isAuthentic = withUnsafeMutableBytes(of: &rest) {
            EVP_DecryptFinal_ex(context, $0.baseAddress?.assumingMemoryBound(to: UInt8.self), &produced) == 1
        }
        guard isBegun, isRead, isOpened, isTagged, isAuthentic else {
            wipe(&plain)
            throw Library.failure(isBegun && isRead && isOpened && isTagged ? .authenticationFailed : .unavailable)
        }
        return plain
    }
}

/// Octets at one address, overwritten when the last reference goes. Nothing changes after `init`, which is why sharing it is safe.
private final class SecretOctets: @unchecked Sendable {
    private let memory: UnsafeMutableRawBufferPointer

    init(_ source: Span<UInt8>) {
        memory = .allocate(byteCount: source.count, alignment: 16)
        source.withUnsafeBytes { memory.copyMemory(from: $0) }
    }

    deinit {
        wipe(memory)
        memory.deallocate()
    }

    var count: Int { memory.count }

    func withOctets<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        body(
            UnsafeBufferPointer(
                UnsafeMutableBufferPointer(start: memory.baseAddress?.assumingMemoryBound(to: UInt8.self), count: memory.count)))
    }
}
