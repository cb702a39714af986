// A certificate request (RFC 2986). libcrypto's stacks of extensions are macros, and its names are made from parts.
#pragma once

#include <openssl/evp.h>
#include <openssl/x509.h>
#include <stddef.h>

/// One part of a name: its NID and UTF-8 text.
typedef struct {
    int nid;
    const unsigned char *text;
    size_t length;
} gatehouse_name_part;

/// A request for a certificate of `key`, signed with it, in DER; NULL where libcrypto refuses a part or has no memory. It asks for the key
/// usage digitalSignature and for the extended key usage of a dotted identifier. The caller frees it with OPENSSL_free.
unsigned char *gatehouse_certificate_request(EVP_PKEY *key, const char *digest, const gatehouse_name_part *parts, size_t count,
                                             const char *usage, size_t *length);
