#include "requests.h"

#include <limits.h>
#include <openssl/crypto.h>
#include <openssl/objects.h>
#include <openssl/x509v3.h>

/// Adds what `value` says of the extension to a stack. Returns 1 on success.
static int add_extension(STACK_OF(X509_EXTENSION) *stack, int nid, const char *value) {
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, NULL, NULL, NULL, NULL, 0);
    X509_EXTENSION *extension = X509V3_EXT_nconf_nid(NULL, &context, nid, value);
    if (extension == NULL) {
        return 0;
    }
    if (sk_X509_EXTENSION_push(stack, extension) <= 0) {
        X509_EXTENSION_free(extension);
        return 0;
    }
    return 1;
}

static int add_extensions(X509_REQ *request, const char *usage) {
    STACK_OF(X509_EXTENSION) *stack = sk_X509_EXTENSION_new_null();
    int done = stack != NULL && add_extension(stack, NID_key_usage, "critical,digitalSignature") &&
               add_extension(stack, NID_ext_key_usage, usage) && X509_REQ_add_extensions(request, stack) == 1;
    sk_X509_EXTENSION_pop_free(stack, X509_EXTENSION_free);
    return done;
}

static int add_name(X509_REQ *request, const gatehouse_name_part *parts, size_t count) {
    X509_NAME *name = X509_REQ_get_subject_name(request);
    for (size_t index = 0; index < count; index++) {
        if (parts[index].length > INT_MAX ||
            X509_NAME_add_entry_by_NID(name, parts[index].nid, MBSTRING_UTF8, parts[index].text, (int)parts[index].length, -1, 0) != 1) {
            return 0;
        }
    }
    return 1;
}

unsigned char *gatehouse_certificate_request(EVP_PKEY *key, const char *digest, const gatehouse_name_part *parts, size_t count,
                                             const char *usage, size_t *length) {
    unsigned char *der = NULL;
    X509_REQ *request = X509_REQ_new();
    EVP_MD *made = EVP_MD_fetch(NULL, digest, NULL);
    if (request != NULL && made != NULL && X509_REQ_set_version(request, 0) == 1 && add_name(request, parts, count) &&
        X509_REQ_set_pubkey(request, key) == 1 && add_extensions(request, usage) && X509_REQ_sign(request, key, made) > 0) {
        int written = i2d_X509_REQ(request, &der);
        *length = written > 0 ? (size_t)written : 0;
    }
    EVP_MD_free(made);
    X509_REQ_free(request);
    return der;
}
