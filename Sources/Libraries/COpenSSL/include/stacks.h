// libcrypto's typed stacks are macros; these are the few operations on them a chain of certificates needs.
#pragma once

#include <openssl/x509.h>
#include <openssl/x509v3.h>

static inline STACK_OF(X509) *gatehouse_certificates_new(void) { return sk_X509_new_null(); }

/// Takes ownership of `certificate` when it returns 1.
static inline int gatehouse_certificates_push(STACK_OF(X509) *stack, X509 *certificate) {
    return sk_X509_push(stack, certificate) > 0;
}

static inline int gatehouse_certificates_count(const STACK_OF(X509) *stack) {
    return stack == NULL ? 0 : sk_X509_num(stack);
}

/// Borrowed; NULL when `index` is outside the stack.
static inline X509 *gatehouse_certificates_at(const STACK_OF(X509) *stack, int index) {
    return stack == NULL ? NULL : sk_X509_value(stack, index);
}

static inline void gatehouse_certificates_free(STACK_OF(X509) *stack) { sk_X509_pop_free(stack, X509_free); }

static inline int gatehouse_names_count(const GENERAL_NAMES *names) {
    return names == NULL ? 0 : sk_GENERAL_NAME_num(names);
}

/// Borrowed IA5String bytes of a dNSName or URI name, NULL for any other form. `kind` is GEN_DNS or GEN_URI.
static inline const unsigned char *gatehouse_name_text(const GENERAL_NAMES *names, int index, int *kind, int *length) {
    const GENERAL_NAME *name = names == NULL ? NULL : sk_GENERAL_NAME_value(names, index);
    if (name == NULL || (name->type != GEN_DNS && name->type != GEN_URI)) {
        return NULL;
    }
    *kind = name->type;
    *length = ASN1_STRING_length(name->d.ia5);
    return ASN1_STRING_get0_data(name->d.ia5);
}

static inline int gatehouse_usages_count(const EXTENDED_KEY_USAGE *usages) {
    return usages == NULL ? 0 : sk_ASN1_OBJECT_num(usages);
}

static inline const ASN1_OBJECT *gatehouse_usage_at(const EXTENDED_KEY_USAGE *usages, int index) {
    return usages == NULL ? NULL : sk_ASN1_OBJECT_value(usages, index);
}
