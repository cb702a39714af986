#include "parameters.h"

#include <limits.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/param_build.h>
#include <openssl/params.h>

int gatehouse_hkdf_sha256(EVP_KDF_CTX *context, unsigned char *output, size_t output_length,
                          const unsigned char *key, size_t key_length,
                          const unsigned char *salt, size_t salt_length,
                          const unsigned char *info, size_t info_length) {
    OSSL_PARAM list[5];
    OSSL_PARAM *next = list;
    // The casts drop const for members libcrypto only reads here.
    *next++ = OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, (char *)"SHA2-256", 0);
    *next++ = OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, (void *)key, key_length);
    if (salt_length > 0) {
        *next++ = OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT, (void *)salt, salt_length);
    }
    if (info_length > 0) {
        *next++ = OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, (void *)info, info_length);
    }
    *next = OSSL_PARAM_construct_end();
    return EVP_KDF_derive(context, output, output_length, list) == 1;
}

static EVP_PKEY *build(const char *type, OSSL_PARAM *list) {
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, type, NULL);
    if (context == NULL || EVP_PKEY_fromdata_init(context) != 1 ||
        EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, list) != 1) {
        EVP_PKEY_free(key);
        key = NULL;
    }
    EVP_PKEY_CTX_free(context);
    return key;
}

EVP_PKEY *gatehouse_ec_public_key(const char *group, const unsigned char *point, size_t point_length) {
    OSSL_PARAM list[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, (char *)group, 0),
        OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, (void *)point, point_length),
        OSSL_PARAM_construct_end(),
    };
    return build("EC", list);
}

EVP_PKEY *gatehouse_rsa_public_key(const unsigned char *modulus, size_t modulus_length,
                                   const unsigned char *exponent, size_t exponent_length) {
    if (modulus_length > INT_MAX || exponent_length > INT_MAX) {
        return NULL;
    }
    EVP_PKEY *key = NULL;
    OSSL_PARAM *list = NULL;
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    BIGNUM *n = BN_bin2bn(modulus, (int)modulus_length, NULL);
    BIGNUM *e = BN_bin2bn(exponent, (int)exponent_length, NULL);
    if (builder != NULL && n != NULL && e != NULL &&
        OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, n) == 1 &&
        OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, e) == 1) {
        list = OSSL_PARAM_BLD_to_param(builder);
    }
    if (list != NULL) {
        key = build("RSA", list);
    }
    OSSL_PARAM_free(list);
    BN_free(n);
    BN_free(e);
    OSSL_PARAM_BLD_free(builder);
    return key;
}
