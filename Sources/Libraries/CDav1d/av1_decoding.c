#define _DEFAULT_SOURCE
#include "av1_decoding.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <dav1d/dav1d.h>

#include "av1_colours.h"

/// What dav1d may have for its pictures.
struct budget {
    size_t left;
    bool was_exceeded;
};

/// Before each picture's memory, which begins at a multiple of what dav1d wants.
struct block_header {
    size_t size;
};

static size_t rounded(size_t count, size_t to) { return (count + to - 1) / to * to; }

static int allocate(Dav1dPicture *picture, void *cookie) {
    struct budget *budget = cookie;
    if (picture->p.w <= 0 || picture->p.h <= 0 || picture->p.bpc != 8) {
        return DAV1D_ERR(EINVAL);
    }
    // Sides that are multiples of 128, and an alignment behind each row's end and the last octet (dav1d/picture.h).
    size_t width = rounded((size_t)picture->p.w, 128), height = rounded((size_t)picture->p.h, 128);
    bool has_chroma = picture->p.layout != DAV1D_PIXEL_LAYOUT_I400;
    size_t across = picture->p.layout == DAV1D_PIXEL_LAYOUT_I444 ? width : width / 2;
    size_t down = picture->p.layout == DAV1D_PIXEL_LAYOUT_I420 ? height / 2 : height;
    size_t luma = width * height, chroma = has_chroma ? rounded(across, DAV1D_PICTURE_ALIGNMENT) * down : 0;
    size_t size = rounded(luma + 2 * chroma + 2 * DAV1D_PICTURE_ALIGNMENT, DAV1D_PICTURE_ALIGNMENT);
    uint8_t *block = size <= budget->left ? aligned_alloc(DAV1D_PICTURE_ALIGNMENT, size) : NULL;
    if (block == NULL) {
        budget->was_exceeded = true;
        return DAV1D_ERR(ENOMEM);
    }
    budget->left -= size;
    ((struct block_header *)block)->size = size;
    uint8_t *start = block + DAV1D_PICTURE_ALIGNMENT;
    picture->allocator_data = block;
    picture->stride[0] = (ptrdiff_t)width;
    picture->stride[1] = has_chroma ? (ptrdiff_t)rounded(across, DAV1D_PICTURE_ALIGNMENT) : 0;
    picture->data[0] = start;
    picture->data[1] = has_chroma ? start + luma : NULL;
    picture->data[2] = has_chroma ? start + luma + chroma : NULL;
    return 0;
}

static void release(Dav1dPicture *picture, void *cookie) {
    struct budget *budget = cookie;
    struct block_header *block = picture->allocator_data;
    size_t size = block->size;
    explicit_bzero(block, size);
    free(block);
    budget->left += size;
}

/// The caller's octets, which outlive the decoder.
static void keep(const uint8_t *octets, void *cookie) {
    (void)octets;
    (void)cookie;
}

int av1_picture_header(const uint8_t *octets, size_t count, const struct av1_limits *limits, uint32_t width, uint32_t height) {
    Dav1dSequenceHeader sequence;
    memset(&sequence, 0, sizeof sequence);
    if (count == 0 || dav1d_parse_sequence_header(&sequence, octets, count) < 0) {
        return AV1_NO_START;
    }
    if (width > limits->side || height > limits->side || (uint64_t)width * height > limits->pixels) {
        return AV1_TOO_MANY_PIXELS;
    }
    if (sequence.max_width <= 0 || sequence.max_height <= 0) {
        return AV1_DAMAGED;
    }
    // A frame may be smaller than its sequence says, but a still picture's is not.
    if ((uint32_t)sequence.max_width != width || (uint32_t)sequence.max_height != height) {
        return AV1_DAMAGED;
    }
    return sequence.hbd == 0 ? AV1_OK : AV1_PRECISION;
}

static int result_of(int error, const struct budget *budget) {
    if (budget->was_exceeded || error == DAV1D_ERR(ENOMEM)) {
        return AV1_TOO_MUCH_MEMORY;
    }
    return error == DAV1D_ERR(ERANGE) ? AV1_TOO_MANY_PIXELS : AV1_DAMAGED;
}

/// Feeds all octets and takes one picture: another one, or octets that nothing asked for, are an error.
static int take_frame(Dav1dContext *context, const uint8_t *octets, size_t count, const struct budget *budget, Dav1dPicture *picture) {
    Dav1dData data = {0};
    if (dav1d_data_wrap(&data, octets, count, keep, NULL) < 0) {
        return AV1_TOO_MUCH_MEMORY;
    }
    bool has_picture = false;
    int result = AV1_OK;
    // dav1d takes all at once, or as much as makes a picture; a picture then comes at once, as it has one thread.
    for (;;) {
        int error = data.sz > 0 ? dav1d_send_data(context, &data) : 0;
        if (error < 0 && error != DAV1D_ERR(EAGAIN)) {
            result = result_of(error, budget);
            break;
        }
        Dav1dPicture next = {0};
        error = dav1d_get_picture(context, &next);
        if (error == 0) {
            if (has_picture) {
                dav1d_picture_unref(&next);
                result = AV1_SEVERAL_FRAMES;
                break;
            }
            *picture = next;
            has_picture = true;
        } else if (error != DAV1D_ERR(EAGAIN)) {
            result = result_of(error, budget);
            break;
        } else if (data.sz == 0) {
            result = has_picture ? AV1_OK : AV1_TRUNCATED;
            break;
        }
    }
    if (data.sz > 0) {
        dav1d_data_unref(&data);
    }
    return result;
}

static int write_pixels(const Dav1dPicture *picture, uint32_t width, uint32_t height, const struct av1_colours *colours, uint8_t *pixels) {
    if ((uint32_t)picture->p.w != width || (uint32_t)picture->p.h != height || picture->p.bpc != 8) {
        return AV1_DAMAGED;
    }
    struct av1_planes planes = {
        .plane = {picture->data[0], picture->data[1], picture->data[2]},
        .stride = {picture->stride[0], picture->stride[1]},
        .width = width,
        .height = height,
        .halved_across = picture->p.layout == DAV1D_PIXEL_LAYOUT_I420 || picture->p.layout == DAV1D_PIXEL_LAYOUT_I422,
        .halved_down = picture->p.layout == DAV1D_PIXEL_LAYOUT_I420,
        .has_chroma = picture->p.layout != DAV1D_PIXEL_LAYOUT_I400,
    };
    uint16_t matrix = colours->is_given ? colours->matrix : (uint16_t)picture->seq_hdr->mtrx;
    bool is_full_range = colours->is_given ? colours->is_full_range : picture->seq_hdr->color_range != 0;
    return av1_write_rgb(&planes, matrix, is_full_range, pixels) ? AV1_OK : AV1_COLOURS;
}

int av1_picture_decode(const uint8_t *octets, size_t count, const struct av1_limits *limits, uint32_t width, uint32_t height,
                       const struct av1_colours *colours, uint8_t *pixels, size_t capacity) {
    int result = av1_picture_header(octets, count, limits, width, height);
    if (result != AV1_OK) {
        return result;
    }
    if ((uint64_t)width * height * 3 > capacity) {
        return AV1_BUFFER_TOO_SMALL;
    }
    struct budget budget = {.left = limits->memory};
    Dav1dSettings settings;
    dav1d_default_settings(&settings);
    settings.n_threads = 1;
    settings.max_frame_delay = 1;
    settings.all_layers = 0;
    settings.strict_std_compliance = 1;
    settings.frame_size_limit = (unsigned)(limits->pixels > UINT32_MAX ? UINT32_MAX : limits->pixels);
    settings.allocator = (Dav1dPicAllocator){&budget, allocate, release};
    settings.logger = (Dav1dLogger){NULL, NULL};
    Dav1dContext *context = NULL;
    if (dav1d_open(&context, &settings) < 0) {
        return AV1_TOO_MUCH_MEMORY;
    }
    Dav1dPicture picture = {0};
    result = take_frame(context, octets, count, &budget, &picture);
    if (result == AV1_OK) {
        result = write_pixels(&picture, width, height, colours, pixels);
    }
    if (picture.data[0] != NULL) {
        dav1d_picture_unref(&picture);
    }
    dav1d_close(&context);
    return result;
}
