#pragma once
#include <cstring>

/// Four numbers in a register: the least that x86-64 and arm64 have. Written by the compiler's vectors, the same for both.
typedef float Four __attribute__((vector_size(16)));

inline Four load(const float *numbers) {
    Four four;
    std::memcpy(&four, numbers, sizeof four);
    return four;
}
inline void store(float *numbers, Four four) { std::memcpy(numbers, &four, sizeof four); }
inline Four all(float number) { return Four{number, number, number, number}; }
inline Four larger(Four a, Four b) { return a > b ? a : b; }
inline Four smaller(Four a, Four b) { return a < b ? a : b; }
/// PReLU, and ReLU with a slope of 0.
inline Four activated(Four x, Four slope) { return larger(x, all(0)) + slope * smaller(x, all(0)); }
