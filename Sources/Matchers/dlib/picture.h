#pragma once
#include "face_plugin.h"
#include <dlib/array2d.h>
#include <dlib/pixel.h>

/// A picture of the host's, looked at where it lies. What dlib asks of an image follows below.
struct Picture {
    const uint8_t *octets;
    long width, height, stride;

    /// Throws `Failure`: FMP_E_REFUSED_INPUT unless it is RGB, has at most 8192 pixels a side and all the octets it speaks of.
    explicit Picture(const fmp_image &image);
};

inline long num_rows(const Picture &picture) { return picture.height; }
inline long num_columns(const Picture &picture) { return picture.width; }
inline long width_step(const Picture &picture) { return picture.stride; }
inline const void *image_data(const Picture &picture) { return picture.octets; }

namespace dlib {
template <> struct image_traits<Picture> {
    typedef rgb_pixel pixel_type;
};
}

using Pixels = dlib::array2d<dlib::rgb_pixel>;

/// Means of `factor` x `factor` pixels each; what is left at the right and at the bottom falls away. Empty where a side is shorter than
/// `factor`.
Pixels reduced(const Picture &picture, long factor);
