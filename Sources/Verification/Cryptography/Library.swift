import COpenSSL

/// libcrypto, made ready once: the arena first, no configuration file, every algorithm of the visit path fetched.
///
/// A fetch walks the provider's tables and allocates; a visit must not. The pointers live as long as the process and
/// point to immutable, reference-counted method tables, which libcrypto lets any thread use.
struct Library: @unchecked Sendable {
    static let shared = Library()

    let arenaInstalled: Bool
    let aes256GCM: OpaquePointer?
    let aes128ECB: OpaquePointer?
    let hkdf: OpaquePointer?
    let sha256: OpaquePointer?
    let sha384: OpaquePointer?
    let sha512: OpaquePointer?
    let sha3_256: OpaquePointer?
    let sha3_384: OpaquePointer?
    let sha3_512: OpaquePointer?

    private init() {
        arenaInstalled = gatehouse_arena_install() == 1
        // A configuration file could load foreign providers or weaken defaults: it has no say here.
        _ = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_LOAD_CONFIG), nil)
        aes256GCM = EVP_CIPHER_fetch(nil, "AES-256-GCM", nil)
        aes128ECB = EVP_CIPHER_fetch(nil, "AES-128-ECB", nil)
        hkdf = EVP_KDF_fetch(nil, "HKDF", nil)
        sha256 = EVP_MD_fetch(nil, "SHA2-256", nil)
        sha384 = EVP_MD_fetch(nil, "SHA2-384", nil)
        sha512 = EVP_MD_fetch(nil, "SHA2-512", nil)
        sha3_256 = EVP_MD_fetch(nil, "SHA3-256", nil)
        sha3_384 = EVP_MD_fetch(nil, "SHA3-384", nil)
        sha3_512 = EVP_MD_fetch(nil, "SHA3-512", nil)
        // The error queue of a thread and the random generators allocate on first use: let that be now.
        var byte: UInt8 = 0
        _ = RAND_bytes(&byte, 1)
        _ = RAND_priv_bytes(&byte, 1)
        ERR_clear_error()
    }

    /// The error for a failed libcrypto call. Its queue is emptied, because stale entries would outlive the visit.
    static func failure(_ error: CryptographyError) -> CryptographyError {
        ERR_clear_error()
        return error
    }
}
