#define _DEFAULT_SOURCE
#include "webp_decoding.h"

#include <stdlib.h>
#include <string.h>

#include <webp/decode.h>

enum { RIFF_HEADER = 12, CHUNK_HEADER = 8, VP8X_SIZE = 10, VP8X_ANIMATED = 0x02 };

static uint32_t little32(const uint8_t *octets) {
    return octets[0] | (uint32_t)octets[1] << 8 | (uint32_t)octets[2] << 16 | (uint32_t)octets[3] << 24;
}

static bool is(const uint8_t *octets, const char *name) { return memcmp(octets, name, 4) == 0; }

/// The file ends where RIFF says. A writer may have forgotten to count the octet that pads the last chunk.
static int check_riff(const uint8_t *octets, size_t count, struct webp_header *header) {
    if (count < RIFF_HEADER || !is(octets, "RIFF") || !is(octets + 8, "WEBP")) {
        return WEBP_NO_START;
    }
    uint64_t size = (uint64_t)little32(octets + 4) + CHUNK_HEADER;
    if (size < RIFF_HEADER) {
        return WEBP_DAMAGED;
    }
    if (size > count) {
        return WEBP_TRUNCATED;
    }
    header->count = (size_t)size;
    for (size_t index = header->count; index < count; index++) {
        if (octets[index] != 0) {
            return WEBP_DATA_BEHIND_END;
        }
    }
    return WEBP_OK;
}

/// One VP8 or VP8L; before it VP8X and what belongs to it. libwebp would stop at the picture and not look at what follows.
static int walk_chunks(const uint8_t *octets, struct webp_header *header) {
    size_t position = RIFF_HEADER, pictures = 0;
    bool is_first = true, is_extended = false;
    while (position < header->count) {
        if (header->count - position < CHUNK_HEADER) {
            return WEBP_DAMAGED;
        }
        const uint8_t *name = octets + position;
        size_t size = little32(name + 4);
        position += CHUNK_HEADER;
        if (size > header->count - position) {
            return WEBP_TRUNCATED;
        }
        if (is(name, "ANIM") || is(name, "ANMF")) {
            return WEBP_ANIMATED;
        }
        if (is(name, "VP8X")) {
            if (!is_first || size != VP8X_SIZE) {
                return WEBP_DAMAGED;
            }
            if (octets[position] & VP8X_ANIMATED) {
                return WEBP_ANIMATED;
            }
            is_extended = true;
        } else if (is(name, "VP8 ") || is(name, "VP8L")) {
            header->is_lossless = name[3] == 'L';
            pictures += 1;
        } else if (!is_extended) {
            return WEBP_DAMAGED;
        }
        is_first = false;
        position += size;
        // Chunks begin at even places.
        if (size % 2 != 0 && position < header->count) {
            position += 1;
        }
    }
    return pictures == 1 ? WEBP_OK : WEBP_DAMAGED;
}

static int result_of(VP8StatusCode status) {
    switch (status) {
    case VP8_STATUS_OK: return WEBP_OK;
    case VP8_STATUS_OUT_OF_MEMORY: return WEBP_TOO_MUCH_MEMORY;
    case VP8_STATUS_NOT_ENOUGH_DATA:
    case VP8_STATUS_SUSPENDED: return WEBP_TRUNCATED;
    default: return WEBP_DAMAGED;
    }
}

int webp_picture_header(const uint8_t *octets, size_t count, const struct webp_limits *limits, struct webp_header *header) {
    memset(header, 0, sizeof *header);
    if (count > limits->octets) {
        return WEBP_TOO_MANY_OCTETS;
    }
    int result = check_riff(octets, count, header);
    if (result == WEBP_OK) {
        result = walk_chunks(octets, header);
    }
    if (result != WEBP_OK) {
        return result;
    }
    WebPBitstreamFeatures features;
    VP8StatusCode status = WebPGetFeatures(octets, header->count, &features);
    if (status != VP8_STATUS_OK) {
        return result_of(status);
    }
    // It does not go on to VP8 behind VP8X, which says it as well.
    if (features.has_animation) {
        return WEBP_ANIMATED;
    }
    if (features.width <= 0 || features.height <= 0) {
        return WEBP_DAMAGED;
    }
    header->width = (uint32_t)features.width;
    header->height = (uint32_t)features.height;
    header->has_alpha = features.has_alpha != 0;
    if (header->width > limits->side || header->height > limits->side || (uint64_t)header->width * header->height > limits->pixels) {
        return WEBP_TOO_MANY_PIXELS;
    }
    // A lossless picture is kept whole by libwebp, and one with alpha here: four octets a pixel each.
    uint64_t kept = (uint64_t)header->width * header->height * 4 * ((header->is_lossless ? 1 : 0) + (header->has_alpha ? 1 : 0));
    return kept > limits->memory ? WEBP_TOO_MUCH_MEMORY : WEBP_OK;
}

static int decode(const uint8_t *octets, size_t count, WEBP_CSP_MODE mode, uint8_t *pixels, size_t stride, size_t capacity) {
    WebPDecoderConfig config;
    if (!WebPInitDecoderConfig(&config)) {
        return WEBP_DAMAGED;
    }
    config.options.use_threads = 0;
    config.output.colorspace = mode;
    config.output.is_external_memory = 1;
    config.output.u.RGBA.rgba = pixels;
    config.output.u.RGBA.stride = (int)stride;
    config.output.u.RGBA.size = capacity;
    int result = result_of(WebPDecode(octets, count, &config));
    WebPFreeDecBuffer(&config.output);
    return result;
}

/// With colours that are multiplied by alpha already, what is white shows through by what alpha lacks.
static int decode_on_white(const uint8_t *octets, const struct webp_header *header, uint8_t *pixels) {
    size_t count = (size_t)header->width * header->height;
    uint8_t *transparent = malloc(count * 4);
    if (transparent == NULL) {
        return WEBP_TOO_MUCH_MEMORY;
    }
    int result = decode(octets, header->count, MODE_rgbA, transparent, (size_t)header->width * 4, count * 4);
    for (size_t index = 0; result == WEBP_OK && index < count; index++) {
        const uint8_t *pixel = transparent + index * 4;
        for (size_t colour = 0; colour < 3; colour++) {
            unsigned value = pixel[colour] + (255u - pixel[3]);
            pixels[index * 3 + colour] = (uint8_t)(value > 255 ? 255 : value);
        }
    }
    explicit_bzero(transparent, count * 4);
    free(transparent);
    return result;
}

int webp_picture_decode(const uint8_t *octets, size_t count, const struct webp_limits *limits, uint8_t *pixels, size_t capacity) {
    struct webp_header header;
    int result = webp_picture_header(octets, count, limits, &header);
    if (result != WEBP_OK) {
        return result;
    }
    size_t stride = (size_t)header.width * 3;
    if ((uint64_t)stride * header.height > capacity) {
        return WEBP_BUFFER_TOO_SMALL;
    }
    if (header.has_alpha) {
        return decode_on_white(octets, &header, pixels);
    }
    return decode(octets, header.count, MODE_RGB, pixels, stride, stride * header.height);
}
