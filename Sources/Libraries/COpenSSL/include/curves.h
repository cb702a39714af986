// Private keys on the curves of NIST, which libcrypto makes from parameter lists and numbers of its own.
#pragma once

#include <openssl/ec.h>
#include <openssl/evp.h>
#include <stddef.h>

/// Octets of the longest scalar or coordinate: P-521.
#define GATEHOUSE_LONGEST_COORDINATE 66

/// A new key pair on a named group, or NULL. The caller frees it.
EVP_PKEY *gatehouse_new_ec_key(const char *group);

/// The key pair of a big-endian scalar, with its point; NULL for one that is not in 1 ..< n or too long. The caller frees it.
EVP_PKEY *gatehouse_ec_private_key(const char *group, const unsigned char *scalar, size_t length);

/// r and s of an ECDSA signature in DER, `width` octets each, into `raw`. Returns 1 on success.
int gatehouse_ecdsa_raw(const unsigned char *der, size_t length, unsigned char *raw, size_t width);
