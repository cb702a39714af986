// Decodes a whole JPEG in memory to RGB, three octets a pixel, or to grey, one octet, over libjpeg's interface of version 6b (libjpeg-turbo
// has it).
//
// libjpeg reports an error by a function that may not return. It is left by longjmp here, inside C: no frame of Swift lies between.
// A damaged picture is refused as a whole. libjpeg itself would fill what is missing with grey and call it a success.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum jpeg_result {
    JPEG_OK = 0,
    JPEG_TOO_MANY_OCTETS,
    JPEG_TOO_MANY_PIXELS,  ///< A side, or their product.
    JPEG_NO_PIXELS,            ///< A side is 0.
    JPEG_NO_START,         ///< No SOI at the beginning.
    JPEG_NO_END,           ///< No EOI at the end. Zeros behind it are padding: cameras fill their buffers up.
    JPEG_DATA_BEHIND_END,  ///< The picture ends before the last octets do.
    JPEG_TRUNCATED,        ///< Entropy-coded data ends early: libjpeg fills the rest with grey.
    JPEG_DAMAGED,
    JPEG_PROGRESSIVE,      ///< And the limits do not allow it.
    JPEG_TOO_MANY_SCANS,
    JPEG_ARITHMETIC,
    JPEG_LOSSLESS,         ///< Or hierarchical, or a kind without a name.
    JPEG_PRECISION,        ///< Not 8 bits a sample.
    JPEG_COLOURS,          ///< CMYK, YCCK, or two components.
    JPEG_TOO_MUCH_MEMORY,
    JPEG_BUFFER_TOO_SMALL, ///< The caller's.
};

struct jpeg_limits {
    size_t octets;
    uint32_t side;
    uint64_t pixels;
    uint32_t scans;
    bool several_scans; ///< Progressive pictures, and others that are sent in several scans.
    size_t memory;      ///< Octets of the coefficients kept where there are several scans; another has none.
};

struct jpeg_header {
    uint32_t width;
    uint32_t height;
    bool progressive;
};

/// Reads up to the frame header and checks it against the limits; nothing is decoded. An enum jpeg_result.
int jpeg_picture_header(const uint8_t *octets, size_t count, const struct jpeg_limits *limits, struct jpeg_header *header);

/// Decodes at 1/`reduction` of the size: 1, 2 or 4. Sides are rounded up. `grey`: the luminance alone, for half the work. Rows follow each
/// other without a gap in `pixels`, which has room for `capacity` octets. An enum jpeg_result; after another than JPEG_OK part of `pixels`
/// may be written.
int jpeg_picture_decode(const uint8_t *octets, size_t count, const struct jpeg_limits *limits, uint32_t reduction, bool grey,
                        uint8_t *pixels, size_t capacity);
