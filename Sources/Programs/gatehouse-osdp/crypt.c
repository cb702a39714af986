#define _GNU_SOURCE
// What libosdp wants of its surroundings, in place of its own parts: AES and random numbers of libcrypto (its own random numbers are rand()
// without a seed, the same at each start), a clock that nobody sets, and no log, which would be written by a loop that may not wait.

#include <openssl/evp.h>
#include <openssl/rand.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#include "peripheral.h"

static EVP_CIPHER_CTX *context;
static EVP_CIPHER *chained, *single;

int crypt_begin(void) {
    context = EVP_CIPHER_CTX_new();
    chained = EVP_CIPHER_fetch(NULL, "AES-128-CBC", NULL);
    single = EVP_CIPHER_fetch(NULL, "AES-128-ECB", NULL);
    // Seeded before files are given up.
    uint8_t octet;
    return context && chained && single && RAND_bytes(&octet, 1) == 1 ? 0 : -1;
}

void osdp_crypt_setup(void) {}
void osdp_crypt_teardown(void) {}

// A length that is no whole number of blocks, or a library that fails: nothing may be said after that.
static void run(uint8_t *key, uint8_t *iv, uint8_t *data, int length, int encrypts) {
    int count = 0;
    if (length < 0 || length % 16 != 0 || (!iv && length > 16)) _exit(EXIT_CIPHER);
    if (length == 0) return;
    if (EVP_CipherInit_ex2(context, iv ? chained : single, key, iv, encrypts, NULL) != 1 || EVP_CIPHER_CTX_set_padding(context, 0) != 1
        || EVP_CipherUpdate(context, data, &count, data, length) != 1 || count != length)
        _exit(EXIT_CIPHER);
}

void osdp_encrypt(uint8_t *key, uint8_t *iv, uint8_t *data, int length) { run(key, iv, data, length, 1); }
void osdp_decrypt(uint8_t *key, uint8_t *iv, uint8_t *data, int length) { run(key, iv, data, length, 0); }

void osdp_fill_random(uint8_t *octets, int length) {
    if (length < 0 || RAND_bytes(octets, length) != 1) _exit(EXIT_CIPHER);
}

__attribute__((weak)) int64_t clock_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000) + now.tv_nsec / 1000000;
}

__attribute__((weak)) int64_t osdp_millis_now(void) { return clock_now(); }

static uint32_t complaints;

uint32_t crypt_complaints(void) { return complaints; }

// libosdp's own is weak. Levels up to 3 are errors.
struct logger;
int __logger_log(struct logger *logger, int level, const char *file, unsigned long line, const char *format, ...);
int __logger_log(struct logger *logger, int level, const char *file, unsigned long line, const char *format, ...) {
    (void)logger, (void)file, (void)line, (void)format;
    if (level <= 3 && complaints < UINT32_MAX) complaints++;
    return 0;
}
