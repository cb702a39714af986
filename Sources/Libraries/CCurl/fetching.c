#include "fetching.h"

#include <curl/curl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct gatehouse_fetch {
    CURLM *loop;
    CURL *request;
    struct curl_slist *headers;
    uint8_t *octets;
    size_t length, capacity, most;
    bool runs, is_too_long, is_cut;
    char tag[257];
};

gatehouse_fetch *gatehouse_fetch_new(void) {
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) return NULL;
    gatehouse_fetch *fetch = calloc(1, sizeof *fetch);
    if (fetch == NULL) return NULL;
    fetch->loop = curl_multi_init();
    if (fetch->loop == NULL) {
        free(fetch);
        return NULL;
    }
    return fetch;
}

void gatehouse_fetch_end(gatehouse_fetch *fetch) {
    if (fetch->request != NULL) {
        curl_multi_remove_handle(fetch->loop, fetch->request);
        curl_easy_cleanup(fetch->request);
    }
    curl_slist_free_all(fetch->headers);
    (fetch->request = NULL, fetch->headers = NULL, fetch->runs = false);
}

void gatehouse_fetch_free(gatehouse_fetch *fetch) {
    if (fetch == NULL) return;
    gatehouse_fetch_end(fetch);
    curl_multi_cleanup(fetch->loop);
    free(fetch->octets);
    free(fetch);
}

void gatehouse_fetch_let_go(gatehouse_fetch *fetch) {
    free(fetch->octets);
    (fetch->octets = NULL, fetch->length = 0, fetch->capacity = 0);
}

static size_t take_octets(char *octets, size_t size, size_t count, void *context) {
    gatehouse_fetch *fetch = context;
    size_t length = size * count;
    if (length > fetch->most - fetch->length) {
        fetch->is_too_long = true;
        return 0;
    }
    if (fetch->length + length > fetch->capacity) {
        size_t capacity = 2 * (fetch->length + length);
        if (capacity > fetch->most) capacity = fetch->most;
        uint8_t *larger = realloc(fetch->octets, capacity);
        if (larger == NULL) return 0;
        (fetch->octets = larger, fetch->capacity = capacity);
    }
    memcpy(fetch->octets + fetch->length, octets, length);
    fetch->length += length;
    return length;
}

// A header is a line, and libcurl bounds it and all of them together.
static size_t take_header(char *line, size_t size, size_t count, void *context) {
    gatehouse_fetch *fetch = context;
    size_t length = size * count;
    static const char name[] = "etag:";
    if (length > sizeof name && strncasecmp(line, name, sizeof name - 1) == 0) {
        size_t start = sizeof name - 1, end = length;
        while (start < end && line[start] == ' ') start++;
        while (end > start && (line[end - 1] == '\r' || line[end - 1] == '\n' || line[end - 1] == ' ')) end--;
        size_t kept = end - start < sizeof fetch->tag ? end - start : 0;
        memcpy(fetch->tag, line + start, kept);
        fetch->tag[kept] = 0;
    }
    return length;
}

#define SET(option, value)                                                        \
    do {                                                                          \
        CURLcode code = curl_easy_setopt(request, CURLOPT_##option, value);       \
        if (code != CURLE_OK) return code;                                        \
    } while (0)

static CURLcode set(gatehouse_fetch *fetch, CURL *request, const struct gatehouse_fetch_order *order) {
    SET(URL, order->url);
    SET(PROTOCOLS_STR, "https");
    SET(FOLLOWLOCATION, 0L);
    SET(PROXY, "");
    SET(SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    SET(SSL_VERIFYPEER, 1L);
    SET(SSL_VERIFYHOST, 2L);
    SET(NOSIGNAL, 1L);
    SET(FRESH_CONNECT, 0L);
    SET(CONNECTTIMEOUT_MS, order->connect_milliseconds);
    SET(TIMEOUT_MS, order->milliseconds);
    if (!order->is_cut) SET(MAXFILESIZE_LARGE, (curl_off_t)order->most);
    SET(DISALLOW_USERNAME_IN_URL, 1L);
    if (order->authorities != NULL) {
        SET(CAINFO, order->authorities);
        // The system's folder would be asked beside the file.
        SET(CAPATH, NULL);
    }
    if (order->certificate != NULL) {
        SET(SSLCERT, order->certificate);
        SET(SSLKEY, order->key);
    }
    if (order->body != NULL) {
        SET(POSTFIELDSIZE_LARGE, (curl_off_t)order->body_length);
        SET(POSTFIELDS, order->body);
    }
    SET(HTTPHEADER, fetch->headers);
    SET(WRITEFUNCTION, take_octets);
    SET(WRITEDATA, fetch);
    SET(HEADERFUNCTION, take_header);
    SET(HEADERDATA, fetch);
    return CURLE_OK;
}

int gatehouse_fetch_begin(gatehouse_fetch *fetch, const struct gatehouse_fetch_order *order) {
    gatehouse_fetch_end(fetch);
    (fetch->length = 0, fetch->most = order->most, fetch->is_cut = order->is_cut != 0, fetch->is_too_long = false, fetch->tag[0] = 0);
    for (size_t index = 0; index < order->header_count; index++) {
        struct curl_slist *longer = curl_slist_append(fetch->headers, order->headers[index]);
        if (longer == NULL) return CURLE_OUT_OF_MEMORY;
        fetch->headers = longer;
    }
    fetch->request = curl_easy_init();
    if (fetch->request == NULL) return CURLE_OUT_OF_MEMORY;
    CURLcode code = set(fetch, fetch->request, order);
    if (code == CURLE_OK && curl_multi_add_handle(fetch->loop, fetch->request) != CURLM_OK) code = CURLE_FAILED_INIT;
    if (code != CURLE_OK) gatehouse_fetch_end(fetch);
    fetch->runs = code == CURLE_OK;
    return code;
}

void gatehouse_fetch_wait(gatehouse_fetch *fetch, int milliseconds) {
    curl_multi_poll(fetch->loop, NULL, 0, milliseconds, NULL);
}

static int state_of(const gatehouse_fetch *fetch, CURLcode code) {
    switch (code) {
    case CURLE_OK: return FETCH_ANSWERED;
    case CURLE_COULDNT_RESOLVE_HOST: return FETCH_NO_NAME;
    case CURLE_COULDNT_CONNECT: return FETCH_NOT_REACHED;
    case CURLE_OPERATION_TIMEDOUT: return FETCH_TOO_SLOW;
    case CURLE_FILESIZE_EXCEEDED: return FETCH_TOO_LONG;
    case CURLE_WRITE_ERROR:
        if (!fetch->is_too_long) return FETCH_OTHER;
        return fetch->is_cut ? FETCH_ANSWERED : FETCH_TOO_LONG;
    case CURLE_PEER_FAILED_VERIFICATION: return FETCH_NOT_BELIEVED;
    case CURLE_SSL_CERTPROBLEM: return FETCH_NOT_TAKEN;
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_SSL_CACERT_BADFILE: return FETCH_TLS;
    case CURLE_PARTIAL_FILE:
    case CURLE_GOT_NOTHING:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR: return FETCH_CUT_OFF;
    // HTTP/0.9, which is every answer that begins with something else, and what no HTTP says.
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_BAD_CONTENT_ENCODING:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM: return FETCH_MALFORMED;
    default: return FETCH_OTHER;
    }
}

struct gatehouse_fetch_answer gatehouse_fetch_go_on(gatehouse_fetch *fetch) {
    struct gatehouse_fetch_answer answer = {.state = FETCH_RUNNING};
    int running = 0, left = 0;
    if (!fetch->runs || curl_multi_perform(fetch->loop, &running) != CURLM_OK) {
        answer.state = FETCH_OTHER;
        return answer;
    }
    for (CURLMsg *message = curl_multi_info_read(fetch->loop, &left); message != NULL; message = curl_multi_info_read(fetch->loop, &left)) {
        if (message->msg != CURLMSG_DONE || message->easy_handle != fetch->request) continue;
        CURLcode code = message->data.result;
        (answer.code = code, answer.state = state_of(fetch, code));
        curl_easy_getinfo(fetch->request, CURLINFO_RESPONSE_CODE, &answer.status);
        curl_off_t retry_after = 0;
        if (curl_easy_getinfo(fetch->request, CURLINFO_RETRY_AFTER, &retry_after) == CURLE_OK) answer.retry_after = retry_after;
        (answer.octets = fetch->octets, answer.length = fetch->length);
        memcpy(answer.tag, fetch->tag, sizeof answer.tag);
        gatehouse_fetch_end(fetch);
        break;
    }
    return answer;
}
