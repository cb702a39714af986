// What Swift cannot ask of a certificate, because libcrypto answers through structures of its own.
#pragma once

#include <openssl/objects.h>
#include <openssl/x509.h>

/// The number (NID) of the curve that the certificate's key names; NID_undef for a key of another kind, and for a curve that is spelled out
/// in parameters. It does not decode the key's point.
static inline int gatehouse_certificate_curve(const X509 *certificate) {
    ASN1_OBJECT *kind = NULL;
    X509_ALGOR *algorithm = NULL;
    const ASN1_OBJECT *unused = NULL;
    const void *parameter = NULL;
    int type = V_ASN1_UNDEF;
    if (X509_PUBKEY_get0_param(&kind, NULL, NULL, &algorithm, X509_get_X509_PUBKEY(certificate)) != 1 ||
        OBJ_obj2nid(kind) != NID_X9_62_id_ecPublicKey) {
        return NID_undef;
    }
    X509_ALGOR_get0(&unused, &type, &parameter, algorithm);
    return type == V_ASN1_OBJECT ? OBJ_obj2nid((const ASN1_OBJECT *)parameter) : NID_undef;
}
