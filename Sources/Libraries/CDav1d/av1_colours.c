#include "av1_colours.h"

enum { IDENTITY = 0, BT709 = 1, UNSPECIFIED = 2, FCC = 4, BT470BG = 5, BT601 = 6, SMPTE240 = 7, BT2020 = 9 };

/// In 65536ths (ISO/IEC 23091-2 section 8.3): what luma, and each chroma, adds to each colour.
struct matrix {
    int32_t luma;
    int32_t red_of_red;
    int32_t green_of_blue;
    int32_t green_of_red;
    int32_t blue_of_blue;
    int32_t darkest;
};

/// By the parts that red and blue have in luma; nothing says which they are in most pictures, and BT.601 is meant.
static bool make_matrix(uint16_t number, bool is_full_range, struct matrix *matrix) {
    double red, blue;
    switch (number) {
    case BT709: red = 0.2126, blue = 0.0722; break;
    case FCC: red = 0.30, blue = 0.11; break;
    case UNSPECIFIED:
    case BT470BG:
    case BT601: red = 0.299, blue = 0.114; break;
    case SMPTE240: red = 0.212, blue = 0.087; break;
    case BT2020: red = 0.2627, blue = 0.0593; break;
    default: return false;
    }
    double green = 1 - red - blue, wide = is_full_range ? 1 : 255.0 / 224, scale = 65536;
    matrix->luma = (int32_t)(scale * (is_full_range ? 1 : 255.0 / 219) + 0.5);
    matrix->red_of_red = (int32_t)(scale * wide * 2 * (1 - red) + 0.5);
    matrix->blue_of_blue = (int32_t)(scale * wide * 2 * (1 - blue) + 0.5);
    matrix->green_of_blue = (int32_t)(scale * wide * 2 * (1 - blue) * blue / green + 0.5);
    matrix->green_of_red = (int32_t)(scale * wide * 2 * (1 - red) * red / green + 0.5);
    matrix->darkest = is_full_range ? 0 : 16;
    return true;
}

static uint8_t octet(int32_t value) {
    value = (value + 32768) >> 16;
    return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}

/// The place of the other sample that a pixel lies next to, where two pixels share one: it is a quarter away from its own.
static uint32_t neighbour(uint32_t place, uint32_t count) {
    uint32_t own = place / 2;
    if (place % 2 == 0) {
        return own == 0 ? 0 : own - 1;
    }
    return own + 1 < count ? own + 1 : own;
}

/// Chroma at a pixel, less its middle, in sixteenths: between the samples about it, the nearest three times as much.
static int32_t chroma(const struct av1_planes *planes, int plane, uint32_t x, uint32_t y) {
    uint32_t columns = planes->halved_across ? (planes->width + 1) / 2 : planes->width;
    uint32_t rows = planes->halved_down ? (planes->height + 1) / 2 : planes->height;
    uint32_t column = planes->halved_across ? x / 2 : x, other_column = planes->halved_across ? neighbour(x, columns) : x;
    uint32_t row = planes->halved_down ? y / 2 : y, other_row = planes->halved_down ? neighbour(y, rows) : y;
    const uint8_t *near = planes->plane[plane] + planes->stride[1] * (ptrdiff_t)row;
    const uint8_t *far = planes->plane[plane] + planes->stride[1] * (ptrdiff_t)other_row;
    return 9 * near[column] + 3 * near[other_column] + 3 * far[column] + far[other_column] - 16 * 128;
}

static void write_identity(const struct av1_planes *planes, uint8_t *pixels) {
    for (uint32_t y = 0; y < planes->height; y++) {
        for (uint32_t x = 0; x < planes->width; x++, pixels += 3) {
            // Green is where luma would be, blue and red are where chroma would be.
            pixels[0] = planes->plane[2][planes->stride[1] * (ptrdiff_t)y + x];
            pixels[1] = planes->plane[0][planes->stride[0] * (ptrdiff_t)y + x];
            pixels[2] = planes->plane[1][planes->stride[1] * (ptrdiff_t)y + x];
        }
    }
}

bool av1_write_rgb(const struct av1_planes *planes, uint16_t number, bool is_full_range, uint8_t *pixels) {
    struct matrix matrix;
    if (number == IDENTITY && planes->has_chroma) {
        if (planes->halved_across || planes->halved_down || !is_full_range) {
            return false;
        }
        write_identity(planes, pixels);
        return true;
    }
    // Of grey the matrix says nothing.
    if (!make_matrix(planes->has_chroma ? number : BT601, is_full_range, &matrix)) {
        return false;
    }
    for (uint32_t y = 0; y < planes->height; y++) {
        const uint8_t *luma = planes->plane[0] + planes->stride[0] * (ptrdiff_t)y;
        for (uint32_t x = 0; x < planes->width; x++, pixels += 3) {
            int32_t light = matrix.luma * (luma[x] - matrix.darkest);
            int64_t blue = planes->has_chroma ? chroma(planes, 1, x, y) : 0, red = planes->has_chroma ? chroma(planes, 2, x, y) : 0;
            pixels[0] = octet(light + (int32_t)(matrix.red_of_red * red / 16));
            pixels[1] = octet(light - (int32_t)((matrix.green_of_blue * blue + matrix.green_of_red * red) / 16));
            pixels[2] = octet(light + (int32_t)(matrix.blue_of_blue * blue / 16));
        }
    }
    return true;
}
