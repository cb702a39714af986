// One request at a time by HTTPS, over libcurl: nothing but https, no redirect, no proxy of the environment, no cookies, and what comes is
// bounded. It never waits but in gatehouse_fetch_wait.
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct gatehouse_fetch gatehouse_fetch;

struct gatehouse_fetch_order {
    const char *url;
    const char *authorities;   ///< A PEM file; NULL for the system's.
    const char *certificate;   ///< Our own, a PEM file, or NULL; then `key` is its key.
    const char *key;
    const char *const *headers; ///< Lines without their ends, `count` of them.
    size_t header_count;
    const void *body;          ///< What is posted; NULL to get something. It has to stay until the request has ended.
    size_t body_length;
    size_t most;               ///< Octets of the longest answer that is taken.
    int is_cut;                ///< Of a longer one the status is enough: it is an answer, and the rest of its body is not waited for.
    long connect_milliseconds;
    long milliseconds;         ///< For all of it.
};

enum gatehouse_fetch_state {
    FETCH_RUNNING = 0,
    FETCH_ANSWERED,     ///< `status` says how.
    FETCH_NO_NAME,      ///< The server's name is not known.
    FETCH_NOT_REACHED,  ///< Nobody answers there.
    FETCH_TOO_SLOW,
    FETCH_TOO_LONG,     ///< More than `most`, where it is not to be cut.
    FETCH_NOT_BELIEVED, ///< The server's certificate is signed by nobody who is believed, of another name, or expired.
    FETCH_NOT_TAKEN,    ///< Our own certificate cannot be used.
    FETCH_TLS,          ///< TLS failed otherwise.
    FETCH_CUT_OFF,      ///< It ended before its end, or with nothing.
    FETCH_MALFORMED,    ///< What it says is no HTTP.
    FETCH_OTHER,        ///< `code` is libcurl's.
};

struct gatehouse_fetch_answer {
    int state;              ///< An enum gatehouse_fetch_state.
    int code;
    long status;
    const uint8_t *octets;  ///< Of an answer, valid until the next one begins.
    size_t length;
    long long retry_after;  ///< Seconds from now, of the header Retry-After in either of its forms; 0 where there is none.
    char tag[257];          ///< The header ETag, as it was sent; empty where there is none, or a longer one.
};

/// NULL where libcurl has no memory, or cannot do TLS. The caller frees it with gatehouse_fetch_free.
gatehouse_fetch *gatehouse_fetch_new(void);
void gatehouse_fetch_free(gatehouse_fetch *fetch);

/// Begins a request; one that runs is given up. 0, or libcurl's code for what it does not take.
int gatehouse_fetch_begin(gatehouse_fetch *fetch, const struct gatehouse_fetch_order *order);
/// Waits until something happens, at most so long.
void gatehouse_fetch_wait(gatehouse_fetch *fetch, int milliseconds);
/// Goes on, without waiting, and says how it is.
struct gatehouse_fetch_answer gatehouse_fetch_go_on(gatehouse_fetch *fetch);
/// Frees what an answer's `octets` lie in; the next one begins with nothing.
void gatehouse_fetch_let_go(gatehouse_fetch *fetch);
/// Gives up what runs.
void gatehouse_fetch_end(gatehouse_fetch *fetch);
