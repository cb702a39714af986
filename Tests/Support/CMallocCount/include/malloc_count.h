#pragma once
#include <stdint.h>

// Counts what the whole process takes from the system's allocator, libcrypto, zlib and the Swift runtime included, by standing in
// for malloc and its relatives. Counting is off until it is asked for.

void malloc_count_begin(void);
// Allocations since malloc_count_begin, reallocations included; counting ends.
uint64_t malloc_count_end(void);
// Size of the first allocation of the last count that found any, to help finding it.
uint64_t malloc_count_first_size(void);
// Prints the call stack of the next counted allocation to standard error, once.
void malloc_count_trace_next(void);

// The most octets in use at one time since malloc_peak_begin, over what was in use then, by the sizes the allocator really gave.
void malloc_peak_begin(void);
uint64_t malloc_peak_end(void);
// Octets in use at malloc_peak_end, or now before it, over what was in use at malloc_peak_begin.
uint64_t malloc_peak_held(void);
