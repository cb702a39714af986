import COpenSSL

/// The gate's X25519 key pair of one visit (RFC 7748; tuvali.md section 5, step 1).
///
/// Made once at start and renewed for each visit: the generator's context is kept, the pair itself lives in the arena.
public struct KeyAgreement: ~Copyable {
    /// Length of a private key, a public key and a shared secret, in bytes.
    public static let keyLength = 32

    /// The raw little-endian u-coordinate, as it goes on air.
    public private(set) var publicKey: InlineArray<32, UInt8>

    private let generator: OpaquePointer
    private var pair: OpaquePointer?

    /// A fresh pair. Throws `unavailable`, `noRandomness`.
    public init() throws(CryptographyError) {
        let generator = try Self.makeGenerator()
        do throws(CryptographyError) {
            (pair, publicKey) = try Self.generate(generator)
        } catch {
            EVP_PKEY_CTX_free(generator)
            throw error
        }
        self.generator = generator
    }

    /// The pair of a known private key, for tests and recorded sessions. Throws `wrongLength`, `unavailable`.
    public init(privateKey: Span<UInt8>) throws(CryptographyError) {
        guard privateKey.count == Self.keyLength else { throw .wrongLength }
        let generator = try Self.makeGenerator()
        let known = privateKey.withUnsafeBufferPointer {
            EVP_PKEY_new_raw_private_key_ex(nil, "X25519", nil, $0.baseAddress, $0.count)
        }
        do throws(CryptographyError) {
            (pair, publicKey) = try Self.adopt(known)
        } catch {
            EVP_PKEY_CTX_free(generator)
            throw error
        }
        self.generator = generator
    }

    deinit {
        EVP_PKEY_free(pair)
        EVP_PKEY_CTX_free(generator)
    }

    /// Forgets the old pair and makes a fresh one. Throws `noRandomness`; there is then no pair at all.
    public mutating func renew() throws(CryptographyError) {
        forget()
        (pair, publicKey) = try Self.generate(generator)
    }

    /// Wipes the private key, as soon as the visit's keys are derived. `publicKey` reads zero until `renew`.
    public mutating func forget() {
        EVP_PKEY_free(pair)
        pair = nil
        publicKey = InlineArray(repeating: 0)
    }

    /// The shared secret with a peer's raw 32-byte public key.
    ///
    /// Throws `wrongLength`, `keyForgotten`, `unavailable`, and `lowOrderPoint` where the secret would be all zero:
    /// such a peer fixes the key beforehand, so anyone could read the message.
    public borrowing func agree(with peer: Span<UInt8>) throws(CryptographyError) -> Secret {
        guard peer.count == Self.keyLength else { throw .wrongLength }
        guard let pair else { throw .keyForgotten }
        let peerKey = peer.withUnsafeBufferPointer { gatehouse_x25519_public_key($0.baseAddress) }
        let context = EVP_PKEY_CTX_new_from_pkey(nil, pair, nil)
        defer {
            EVP_PKEY_CTX_free(context)
            EVP_PKEY_free(peerKey)
        }
        guard let peerKey, let context, EVP_PKEY_derive_init(context) == 1,
            EVP_PKEY_derive_set_peer(context, peerKey) == 1
        else { throw Library.failure(.unavailable) }

        var secret = try Secret(count: Self.keyLength)
        let derived = secret.withMutableBytes { buffer in
            var length = buffer.count
            let start = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
            return EVP_PKEY_derive(context, start, &length) == 1 && length == buffer.count
        }
        // libcrypto refuses the all-zero secret itself; the second look costs nothing and does not depend on it.
        guard derived, !secret.withBytes(Self.isZero) else { throw Library.failure(.lowOrderPoint) }
        return secret
    }

    private static func isZero(_ bytes: Span<UInt8>) -> Bool {
        var sum: UInt8 = 0
        for index in bytes.indices { sum |= bytes[index] }
        return sum == 0
    }

    private static func makeGenerator() throws(CryptographyError) -> OpaquePointer {
        _ = Library.shared
        guard let generator = EVP_PKEY_CTX_new_from_name(nil, "X25519", nil) else {
            throw Library.failure(.unavailable)
        }
        guard EVP_PKEY_keygen_init(generator) == 1 else {
            EVP_PKEY_CTX_free(generator)
            throw Library.failure(.unavailable)
        }
        return generator
    }

    private static func generate(
        _ generator: OpaquePointer
    ) throws(CryptographyError) -> (OpaquePointer, InlineArray<32, UInt8>) {
        var fresh: OpaquePointer?
        guard EVP_PKEY_generate(generator, &fresh) == 1 else {
            EVP_PKEY_free(fresh)
            throw Library.failure(.noRandomness)
        }
        return try adopt(fresh)
    }

    /// The pair with its public key read out; `pair` is freed when that fails.
    private static func adopt(
        _ pair: OpaquePointer?
    ) throws(CryptographyError) -> (OpaquePointer, InlineArray<32, UInt8>) {
        guard let pair else { throw Library.failure(.unavailable) }
        var publicKey = InlineArray<32, UInt8>(repeating: 0)
        var length = keyLength
        let read = withUnsafeMutableBytes(of: &publicKey) { buffer in
            EVP_PKEY_get_raw_public_key(pair, buffer.baseAddress?.assumingMemoryBound(to: UInt8.self), &length)
        }
        guard read == 1, length == keyLength else {
            EVP_PKEY_free(pair)
            throw Library.failure(.unavailable)
        }
        return (pair, publicKey)
    }
}
