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
    long connect_milliseconds;
    long milliseconds;         ///< For all of it.
};

enum gatehouse_fetch_state {
    FETCH_RUNNING = 0,
    FETCH_ANSWERED,     ///< `status` says how.
    FETCH_NO_NAME,      ///< The server's name is not known.
    FETCH_NOT_REACHED,  ///< Nobody answers there.
    FETCH_TOO_SLOW,
    FETCH_TOO_LONG,     ///< More than `most`.
    FETCH_NOT_BELIEVED, ///< The server's certificate is signed by nobody who is believed, of another name, or expired.
    FETCH_NOT_TAKEN,    ///< Our own certificate cannot be used.
    FETCH_TLS,          ///< TLS failed otherwise.
    FETCH_CUT_OFF,      ///< It ended before its end, or with nothing.
    FETCH_NO_HTTP,      ///< What came is no answer of HTTP.
    FETCH_OTHER,        ///< `code` is libcurl's.
};

struct gatehouse_fetch_answer {
    int state;              ///< An enum gatehouse_fetch_state.
    int code;
    long status;
    const uint8_t *octets;  ///< Of an answer, valid until the next one begins.
    size_t length;
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
/// Gives up what runs.
void gatehouse_fetch_end(gatehouse_fetch *fetch);
