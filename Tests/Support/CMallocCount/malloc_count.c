#define _GNU_SOURCE
#include "malloc_count.h"
#include <errno.h>
#include <execinfo.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

// glibc's own allocator under its internal names.
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static atomic_bool counting;
static atomic_bool tracing;
static atomic_uint_fast64_t count;
static atomic_uint_fast64_t first_size;

static void note(size_t size) {
    if (!atomic_load_explicit(&counting, memory_order_relaxed)) return;
    if (atomic_fetch_add(&count, 1) == 0) atomic_store(&first_size, size);
    if (atomic_exchange(&tracing, 0)) {
        atomic_store(&counting, 0);
        void *frames[32];
        backtrace_symbols_fd(frames, backtrace(frames, 32), 2);
        atomic_store(&counting, 1);
    }
}

static atomic_bool weighing;
static atomic_int_fast64_t in_use;
static atomic_int_fast64_t most_in_use;

static void weigh(int64_t octets) {
    int64_t now = atomic_fetch_add_explicit(&in_use, octets, memory_order_relaxed) + octets;
    int64_t most = atomic_load_explicit(&most_in_use, memory_order_relaxed);
    while (now > most && !atomic_compare_exchange_weak(&most_in_use, &most, now)) {}
}

static bool is_weighing(void) { return atomic_load_explicit(&weighing, memory_order_relaxed); }

static void *given(void *p) {
    if (p && is_weighing()) weigh((int64_t)malloc_usable_size(p));
    return p;
}

void *malloc(size_t size) { note(size); return given(__libc_malloc(size)); }
void *calloc(size_t n, size_t size) { note(n * size); return given(__libc_calloc(n, size)); }
void *realloc(void *p, size_t size) {
    note(size);
    if (p && is_weighing()) weigh(-(int64_t)malloc_usable_size(p));
    return given(__libc_realloc(p, size));
}
void *memalign(size_t alignment, size_t size) { note(size); return given(__libc_memalign(alignment, size)); }
void *aligned_alloc(size_t alignment, size_t size) { note(size); return given(__libc_memalign(alignment, size)); }
int posix_memalign(void **out, size_t alignment, size_t size) {
    note(size);
    void *p = given(__libc_memalign(alignment, size));
    if (!p) return ENOMEM;
    *out = p;
    return 0;
}
void free(void *p) {
    if (p && is_weighing()) weigh(-(int64_t)malloc_usable_size(p));
    __libc_free(p);
}

void malloc_count_begin(void) {
    atomic_store(&count, 0);
    atomic_store(&counting, 1);
}

uint64_t malloc_count_end(void) {
    atomic_store(&counting, 0);
    return atomic_load(&count);
}

uint64_t malloc_count_first_size(void) { return atomic_load(&first_size); }
void malloc_count_trace_next(void) { atomic_store(&tracing, 1); }

void malloc_peak_begin(void) {
    atomic_store(&in_use, 0);
    atomic_store(&most_in_use, 0);
    atomic_store(&weighing, 1);
}

uint64_t malloc_peak_end(void) {
    atomic_store(&weighing, 0);
    return (uint64_t)atomic_load(&most_in_use);
}

uint64_t malloc_peak_held(void) {
    int64_t held = atomic_load(&in_use);
    return held > 0 ? (uint64_t)held : 0;
}
