#pragma once

#include "av1_decoding.h"

/// A decoded frame of 8 bits: luma, and two planes of chroma at the same or half its size each way; none for grey.
struct av1_planes {
    const uint8_t *plane[3];
    ptrdiff_t stride[2];
    uint32_t width;
    uint32_t height;
    uint8_t halved_across;
    uint8_t halved_down;
    bool has_chroma;
};

/// False where the matrix is none of those that are known, or does not go with the planes.
bool av1_write_rgb(const struct av1_planes *planes, uint16_t matrix, bool is_full_range, uint8_t *pixels);
