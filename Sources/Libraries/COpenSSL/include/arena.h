// A fixed arena for libcrypto, so that a visit never reaches the system's allocator.
//
// Size classes with free lists over one mapped region. A block is wiped when it is freed. A request the arena cannot
// serve goes to the system's malloc and is counted: the counter is the alarm, the visit goes on.
#pragma once

#include <stddef.h>
#include <stdint.h>

/// What the arena has done since it was installed. Sizes are in bytes and include the 16-byte block header.
typedef struct {
    uint64_t capacity;     ///< Size of the region.
    uint64_t reserved;     ///< Part of the region that was ever handed out; it never shrinks.
    uint64_t in_use;       ///< Bytes in live blocks.
    uint64_t peak;         ///< The highest value of in_use.
    uint64_t allocations;  ///< Requests served, fallbacks included; a resize that moves counts as one.
    uint64_t frees;        ///< Blocks given back, fallbacks included.
    uint64_t fallbacks;    ///< Requests that went to the system's malloc.
} gatehouse_arena_statistics;

/// Maps the region and makes libcrypto allocate from it. Call it before anything else in libcrypto.
/// Returns 1 if libcrypto now uses the arena (also when called again), 0 if the region could not be mapped
/// or libcrypto had already allocated memory elsewhere.
int gatehouse_arena_install(void);

/// A consistent copy of the counters. All zero before installation.
gatehouse_arena_statistics gatehouse_arena_read(void);

/// The allocator itself, as libcrypto calls it (and as the tests do). `file` and `line` are ignored.
void *gatehouse_arena_allocate(size_t size, const char *file, int line);
void *gatehouse_arena_resize(void *block, size_t size, const char *file, int line);
void gatehouse_arena_free(void *block, const char *file, int line);
