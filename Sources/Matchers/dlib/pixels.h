#pragma once
#include "picture.h"
#include <dlib/array2d.h>
#include <dlib/geometry.h>
#include <dlib/pixel.h>

// What dlib asks of an image, of the host's picture where it lies.
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

/// A part of a picture at `scale` (more than 0, at most 1) of its size: means of whole pixels first where it becomes less than half as
/// large, then between neighbours. Empty where a side of it would be shorter than a pixel.
Pixels reduced(const Picture &picture, const dlib::rectangle &part, double scale);
