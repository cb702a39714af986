#define _DEFAULT_SOURCE
#include "jp2_decoding.h"

#include <string.h>

#include <openjpeg-2.5/openjpeg.h>

#include "jp2_walk.h"

/// The code stream, and how far it was read.
struct source {
    const uint8_t *octets;
    size_t count;
    size_t position;
    bool has_complained;
};

static OPJ_SIZE_T read_octets(void *destination, OPJ_SIZE_T count, void *user) {
    struct source *source = user;
    size_t left = source->count - source->position;
    size_t taken = count < left ? count : left;
    if (taken == 0) {
        return (OPJ_SIZE_T)-1;
    }
    memcpy(destination, source->octets + source->position, taken);
    source->position += taken;
    return taken;
}

static OPJ_OFF_T skip_octets(OPJ_OFF_T count, void *user) {
    struct source *source = user;
    if (count < 0 || (uint64_t)count > source->count - source->position) {
        return -1;
    }
    source->position += (size_t)count;
    return count;
}

static OPJ_BOOL seek_octets(OPJ_OFF_T position, void *user) {
    struct source *source = user;
    if (position < 0 || (uint64_t)position > source->count) {
        return OPJ_FALSE;
    }
    source->position = (size_t)position;
    return OPJ_TRUE;
}

/// OpenJPEG warns of much that it then makes pixels of all the same: packets that are cut, tile-parts in no order, a wrong number of them.
static void complain(const char *message, void *user) {
    (void)message;
    struct source *source = user;
    source->has_complained = true;
}

static void say_nothing(const char *message, void *user) {
    (void)message;
    (void)user;
}

/// Zeros behind the end are padding.
static int find_stream(const uint8_t *octets, size_t count, struct jp2_header *header) {
    static const uint8_t signature[12] = {0, 0, 0, 12, 'j', 'P', ' ', ' ', '\r', '\n', 0x87, '\n'};
    static const uint8_t stream[4] = {0xFF, 0x4F, 0xFF, 0x51};
    if (count >= sizeof signature && memcmp(octets, signature, sizeof signature) == 0) {
        return jp2_walk_boxes(octets, count, header);
    }
    if (count < sizeof stream || memcmp(octets, stream, sizeof stream) != 0) {
        return JP2_NO_START;
    }
    header->stream_size = count;
    return JP2_OK;
}

int jp2_picture_header(const uint8_t *octets, size_t count, const struct jp2_limits *limits, struct jp2_header *header) {
    memset(header, 0, sizeof *header);
    if (count > limits->octets) {
        return JP2_TOO_MANY_OCTETS;
    }
    int result = find_stream(octets, count, header);
    if (result != JP2_OK) {
        return result;
    }
    // Also a box with the code stream may be the last one, and padded.
    while (header->stream_size > 0 && octets[header->stream + header->stream_size - 1] == 0) {
        header->stream_size -= 1;
    }
    return jp2_walk_stream(octets + header->stream, header->stream_size, limits, header);
}

/// Writes the components, each a whole plane of 32 bits a sample, as RGB; they are what somebody's picture was, and overwritten.
static int take_pixels(opj_image_t *image, const struct jp2_header *header, uint32_t halvings, uint8_t *pixels, size_t capacity) {
    uint32_t scale = 1u << halvings;
    size_t width = (header->width + scale - 1) / scale, height = (header->height + scale - 1) / scale;
    if (width * height * 3 > capacity) {
        return JP2_BUFFER_TOO_SMALL;
    }
    if (image->numcomps != header->components) {
        return JP2_DAMAGED;
    }
    for (uint32_t component = 0; component < image->numcomps; component++) {
        const opj_image_comp_t *plane = &image->comps[component];
        if (plane->data == NULL || plane->w != width || plane->h != height || plane->prec != 8 || plane->sgnd) {
            return JP2_DAMAGED;
        }
    }
    for (size_t index = 0; index < width * height; index++) {
        for (size_t colour = 0; colour < 3; colour++) {
            OPJ_INT32 value = image->comps[header->components == 3 ? colour : 0].data[index];
            pixels[index * 3 + colour] = (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
        }
    }
    return JP2_OK;
}

static void wipe(opj_image_t *image) {
    for (uint32_t component = 0; component < image->numcomps; component++) {
        const opj_image_comp_t *plane = &image->comps[component];
        if (plane->data != NULL) {
            explicit_bzero(plane->data, (size_t)plane->w * plane->h * sizeof *plane->data);
        }
    }
}

static int decode(opj_codec_t *codec, opj_stream_t *stream, struct source *source, const struct jp2_header *header, uint32_t halvings,
                  uint8_t *pixels, size_t capacity) {
    opj_dparameters_t parameters;
    opj_set_default_decoder_parameters(&parameters);
    parameters.cp_reduce = halvings;
    opj_set_info_handler(codec, say_nothing, source);
    opj_set_warning_handler(codec, complain, source);
    opj_set_error_handler(codec, complain, source);
    opj_image_t *image = NULL;
    if (!opj_setup_decoder(codec, &parameters) || !opj_decoder_set_strict_mode(codec, OPJ_TRUE)) {
        return JP2_TOO_MUCH_MEMORY;
    }
    int result = JP2_DAMAGED;
    if (opj_read_header(stream, codec, &image) && opj_decode(codec, stream, image) && opj_end_decompress(codec, stream)
        && !source->has_complained) {
        result = take_pixels(image, header, halvings, pixels, capacity);
    }
    if (image != NULL) {
        wipe(image);
        opj_image_destroy(image);
    }
    return result;
}

int jp2_picture_decode(const uint8_t *octets, size_t count, const struct jp2_limits *limits, uint32_t halvings, uint8_t *pixels,
                       size_t capacity) {
    struct jp2_header header;
    int result = jp2_picture_header(octets, count, limits, &header);
    if (result != JP2_OK) {
        return result;
    }
    if (halvings > header.levels) {
        return JP2_BUFFER_TOO_SMALL;
    }
    struct source source = {.octets = octets + header.stream, .count = header.stream_size};
    opj_codec_t *codec = opj_create_decompress(OPJ_CODEC_J2K);
    opj_stream_t *stream = opj_stream_create(1 << 16, OPJ_TRUE);
    result = JP2_TOO_MUCH_MEMORY;
    if (codec != NULL && stream != NULL) {
        opj_stream_set_read_function(stream, read_octets);
        opj_stream_set_skip_function(stream, skip_octets);
        opj_stream_set_seek_function(stream, seek_octets);
        opj_stream_set_user_data(stream, &source, NULL);
        opj_stream_set_user_data_length(stream, source.count);
        result = decode(codec, stream, &source, &header, halvings, pixels, capacity);
    }
    if (stream != NULL) {
        opj_stream_destroy(stream);
    }
    if (codec != NULL) {
        opj_destroy_codec(codec);
    }
    return result;
}
