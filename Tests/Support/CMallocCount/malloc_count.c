#define _GNU_SOURCE
#include "malloc_count.h"
#include <errno.h>
#include <execinfo.h>
#include <stdatomic.h>
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

void *malloc(size_t size) { note(size); return __libc_malloc(size); }
void *calloc(size_t n, size_t size) { note(n * size); return __libc_calloc(n, size); }
void *realloc(void *p, size_t size) { note(size); return __libc_realloc(p, size); }
void *memalign(size_t alignment, size_t size) { note(size); return __libc_memalign(alignment, size); }
void *aligned_alloc(size_t alignment, size_t size) { note(size); return __libc_memalign(alignment, size); }
int posix_memalign(void **out, size_t alignment, size_t size) {
    note(size);
    void *p = __libc_memalign(alignment, size);
    if (!p) return ENOMEM;
    *out = p;
    return 0;
}
void free(void *p) { __libc_free(p); }

void malloc_count_begin(void) {
    atomic_store(&count, 0);
    atomic_store(&first_size, 0);
    atomic_store(&counting, 1);
}

uint64_t malloc_count_end(void) {
    atomic_store(&counting, 0);
    return atomic_load(&count);
}

uint64_t malloc_count_first_size(void) { return atomic_load(&first_size); }
void malloc_count_trace_next(void) { atomic_store(&tracing, 1); }
