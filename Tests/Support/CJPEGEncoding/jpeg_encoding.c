#include "jpeg_encoding.h"

#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h>

static const struct {
    int components;
    J_COLOR_SPACE given;
    J_COLOR_SPACE written;
} kinds[] = {
    [JPEG_MADE_GREY] = {1, JCS_GRAYSCALE, JCS_GRAYSCALE}, [JPEG_MADE_YCC] = {3, JCS_RGB, JCS_YCbCr}, [JPEG_MADE_RGB] = {3, JCS_RGB, JCS_RGB},
    [JPEG_MADE_CMYK] = {4, JCS_CMYK, JCS_CMYK},           [JPEG_MADE_YCCK] = {4, JCS_CMYK, JCS_YCCK}, [JPEG_MADE_TWO] = {2, JCS_UNKNOWN, JCS_UNKNOWN},
};

static const jpeg_scan_info flat[] = {
    {3, {0, 1, 2}, 0, 0, 0, 0}, {1, {0}, 1, 63, 0, 0}, {1, {1}, 1, 63, 0, 0}, {1, {2}, 1, 63, 0, 0},
};
static const jpeg_scan_info one_each[] = {{1, {0}, 0, 63, 0, 0}, {1, {1}, 0, 63, 0, 0}, {1, {2}, 0, 63, 0, 0}};

uint8_t *jpeg_make(const struct jpeg_making *making, const uint8_t *pixels, size_t *count) {
    struct jpeg_compress_struct info;
    struct jpeg_error_mgr errors;
    unsigned char *octets = NULL;
    unsigned long size = 0;
    // A mistake in a test ends the test's process, as libjpeg does by itself.
    info.err = jpeg_std_error(&errors);
    jpeg_create_compress(&info);
    jpeg_mem_dest(&info, &octets, &size);
    info.image_width = making->width;
    info.image_height = making->height;
    info.input_components = kinds[making->colours].components;
    info.in_color_space = kinds[making->colours].given;
    jpeg_set_defaults(&info);
    jpeg_set_colorspace(&info, kinds[making->colours].written);
    jpeg_set_quality(&info, making->quality, TRUE);
    info.arith_code = making->arithmetic;
    info.restart_interval = making->restart;
    info.comp_info[0].h_samp_factor = (int)making->across;
    info.comp_info[0].v_samp_factor = (int)making->down;
    switch (making->scans) {
    case JPEG_MADE_BASELINE: break;
    case JPEG_MADE_PROGRESSIVE: jpeg_simple_progression(&info); break;
    case JPEG_MADE_FLAT_PROGRESSIVE:
        info.scan_info = flat;
        info.num_scans = 4;
        break;
    case JPEG_MADE_ONE_EACH:
        info.scan_info = one_each;
        info.num_scans = 3;
        break;
    }
    jpeg_start_compress(&info, TRUE);
    while (info.next_scanline < info.image_height) {
        JSAMPROW row = (JSAMPROW)pixels + (size_t)info.next_scanline * making->width * (size_t)info.input_components;
        jpeg_write_scanlines(&info, &row, 1);
    }
    jpeg_finish_compress(&info);
    jpeg_destroy_compress(&info);
    *count = size;
    return octets;
}
