#include "portrait_encoding.h"

#include <stdlib.h>
#include <string.h>

#include <openjpeg-2.5/openjpeg.h>
#include <webp/encode.h>

uint8_t *webp_make(const struct webp_making *making, const uint8_t *pixels, size_t *count) {
    int width = (int)making->width, height = (int)making->height, stride = width * (making->has_alpha ? 4 : 3);
    uint8_t *made = NULL;
    if (making->is_lossless) {
        *count = making->has_alpha ? WebPEncodeLosslessRGBA(pixels, width, height, stride, &made)
                                   : WebPEncodeLosslessRGB(pixels, width, height, stride, &made);
    } else {
        *count = making->has_alpha ? WebPEncodeRGBA(pixels, width, height, stride, making->quality, &made)
                                   : WebPEncodeRGB(pixels, width, height, stride, making->quality, &made);
    }
    return made;
}

struct target {
    uint8_t *octets;
    size_t count;
    size_t position;
};

static OPJ_SIZE_T write_octets(void *source, OPJ_SIZE_T count, void *user) {
    struct target *target = user;
    if (target->position + count > target->count) {
        target->count = target->position + count;
        target->octets = realloc(target->octets, target->count);
        // A mistake in a test ends the test's process.
        if (target->octets == NULL) {
            abort();
        }
    }
    memcpy(target->octets + target->position, source, count);
    target->position += count;
    return count;
}

static OPJ_OFF_T skip_octets(OPJ_OFF_T count, void *user) {
    struct target *target = user;
    target->position += (size_t)count;
    return count;
}

static OPJ_BOOL seek_octets(OPJ_OFF_T position, void *user) {
    struct target *target = user;
    target->position = (size_t)position;
    return OPJ_TRUE;
}

static opj_image_t *make_image(const struct jp2_making *making, const int32_t *samples) {
    opj_image_cmptparm_t components[8];
    memset(components, 0, sizeof components);
    for (uint32_t index = 0; index < making->components; index++) {
        uint32_t step = making->halved && index > 0 ? 2 : 1;
        components[index] = (opj_image_cmptparm_t){
            .dx = step, .dy = step, .w = (making->width + step - 1) / step, .h = (making->height + step - 1) / step,
            .x0 = making->left, .prec = making->precision, .sgnd = making->is_signed};
    }
    opj_image_t *image = opj_image_create(making->components, components, (OPJ_COLOR_SPACE)making->colours);
    if (image == NULL) {
        abort();
    }
    image->x0 = making->left;
    image->x1 = making->left + making->width;
    image->y1 = making->height;
    for (uint32_t index = 0; index < making->components; index++) {
        size_t count = (size_t)components[index].w * components[index].h;
        memcpy(image->comps[index].data, samples, count * sizeof *samples);
        samples += count;
    }
    image->comps[making->components - 1].alpha = making->has_alpha;
    return image;
}

uint8_t *jp2_make(const struct jp2_making *making, const int32_t *samples, size_t *count) {
    opj_cparameters_t parameters;
    opj_set_default_encoder_parameters(&parameters);
    parameters.numresolution = (int)making->levels + 1;
    parameters.tcp_numlayers = (int)making->layers;
    parameters.cp_disto_alloc = 1;
    for (uint32_t layer = 0; layer < making->layers; layer++) {
        parameters.tcp_rates[layer] = (float)(making->layers - layer);
    }
    parameters.cblockw_init = parameters.cblockh_init = (int)making->block;
    parameters.irreversible = making->is_irreversible;
    parameters.tcp_mct = making->components == 3 && !making->halved;
    if (making->precinct != 0) {
        parameters.csty |= 1;
        parameters.res_spec = 1;
        parameters.prcw_init[0] = parameters.prch_init[0] = (int)making->precinct;
    }
    if (making->tile != 0) {
        parameters.tile_size_on = OPJ_TRUE;
        parameters.cp_tdx = parameters.cp_tdy = (int)making->tile;
    }
    opj_image_t *image = make_image(making, samples);
    opj_codec_t *codec = opj_create_compress(making->is_file ? OPJ_CODEC_JP2 : OPJ_CODEC_J2K);
    opj_stream_t *stream = opj_stream_create(1 << 16, OPJ_FALSE);
    struct target target = {0};
    opj_stream_set_write_function(stream, write_octets);
    opj_stream_set_skip_function(stream, skip_octets);
    opj_stream_set_seek_function(stream, seek_octets);
    opj_stream_set_user_data(stream, &target, NULL);
    if (!opj_setup_encoder(codec, &parameters, image) || !opj_start_compress(codec, image, stream) || !opj_encode(codec, stream)
        || !opj_end_compress(codec, stream)) {
        abort();
    }
    opj_stream_destroy(stream);
    opj_destroy_codec(codec);
    opj_image_destroy(image);
    *count = target.count;
    return target.octets;
}
