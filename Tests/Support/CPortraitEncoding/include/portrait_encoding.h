// Makes WebP and JPEG 2000 pictures for the tests, of pixels they know. What is returned is the caller's to free.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct webp_making {
    uint32_t width;
    uint32_t height;
    bool has_alpha; ///< Four octets a pixel instead of three.
    bool is_lossless;
    float quality;
};

uint8_t *webp_make(const struct webp_making *making, const uint8_t *pixels, size_t *count);

struct jp2_making {
    uint32_t width;
    uint32_t height;
    uint32_t components;
    uint32_t precision;
    bool is_signed;
    uint32_t halved;     ///< The last two components have half the size each way.
    uint32_t left;       ///< Of the picture on its grid.
    uint32_t tile;       ///< Pixels of a tile's side; 0 for one tile.
    uint32_t levels;
    uint32_t layers;
    uint32_t block;      ///< Samples of a code-block's side.
    uint32_t precinct;   ///< Samples of a precinct's side; 0 for none.
    bool is_irreversible;
    bool is_file;        ///< A JP2 file, not a bare code stream.
    int colours;         ///< OpenJPEG's number of the colour space.
    bool has_alpha;      ///< The last component is said to be alpha.
};

/// `samples`: components one after the other, rows without gaps.
uint8_t *jp2_make(const struct jp2_making *making, const int32_t *samples, size_t *count);
