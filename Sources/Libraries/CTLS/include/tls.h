// One TLS connection of a client, over libssl: TLS 1.2 or later, the other side's certificate and name always checked. Descriptors do not
// wait; nothing of libssl's own types is seen outside, so that a program may have another view of libcrypto beside it.
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct gatehouse_tls_context gatehouse_tls_context;
typedef struct gatehouse_tls gatehouse_tls;

enum gatehouse_tls_fault {
    TLS_FAULT_NONE = 0,
    TLS_FAULT_MEMORY,      ///< libssl has no memory, or does not start.
    TLS_FAULT_AUTHORITIES, ///< The file of authorities cannot be read, or has none.
    TLS_FAULT_CERTIFICATE, ///< Our own certificate, or its key, cannot be read.
    TLS_FAULT_KEY,         ///< The key is another one's.
    TLS_FAULT_NAME,        ///< No name that a certificate can have.
};

enum gatehouse_tls_result {
    TLS_DONE = 0,      ///< It is done, or so many octets were taken.
    TLS_WANTS_READ,    ///< Again, when the descriptor can be read.
    TLS_WANTS_WRITE,   ///< Again, when it can be written.
    TLS_ENDED,         ///< The other side said that it ends (close_notify).
    TLS_LEFT,          ///< It ended its TCP without a word of TLS's, or somebody on the way says so.
    TLS_CUT_OFF,       ///< The connection was reset, or broke off otherwise.
    TLS_NOT_BELIEVED,  ///< Its certificate is signed by nobody who is believed, of another name, or expired.
    TLS_NOT_TAKEN,     ///< It does not take our certificate, or that there is none.
    TLS_BROKEN,        ///< Anything else that TLS does not allow.
};

/// Settings for connections: whom to believe, and who we are.
///
/// @param authorities a PEM file; NULL for the system's.
/// @param certificate a PEM file with the chain; NULL for none, then `key` is not looked at.
/// @param fault an enum gatehouse_tls_fault.
/// @return NULL where there is a fault. The caller frees it with gatehouse_tls_context_free.
gatehouse_tls_context *gatehouse_tls_context_new(const char *authorities, const char *certificate, const char *key, int *fault);
void gatehouse_tls_context_free(gatehouse_tls_context *context);

/// A connection over a descriptor that is connected and does not wait. The descriptor stays the caller's.
///
/// @param name a DNS name, or an address, that the certificate has to be of.
gatehouse_tls *gatehouse_tls_new(const gatehouse_tls_context *context, int descriptor, const char *name, int *fault);
/// Frees it without a word to the other side.
void gatehouse_tls_free(gatehouse_tls *tls);

/// An enum gatehouse_tls_result each. `count` is how many octets were taken or have come.
int gatehouse_tls_handshake(gatehouse_tls *tls);
int gatehouse_tls_write(gatehouse_tls *tls, const void *octets, size_t length, size_t *count);
int gatehouse_tls_read(gatehouse_tls *tls, void *octets, size_t capacity, size_t *count);
/// Says that nothing more comes (close_notify). What the other side has still to say is read on.
int gatehouse_tls_end(gatehouse_tls *tls);

/// Why the last call failed, in libssl's words, without a file or a line: at most `capacity` octets with the zero.
void gatehouse_tls_reason(const gatehouse_tls *tls, char *text, size_t capacity);
