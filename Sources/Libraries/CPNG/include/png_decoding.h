// Decodes a whole PNG in memory to RGB, three octets a pixel, or to grey, one octet, over libpng. What is transparent lies on white.
//
// libpng reports an error by a function that may not return. It is left by longjmp here, inside C: no frame of Swift lies between.
// Ancillary chunks other than tRNS are skipped unread: no profile and no text is ever inflated.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum png_result {
    PNG_OK = 0,
    PNG_TOO_MANY_OCTETS,
    PNG_TOO_MANY_PIXELS,  ///< A side, or their product.
    PNG_NO_PIXELS,            ///< A side is 0.
    PNG_NO_START,         ///< No signature and IHDR at the beginning.
    PNG_DATA_BEHIND_END,  ///< Other than zeros after IEND.
    PNG_TRUNCATED,
    PNG_DAMAGED,          ///< A wrong check sum among others; every warning is one.
    PNG_TOO_MUCH_MEMORY,
    PNG_BUFFER_TOO_SMALL, ///< The caller's.
};

struct png_limits {
    size_t octets;
    uint32_t side;
    uint64_t pixels;
    size_t memory; ///< Octets libpng may have allocated at a time; the caller's buffer is not among them.
};

struct png_header {
    uint32_t width;
    uint32_t height;
};

/// Reads IHDR and checks it against the limits; nothing is decoded. An enum png_result.
int png_picture_header(const uint8_t *octets, size_t count, const struct png_limits *limits, struct png_header *header);

/// Rows follow each other without a gap in `pixels`, which has room for `capacity` octets. An enum png_result; after another than
/// PNG_OK part of `pixels` may be written.
int png_picture_decode(const uint8_t *octets, size_t count, const struct png_limits *limits, bool grey, uint8_t *pixels,
                       size_t capacity);
