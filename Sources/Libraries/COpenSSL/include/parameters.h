// libcrypto's parameter lists keep pointers to names and data until they are used. C string literals live long enough;
// a Swift string passed to C does not. So the lists are built here.
#pragma once

#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <stddef.h>

/// HKDF-SHA-256 in `context`, which the caller resets before and after. An empty salt or info is left out, which
/// RFC 5869 defines to be the same. Returns 1 on success.
int gatehouse_hkdf_sha256(EVP_KDF_CTX *context, unsigned char *output, size_t output_length,
                          const unsigned char *key, size_t key_length,
                          const unsigned char *salt, size_t salt_length,
                          const unsigned char *info, size_t info_length);

/// A public key from a SEC 1 point on a named group, or NULL. The caller frees it.
EVP_PKEY *gatehouse_ec_public_key(const char *group, const unsigned char *point, size_t point_length);

/// An RSA public key from big-endian numbers, or NULL. The caller frees it.
EVP_PKEY *gatehouse_rsa_public_key(const unsigned char *modulus, size_t modulus_length,
                                   const unsigned char *exponent, size_t exponent_length);

/// An X25519 public key from its 32 bytes, or NULL. The name of the algorithm is a literal here because Swift allocates
/// to pass one, and a visit must not.
static inline EVP_PKEY *gatehouse_x25519_public_key(const unsigned char *bytes) {
    return EVP_PKEY_new_raw_public_key_ex(NULL, "X25519", NULL, bytes, 32);
}

/// New key pairs, or NULL. The caller frees them. libcrypto's one call for it takes a list of arguments that Swift cannot pass.
static inline EVP_PKEY *gatehouse_new_ed25519_key(void) { return EVP_PKEY_Q_keygen(NULL, NULL, "ED25519"); }
static inline EVP_PKEY *gatehouse_new_p256_key(void) { return EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256"); }
