// Decodes the one frame of an AVIF's item, AV1's OBUs without a container, to RGB, three octets a pixel, over dav1d in the calling thread.
//
// The container is read in Swift. Here the sequence header is looked at before dav1d decodes, and dav1d gets the memory for its pictures
// from here, so much and no more, which is overwritten afterwards.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum av1_result {
    AV1_OK = 0,
    AV1_TOO_MANY_PIXELS,
    AV1_NO_START,         ///< No sequence header.
    AV1_TRUNCATED,        ///< No frame.
    AV1_DAMAGED,
    AV1_SEVERAL_FRAMES,
    AV1_PRECISION,        ///< 10 or 12 bits a sample.
    AV1_COLOURS,          ///< A matrix that is none of BT.601, BT.709, BT.2020, FCC, SMPTE 240M, and the identity.
    AV1_TOO_MUCH_MEMORY,
    AV1_BUFFER_TOO_SMALL, ///< The caller's.
};

struct av1_limits {
    uint32_t side;
    uint64_t pixels;
    size_t memory; ///< Octets of dav1d's pictures at a time.
};

/// How luma and chroma become colours (ISO/IEC 23091-2), where the container says it.
struct av1_colours {
    bool is_given;
    uint16_t matrix;
    bool is_full_range;
};

/// Reads the sequence header and checks it: a picture of at most this size, 8 bits. An enum av1_result.
int av1_picture_header(const uint8_t *octets, size_t count, const struct av1_limits *limits, uint32_t width, uint32_t height);

/// Decodes a picture of exactly `width` by `height`. Rows follow each other without a gap in `pixels`, which has room for `capacity`
/// octets. An enum av1_result; after another than AV1_OK part of `pixels` may be written.
int av1_picture_decode(const uint8_t *octets, size_t count, const struct av1_limits *limits, uint32_t width, uint32_t height,
                       const struct av1_colours *colours, uint8_t *pixels, size_t capacity);
