#pragma once
#include "face_plugin.h"
#include <vector>

/// RGB pixels, row after row, as the host gives a picture; not kept longer than they.
inline fmp_image packed(const std::vector<uint8_t> &octets, uint32_t width, uint32_t height) {
    fmp_image image{};
    image.struct_size = sizeof image;
    image.format = FMP_FMT_RGB24;
    image.width = width;
    image.height = height;
    image.stride = 3 * width;
    image.bytes = {octets.data(), octets.size()};
    return image;
}

/// A picture of the host's, looked at where it lies.
struct Picture {
    const uint8_t *octets;
    long width, height, stride;

    /// Throws `Failure`: FMP_E_REFUSED_INPUT unless it is RGB, has at most 8192 pixels a side and all the octets it speaks of.
    explicit Picture(const fmp_image &image);
};
