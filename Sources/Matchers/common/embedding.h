#pragma once
#include <array>
#include <string.h>

/// What a network makes of a face; overwritten when it is no longer needed.
struct Embedding : std::array<float, 128> {
    Embedding() { fill(0); }
    Embedding(const Embedding &) = default;
    Embedding &operator=(const Embedding &) = default;
    ~Embedding() { explicit_bzero(data(), sizeof(float) * size()); }
};
