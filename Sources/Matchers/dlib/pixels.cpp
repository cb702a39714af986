#include "pixels.h"
#include <cmath>
#include <dlib/image_transforms.h>

namespace {
/// Means of `factor` x `factor` pixels each; what is left at the right and at the bottom falls away.
Pixels means(const Picture &picture, const dlib::rectangle &part, long factor) {
    const long width = long(part.width()) / factor, height = long(part.height()) / factor;
    Pixels result;
    if (width == 0 || height == 0) return result;
    result.set_size(height, width);
    const uint32_t count = uint32_t(factor * factor);
    for (long row = 0; row < height; row++) {
        for (long column = 0; column < width; column++) {
            uint32_t red = count / 2, green = count / 2, blue = count / 2;
            for (long y = part.top() + row * factor; y < part.top() + (row + 1) * factor; y++) {
                const uint8_t *pixel = picture.octets + y * picture.stride + (part.left() + column * factor) * 3;
                for (long x = 0; x < factor; x++, pixel += 3) {
                    red += pixel[0];
                    green += pixel[1];
                    blue += pixel[2];
                }
            }
            result[row][column] = dlib::rgb_pixel(uint8_t(red / count), uint8_t(green / count), uint8_t(blue / count));
        }
    }
    return result;
}
}

Pixels reduced(const Picture &picture, const dlib::rectangle &part, double scale) {
    const long width = std::lround(double(part.width()) * scale), height = std::lround(double(part.height()) * scale);
    if (part.is_empty() || width < 1 || height < 1) return {};
    Pixels result(height, width);
    if (const long factor = long(1 / scale); factor > 1) {
        const Pixels base = means(picture, part, factor);
        if (base.size() == 0) return {};
        dlib::resize_image(base, result, dlib::interpolate_bilinear());
    } else {
        dlib::resize_image(dlib::sub_image(picture, part), result, dlib::interpolate_bilinear());
    }
    return result;
}
