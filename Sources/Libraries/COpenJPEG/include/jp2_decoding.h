// Decodes a whole JPEG 2000 picture in memory, a JP2 file or a bare code stream, to RGB, three octets a pixel, over OpenJPEG.
//
// The file's boxes and the code stream's markers (ISO/IEC 15444-1 annexes I and A) are walked here before OpenJPEG sees anything: what
// they ask for in pixels, tiles, code-blocks and layers is bounded by them and by nothing in the library. Of a JP2 file OpenJPEG gets the
// code stream alone. A damaged picture is refused as a whole.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum jp2_result {
    JP2_OK = 0,
    JP2_TOO_MANY_OCTETS,
    JP2_TOO_MANY_PIXELS,  ///< A side, or their product.
    JP2_NO_PIXELS,        ///< A side is 0.
    JP2_NO_START,         ///< Neither the signature box nor SOC and SIZ at the beginning.
    JP2_NO_END,           ///< No EOC at the end of the code stream.
    JP2_DATA_BEHIND_END,  ///< Other than boxes and zeros.
    JP2_TRUNCATED,
    JP2_DAMAGED,
    JP2_PRECISION,        ///< Not 8 bits a sample without sign.
    JP2_COLOURS,          ///< A palette, alpha, other than one or three components, or one smaller than the picture.
    JP2_UNCOMMON,         ///< A part of the standard, or of another one, that no portrait needs.
    JP2_TOO_MUCH_MEMORY,  ///< Of pixels, tiles, code-blocks or layers.
    JP2_BUFFER_TOO_SMALL, ///< The caller's.
};

struct jp2_limits {
    size_t octets;
    uint32_t side;
    uint64_t pixels;
    size_t memory; ///< Octets of decoded samples: OpenJPEG keeps four for each, of each component.
};

struct jp2_header {
    uint32_t width;
    uint32_t height;
    uint32_t components;
    uint32_t tiles;
    uint32_t tile_width;
    uint32_t tile_height;
    uint32_t levels;    ///< The fewest resolutions below the whole one that any component of any tile has.
    size_t stream;      ///< Where the code stream begins,
    size_t stream_size; ///< and its octets.
};

/// Walks boxes and markers; nothing is decoded. An enum jp2_result.
int jp2_picture_header(const uint8_t *octets, size_t count, const struct jp2_limits *limits, struct jp2_header *header);

/// Decodes at 1/2^`halvings` of the size, at most `header.levels`. Sides are rounded up. Rows follow each other without a gap in `pixels`,
/// which has room for `capacity` octets. An enum jp2_result; after another than JP2_OK part of `pixels` may be written.
int jp2_picture_decode(const uint8_t *octets, size_t count, const struct jp2_limits *limits, uint32_t halvings, uint8_t *pixels,
                       size_t capacity);
