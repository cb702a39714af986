// Decodes a whole WebP in memory to RGB, three octets a pixel, over libwebp. What is transparent lies on white.
//
// The file's chunks (RFC 9649 section 2) are walked here before libwebp sees them: one picture, no animation, nothing behind the end.
// Profiles and metadata are skipped unread.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum webp_result {
    WEBP_OK = 0,
    WEBP_TOO_MANY_OCTETS,
    WEBP_TOO_MANY_PIXELS,  ///< A side, or their product.
    WEBP_NO_START,         ///< No RIFF header of a WebP at the beginning.
    WEBP_DATA_BEHIND_END,  ///< Other than zeros behind the RIFF chunk.
    WEBP_TRUNCATED,
    WEBP_DAMAGED,
    WEBP_ANIMATED,
    WEBP_TOO_MUCH_MEMORY,
    WEBP_BUFFER_TOO_SMALL, ///< The caller's.
};

struct webp_limits {
    size_t octets;
    uint32_t side;
    uint64_t pixels;
    size_t memory; ///< Octets of pixels beside the caller's buffer: those of a lossless picture, and of one with alpha.
};

struct webp_header {
    uint32_t width;
    uint32_t height;
    bool has_alpha;
    bool is_lossless;
    size_t count; ///< Octets of the file, without the zeros behind it.
};

/// Walks the chunks and reads the frame header; nothing is decoded. An enum webp_result.
int webp_picture_header(const uint8_t *octets, size_t count, const struct webp_limits *limits, struct webp_header *header);

/// Rows follow each other without a gap in `pixels`, which has room for `capacity` octets. An enum webp_result; after another than
/// WEBP_OK part of `pixels` may be written.
int webp_picture_decode(const uint8_t *octets, size_t count, const struct webp_limits *limits, uint8_t *pixels, size_t capacity);
