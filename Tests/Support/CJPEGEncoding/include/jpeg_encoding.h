#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Makes the JPEG pictures the tests and the fuzz seeds are about, over libjpeg.

enum jpeg_colours { JPEG_MADE_GREY, JPEG_MADE_YCC, JPEG_MADE_RGB, JPEG_MADE_CMYK, JPEG_MADE_YCCK, JPEG_MADE_TWO };
enum jpeg_scans {
    JPEG_MADE_BASELINE,
    JPEG_MADE_PROGRESSIVE,      ///< As libjpeg likes it, ten scans of a colour picture.
    JPEG_MADE_FLAT_PROGRESSIVE, ///< One scan of all DC coefficients, and for each component one of the others, in full precision: any of the
                                ///< latter may be repeated without end, and libjpeg warns of nothing.
    JPEG_MADE_ONE_EACH,         ///< Sequential, a scan for each component.
};

struct jpeg_making {
    uint32_t width;
    uint32_t height;
    enum jpeg_colours colours;
    enum jpeg_scans scans;
    bool arithmetic;
    uint32_t across; ///< How many pixels share a colour, 1 or 2, and so `down`.
    uint32_t down;
    uint32_t restart; ///< Blocks of a restart interval, 0 for none.
    int quality;
};

/// `pixels` has as many octets a pixel as the colours have components, three for JPEG_MADE_YCC and four for YCCK (of CMYK).
/// What comes back is the caller's to free.
uint8_t *jpeg_make(const struct jpeg_making *making, const uint8_t *pixels, size_t *count);
