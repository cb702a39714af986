#include "arena.h"

#include <openssl/crypto.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

// libcrypto itself keeps about 300 KiB once its default provider is loaded; keys, chains and a visit are small beside it.
#define ARENA_CAPACITY ((size_t)2 << 20)
#define HEADER_SIZE ((size_t)16)
#define SMALLEST_BLOCK ((size_t)32)
// Blocks of 32, 48, 64, 96, 128, ... 196608 bytes: two classes for each power of two, so at most a third is slack.
#define CLASS_COUNT 26
#define CLASS_SYSTEM 0xFFFFFFFFu
#define CANARY 0x47415445u

typedef struct {
    uint32_t class_index;
    uint32_t canary;
    uint64_t requested;
} block_header;

_Static_assert(sizeof(block_header) == HEADER_SIZE, "a payload must stay aligned to 16 bytes");

typedef struct free_block {
    block_header header;
    struct free_block *next;
} free_block;

static pthread_mutex_t arena_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned char *arena_region;
static int arena_installed;
static free_block *arena_free_lists[CLASS_COUNT];
static gatehouse_arena_statistics arena_statistics;

static size_t class_size(unsigned index) {
    size_t power = SMALLEST_BLOCK << (index / 2);
    return index % 2 == 0 ? power : power + power / 2;
}

/// The smallest class that holds `total` bytes, or CLASS_COUNT if none does.
static unsigned class_of(size_t total) {
    unsigned index = 0;
    while (index < CLASS_COUNT && class_size(index) < total) {
        index += 1;
    }
    return index;
}

static block_header *header_of(void *payload) {
    block_header *header = (block_header *)((unsigned char *)payload - HEADER_SIZE);
    // A wrong canary means memory is already corrupt: nothing decided after this point could be believed.
    if (header->canary != CANARY) {
        abort();
    }
    return header;
}

/// Called with the lock held. NULL when neither a free list nor the untouched rest of the region can serve it.
static block_header *take(unsigned class_index) {
    if (class_index >= CLASS_COUNT || arena_region == NULL) {
        return NULL;
    }
    size_t size = class_size(class_index);
    block_header *header = NULL;
    if (arena_free_lists[class_index] == NULL && arena_statistics.capacity - arena_statistics.reserved >= size) {
        header = (block_header *)(arena_region + arena_statistics.reserved);
        header->class_index = class_index;
        arena_statistics.reserved += size;
    } else {
        // The region is full and this list is empty: a larger free block is better than the system's malloc.
        while (class_index < CLASS_COUNT && arena_free_lists[class_index] == NULL) {
            class_index += 1;
        }
        if (class_index == CLASS_COUNT) {
            return NULL;
        }
        free_block *block = arena_free_lists[class_index];
        arena_free_lists[class_index] = block->next;
        block->next = NULL;
        header = &block->header;
    }
    arena_statistics.in_use += class_size(header->class_index);
    if (arena_statistics.in_use > arena_statistics.peak) {
        arena_statistics.peak = arena_statistics.in_use;
    }
    return header;
}

void *gatehouse_arena_allocate(size_t size, const char *file, int line) {
    (void)file;
    (void)line;
    if (size == 0 || size > SIZE_MAX - HEADER_SIZE) {
        return NULL;
    }
    pthread_mutex_lock(&arena_lock);
    block_header *header = take(class_of(size + HEADER_SIZE));
    arena_statistics.allocations += 1;
    if (header == NULL) {
        arena_statistics.fallbacks += 1;
    }
    pthread_mutex_unlock(&arena_lock);

    if (header == NULL) {
        header = malloc(size + HEADER_SIZE);
        if (header == NULL) {
            return NULL;
        }
        header->class_index = CLASS_SYSTEM;
    }
    header->canary = CANARY;
    header->requested = size;
    return (unsigned char *)header + HEADER_SIZE;
}

void gatehouse_arena_free(void *block, const char *file, int line) {
    (void)file;
    (void)line;
    if (block == NULL) {
        return;
    }
    block_header *header = header_of(block);
    explicit_bzero(block, header->requested);
    header->canary = 0;
    pthread_mutex_lock(&arena_lock);
    arena_statistics.frees += 1;
    if (header->class_index != CLASS_SYSTEM) {
        free_block *freed = (free_block *)header;
        freed->next = arena_free_lists[header->class_index];
        arena_free_lists[header->class_index] = freed;
        arena_statistics.in_use -= class_size(header->class_index);
        header = NULL;
    }
    pthread_mutex_unlock(&arena_lock);
    free(header);
}

void *gatehouse_arena_resize(void *block, size_t size, const char *file, int line) {
    if (block == NULL) {
        return gatehouse_arena_allocate(size, file, line);
    }
    if (size == 0) {
        gatehouse_arena_free(block, file, line);
        return NULL;
    }
    block_header *header = header_of(block);
    size_t room = header->class_index == CLASS_SYSTEM ? (size_t)header->requested
                                                      : class_size(header->class_index) - HEADER_SIZE;
    if (size <= room) {
        if (size < header->requested) {
            explicit_bzero((unsigned char *)block + size, header->requested - size);
        }
        // A shrunk system block forgets that it could grow again: its true size is not kept, and need not be.
        header->requested = size;
        return block;
    }
    void *moved = gatehouse_arena_allocate(size, file, line);
    if (moved == NULL) {
        return NULL;
    }
    memcpy(moved, block, header->requested);
    gatehouse_arena_free(block, file, line);
    return moved;
}

int gatehouse_arena_install(void) {
    pthread_mutex_lock(&arena_lock);
    if (!arena_installed) {
        void *region = mmap(NULL, ARENA_CAPACITY, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (region != MAP_FAILED) {
            // Keys live here: keep them out of core files. Kernels that cannot are no reason to run without the arena.
            (void)madvise(region, ARENA_CAPACITY, MADV_DONTDUMP);
            if (CRYPTO_set_mem_functions(gatehouse_arena_allocate, gatehouse_arena_resize, gatehouse_arena_free) == 1) {
                arena_region = region;
                arena_statistics.capacity = ARENA_CAPACITY;
                arena_installed = 1;
            } else {
                (void)munmap(region, ARENA_CAPACITY);
            }
        }
    }
    int installed = arena_installed;
    pthread_mutex_unlock(&arena_lock);
    return installed;
}

gatehouse_arena_statistics gatehouse_arena_read(void) {
    pthread_mutex_lock(&arena_lock);
    gatehouse_arena_statistics copy = arena_statistics;
    pthread_mutex_unlock(&arena_lock);
    return copy;
}
