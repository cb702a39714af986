#include "tls.h"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct gatehouse_tls_context {
    SSL_CTX *settings;
};

struct gatehouse_tls {
    SSL *connection;
    unsigned long error;
};

static int load(SSL_CTX *settings, const char *authorities, const char *certificate, const char *key) {
    int trusts = authorities != NULL ? SSL_CTX_load_verify_file(settings, authorities) : SSL_CTX_set_default_verify_paths(settings);
    if (trusts != 1) return TLS_FAULT_AUTHORITIES;
    if (certificate == NULL) return TLS_FAULT_NONE;
    if (SSL_CTX_use_certificate_chain_file(settings, certificate) != 1) return TLS_FAULT_CERTIFICATE;
    if (key == NULL || SSL_CTX_use_PrivateKey_file(settings, key, SSL_FILETYPE_PEM) != 1) {
        // libssl compares the key with the certificate while it loads it.
        unsigned long error = ERR_peek_last_error();
        return ERR_GET_LIB(error) == ERR_LIB_X509 ? TLS_FAULT_KEY : TLS_FAULT_CERTIFICATE;
    }
    return SSL_CTX_check_private_key(settings) == 1 ? TLS_FAULT_NONE : TLS_FAULT_KEY;
}

gatehouse_tls_context *gatehouse_tls_context_new(const char *authorities, const char *certificate, const char *key, int *fault) {
    *fault = TLS_FAULT_MEMORY;
    gatehouse_tls_context *context = calloc(1, sizeof *context);
    SSL_CTX *settings = context != NULL ? SSL_CTX_new(TLS_client_method()) : NULL;
    if (settings == NULL) {
        free(context);
        return NULL;
    }
    context->settings = settings;
    SSL_CTX_set_verify(settings, SSL_VERIFY_PEER, NULL);
    SSL_CTX_set_options(settings, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    // What could not be written at once may lie elsewhere when it is tried again.
    SSL_CTX_set_mode(settings, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
    // A call ends with each record, though none of them says anything: session tickets without end would keep it for ever.
    SSL_CTX_clear_mode(settings, SSL_MODE_AUTO_RETRY);
    *fault = SSL_CTX_set_min_proto_version(settings, TLS1_2_VERSION) == 1 ? load(settings, authorities, certificate, key) : TLS_FAULT_MEMORY;
    if (*fault != TLS_FAULT_NONE) {
        gatehouse_tls_context_free(context);
        ERR_clear_error();
        return NULL;
    }
    return context;
}

void gatehouse_tls_context_free(gatehouse_tls_context *context) {
    if (context == NULL) return;
    SSL_CTX_free(context->settings);
    free(context);
}

static int set_name(SSL *connection, const char *name) {
    unsigned char address[16];
    if (inet_pton(AF_INET, name, address) == 1 || inet_pton(AF_INET6, name, address) == 1) {
        return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(connection), name) == 1;
    }
    SSL_set_hostflags(connection, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    return SSL_set1_host(connection, name) == 1 && SSL_set_tlsext_host_name(connection, name) == 1;
}

gatehouse_tls *gatehouse_tls_new(const gatehouse_tls_context *context, int descriptor, const char *name, int *fault) {
    *fault = TLS_FAULT_MEMORY;
    gatehouse_tls *tls = calloc(1, sizeof *tls);
    if (tls == NULL) return NULL;
    tls->connection = SSL_new(context->settings);
    if (tls->connection == NULL || SSL_set_fd(tls->connection, descriptor) != 1) {
        gatehouse_tls_free(tls);
        return NULL;
    }
    if (name[0] == 0 || !set_name(tls->connection, name)) {
        *fault = TLS_FAULT_NAME;
        gatehouse_tls_free(tls);
        return NULL;
    }
    SSL_set_connect_state(tls->connection);
    *fault = TLS_FAULT_NONE;
    return tls;
}

void gatehouse_tls_free(gatehouse_tls *tls) {
    if (tls == NULL) return;
    if (tls->connection != NULL) {
        // No session of a connection that was given up is used again.
        SSL_set_quiet_shutdown(tls->connection, 1);
        SSL_free(tls->connection);
    }
    free(tls);
}

static int refused_us(unsigned long error) {
    if (ERR_GET_LIB(error) != ERR_LIB_SSL) return 0;
    switch (ERR_GET_REASON(error)) {
    case SSL_R_SSLV3_ALERT_BAD_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_REVOKED:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN:
    case SSL_R_TLSV1_ALERT_UNKNOWN_CA:
    case SSL_R_TLSV1_ALERT_ACCESS_DENIED:
    case SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED: return 1;
    default: return 0;
    }
}

static int result(gatehouse_tls *tls, int returned) {
    int kind = SSL_get_error(tls->connection, returned);
    tls->error = ERR_peek_last_error();
    ERR_clear_error();
    switch (kind) {
    case SSL_ERROR_NONE: return TLS_DONE;
    case SSL_ERROR_WANT_READ: return TLS_WANTS_READ;
    case SSL_ERROR_WANT_WRITE: return TLS_WANTS_WRITE;
    case SSL_ERROR_ZERO_RETURN: return TLS_ENDED;
    case SSL_ERROR_SYSCALL: return TLS_CUT_OFF;
    default: break;
    }
    if (ERR_GET_LIB(tls->error) == ERR_LIB_SSL && ERR_GET_REASON(tls->error) == SSL_R_CERTIFICATE_VERIFY_FAILED) return TLS_NOT_BELIEVED;
    if (ERR_GET_LIB(tls->error) == ERR_LIB_SSL && ERR_GET_REASON(tls->error) == SSL_R_UNEXPECTED_EOF_WHILE_READING) return TLS_LEFT;
    return refused_us(tls->error) ? TLS_NOT_TAKEN : TLS_BROKEN;
}

int gatehouse_tls_handshake(gatehouse_tls *tls) {
    ERR_clear_error();
    return result(tls, SSL_do_handshake(tls->connection));
}

int gatehouse_tls_write(gatehouse_tls *tls, const void *octets, size_t length, size_t *count) {
    *count = 0;
    ERR_clear_error();
    return result(tls, SSL_write_ex(tls->connection, octets, length, count));
}

int gatehouse_tls_read(gatehouse_tls *tls, void *octets, size_t capacity, size_t *count) {
    *count = 0;
    ERR_clear_error();
    return result(tls, SSL_read_ex(tls->connection, octets, capacity, count));
}

int gatehouse_tls_end(gatehouse_tls *tls) {
    ERR_clear_error();
    int returned = SSL_shutdown(tls->connection);
    // 0: ours is sent, theirs has not come.
    return returned >= 0 ? TLS_DONE : result(tls, returned);
}

void gatehouse_tls_reason(const gatehouse_tls *tls, char *text, size_t capacity) {
    long verdict = SSL_get_verify_result(tls->connection);
    const char *words = verdict != X509_V_OK ? X509_verify_cert_error_string(verdict) : ERR_reason_error_string(tls->error);
    snprintf(text, capacity, "%s", words != NULL ? words : "");
}
