#include "curves.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/objects.h>
#include <openssl/params.h>

EVP_PKEY *gatehouse_new_ec_key(const char *group) { return EVP_PKEY_Q_keygen(NULL, NULL, "EC", group); }

/// The point of `scalar` uncompressed, into `point`; its length, or 0 for a scalar that is none.
static size_t multiply(const char *group, BIGNUM *scalar, unsigned char *point, size_t capacity) {
    size_t length = 0;
    EC_GROUP *curve = EC_GROUP_new_by_curve_name(OBJ_txt2nid(group));
    EC_POINT *product = curve == NULL ? NULL : EC_POINT_new(curve);
    if (product != NULL && !BN_is_zero(scalar) && BN_cmp(scalar, EC_GROUP_get0_order(curve)) < 0 &&
        EC_POINT_mul(curve, product, scalar, NULL, NULL, NULL) == 1) {
        length = EC_POINT_point2oct(curve, product, POINT_CONVERSION_UNCOMPRESSED, point, capacity, NULL);
    }
    EC_POINT_free(product);
    EC_GROUP_free(curve);
    return length;
}

EVP_PKEY *gatehouse_ec_private_key(const char *group, const unsigned char *scalar, size_t length) {
    unsigned char point[1 + 2 * GATEHOUSE_LONGEST_COORDINATE];
    unsigned char number[GATEHOUSE_LONGEST_COORDINATE];
    if (length == 0 || length > sizeof number) {
        return NULL;
    }
    BIGNUM *secret = BN_bin2bn(scalar, (int)length, NULL);
    if (secret == NULL) {
        return NULL;
    }
    BN_set_flags(secret, BN_FLG_CONSTTIME);
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
    size_t point_length = multiply(group, secret, point, sizeof point);
    if (context != NULL && point_length > 0 && BN_bn2nativepad(secret, number, (int)length) == (int)length) {
        // The casts drop const for members libcrypto only reads here.
        OSSL_PARAM list[] = {
            OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, (char *)group, 0),
            OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, point, point_length),
            OSSL_PARAM_construct_BN(OSSL_PKEY_PARAM_PRIV_KEY, number, length),
            OSSL_PARAM_construct_end(),
        };
        if (EVP_PKEY_fromdata_init(context) != 1 || EVP_PKEY_fromdata(context, &key, EVP_PKEY_KEYPAIR, list) != 1) {
            EVP_PKEY_free(key);
            key = NULL;
        }
    }
    EVP_PKEY_CTX_free(context);
    BN_clear_free(secret);
    OPENSSL_cleanse(number, sizeof number);
    return key;
}

int gatehouse_ecdsa_raw(const unsigned char *der, size_t length, unsigned char *raw, size_t width) {
    const unsigned char *cursor = der;
    if (width == 0 || width > GATEHOUSE_LONGEST_COORDINATE) {
        return 0;
    }
    ECDSA_SIG *signature = d2i_ECDSA_SIG(NULL, &cursor, (long)length);
    if (signature == NULL) {
        return 0;
    }
    int written = BN_bn2binpad(ECDSA_SIG_get0_r(signature), raw, (int)width) == (int)width &&
                  BN_bn2binpad(ECDSA_SIG_get0_s(signature), raw + width, (int)width) == (int)width;
    ECDSA_SIG_free(signature);
    return written;
}
