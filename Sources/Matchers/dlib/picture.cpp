#include "picture.h"
#include "failure.h"

Picture::Picture(const fmp_image &image) : octets(image.bytes.data), width(image.width), height(image.height), stride(image.stride) {
    constexpr uint32_t longest = 8192;
    if (image.struct_size < sizeof(fmp_image)) throw Failure{FMP_E_BAD_ARG};
    if (image.format != FMP_FMT_RGB24 || octets == nullptr) throw Failure{FMP_E_REFUSED_INPUT};
    if (image.width < 1 || image.width > longest || image.height < 1 || image.height > longest) throw Failure{FMP_E_REFUSED_INPUT};
    if (image.stride < 3 * image.width || image.bytes.len / image.stride < image.height) throw Failure{FMP_E_REFUSED_INPUT};
}

Pixels reduced(const Picture &picture, long factor) {
    const long width = picture.width / factor, height = picture.height / factor;
    Pixels result;
    if (width == 0 || height == 0) return result;
    result.set_size(height, width);
    const uint32_t count = uint32_t(factor * factor);
    for (long row = 0; row < height; row++) {
        for (long column = 0; column < width; column++) {
            uint32_t red = count / 2, green = count / 2, blue = count / 2;
            for (long y = row * factor; y < (row + 1) * factor; y++) {
                const uint8_t *pixel = picture.octets + y * picture.stride + column * factor * 3;
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
