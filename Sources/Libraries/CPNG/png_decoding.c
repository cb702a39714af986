#define _DEFAULT_SOURCE
#include "png_decoding.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>

struct decoding {
    const uint8_t *octets;
    size_t left;
    size_t allocated;
    size_t memory;
    jmp_buf failed;
    int result;
    png_structp png;
    png_infop info;
};

/// Before each block, for as long as it is libpng's.
union block_header {
    size_t size;
    max_align_t alignment;
};

static png_voidp allocate(png_structp png, png_alloc_size_t size) {
    struct decoding *decoding = png_get_mem_ptr(png);
    if (size > decoding->memory || decoding->allocated > decoding->memory - size) {
        // libpng asks for some things that it can do without; what it does then is not worth finding out.
        decoding->result = PNG_TOO_MUCH_MEMORY;
        return NULL;
    }
    union block_header *header = malloc(sizeof *header + size);
    if (header == NULL) {
        decoding->result = PNG_TOO_MUCH_MEMORY;
        return NULL;
    }
    header->size = size;
    decoding->allocated += size;
    return header + 1;
}

/// Rows of somebody's picture lie in these blocks.
static void release(png_structp png, png_voidp block) {
    if (block == NULL) {
        return;
    }
    struct decoding *decoding = png_get_mem_ptr(png);
    union block_header *header = (union block_header *)block - 1;
    decoding->allocated -= header->size;
    explicit_bzero(block, header->size);
    free(header);
}

static PNG_NORETURN void fail(struct decoding *decoding, int result) {
    // The first reason is the true one: libpng makes a lack of memory an error of its own.
    if (decoding->result == PNG_OK) {
        decoding->result = result;
    }
    longjmp(decoding->failed, 1);
}

static PNG_NORETURN void report(png_structp png, png_const_charp message) {
    (void)message;
    fail(png_get_error_ptr(png), PNG_DAMAGED);
}

static void report_warning(png_structp png, png_const_charp message) { report(png, message); }

static void read_octets(png_structp png, png_bytep destination, size_t count) {
    struct decoding *decoding = png_get_io_ptr(png);
    if (count > decoding->left) {
        fail(decoding, PNG_TRUNCATED);
    }
    memcpy(destination, decoding->octets, count);
    decoding->octets += count;
    decoding->left -= count;
}

static uint32_t big32(const uint8_t *octets) {
    return (uint32_t)octets[0] << 24 | (uint32_t)octets[1] << 16 | (uint32_t)octets[2] << 8 | octets[3];
}

int png_picture_header(const uint8_t *octets, size_t count, const struct png_limits *limits, struct png_header *header) {
    static const uint8_t start[16] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n', 0, 0, 0, 13, 'I', 'H', 'D', 'R'};
    memset(header, 0, sizeof *header);
    if (count > limits->octets) {
        return PNG_TOO_MANY_OCTETS;
    }
    if (count < sizeof start || memcmp(octets, start, sizeof start) != 0) {
        return PNG_NO_START;
    }
    if (count < sizeof start + 13 + 4) {
        return PNG_TRUNCATED;
    }
    header->width = big32(octets + sizeof start);
    header->height = big32(octets + sizeof start + 4);
    if (header->width == 0 || header->height == 0) {
        return PNG_NO_PIXELS;
    }
    if (header->width > limits->side || header->height > limits->side || (uint64_t)header->width * header->height > limits->pixels) {
        return PNG_TOO_MANY_PIXELS;
    }
    return PNG_OK;
}

/// Whatever the picture is made of, its rows come out as RGB, or grey, on white.
static void ask_for_pixels(png_structp png, png_infop info, bool grey) {
    // Grey below 8 bits, palettes, and what is transparent by tRNS.
    png_set_expand(png);
    png_set_scale_16(png);
    if (!grey) {
        png_set_gray_to_rgb(png);
    } else if (png_get_color_type(png, info) & PNG_COLOR_MASK_COLOR) {
        png_set_rgb_to_gray_fixed(png, PNG_ERROR_ACTION_NONE, PNG_RGB_TO_GRAY_DEFAULT, PNG_RGB_TO_GRAY_DEFAULT);
    }
    if (png_get_color_type(png, info) & PNG_COLOR_MASK_ALPHA || png_get_valid(png, info, PNG_INFO_tRNS)) {
        // In the depth of what comes out.
        png_color_16 white = {.red = 0xFF, .green = 0xFF, .blue = 0xFF, .gray = 0xFF};
        png_set_background_fixed(png, &white, PNG_BACKGROUND_GAMMA_SCREEN, 0, PNG_FP_1);
    }
}

static void decode(struct decoding *decoding, const struct png_limits *limits, const struct png_header *header, bool grey,
                   uint8_t *pixels) {
    decoding->png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, decoding, report, report_warning, decoding, allocate, release);
    if (decoding->png == NULL) {
        fail(decoding, PNG_TOO_MUCH_MEMORY);
    }
    png_structp png = decoding->png;
    decoding->info = png_create_info_struct(png);
    if (decoding->info == NULL) {
        fail(decoding, PNG_TOO_MUCH_MEMORY);
    }
    png_infop info = decoding->info;
    png_set_user_limits(png, limits->side, limits->side);
    png_set_chunk_malloc_max(png, limits->octets);
    png_set_chunk_cache_max(png, 1);
    // All that are not known, and the ancillary ones that are, but for tRNS.
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
    png_set_read_fn(png, decoding, read_octets);

    png_read_info(png, info);
    ask_for_pixels(png, info, grey);
    int passes = png_set_interlace_handling(png);
    png_read_update_info(png, info);
    size_t stride = (size_t)header->width * (grey ? 1 : 3);
    if (png_get_rowbytes(png, info) != stride || png_get_image_height(png, info) != header->height) {
        fail(decoding, PNG_DAMAGED);
    }
    for (int pass = 0; pass < passes; pass++) {
        for (uint32_t row = 0; row < header->height; row++) {
            png_read_row(png, pixels + stride * row, NULL);
        }
    }
    png_read_end(png, NULL);
    for (size_t index = 0; index < decoding->left; index++) {
        if (decoding->octets[index] != 0) {
            fail(decoding, PNG_DATA_BEHIND_END);
        }
    }
}

int png_picture_decode(const uint8_t *octets, size_t count, const struct png_limits *limits, bool grey, uint8_t *pixels,
                       size_t capacity) {
    struct png_header header;
    int result = png_picture_header(octets, count, limits, &header);
    if (result != PNG_OK) {
        return result;
    }
    if ((uint64_t)header.width * header.height * (grey ? 1 : 3) > capacity) {
        return PNG_BUFFER_TOO_SMALL;
    }
    struct decoding decoding;
    memset(&decoding, 0, sizeof decoding);
    decoding.octets = octets;
    decoding.left = count;
    decoding.memory = limits->memory;
    if (setjmp(decoding.failed) == 0) {
        decode(&decoding, limits, &header, grey, pixels);
    }
    png_destroy_read_struct(&decoding.png, &decoding.info, NULL);
    return decoding.result;
}
