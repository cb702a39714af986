#include "jpeg_decoding.h"

#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include <jpeglib.h>
#include <jerror.h>

enum { SOF0 = 0xC0, SOF1 = 0xC1, SOF2 = 0xC2, DHT = 0xC4, DAC = 0xCC, SOF15 = 0xCF, RST0 = 0xD0, SOI = 0xD8, EOI = 0xD9, SOS = 0xDA };

struct decoding {
    struct jpeg_decompress_struct info;
    struct jpeg_error_mgr errors;
    struct jpeg_progress_mgr progress;
    jmp_buf failed;
    int result;
    int most_scans;
    unsigned seen; // a bit for each component a scan has had
};

static _Noreturn void fail(j_common_ptr info, int result) {
    struct decoding *decoding = info->client_data;
    decoding->result = result;
    longjmp(decoding->failed, 1);
}

static void error_exit(j_common_ptr info) {
    switch (info->err->msg_code) {
    case JERR_OUT_OF_MEMORY:
    case JERR_NO_BACKING_STORE:
    case JERR_TFILE_CREATE: fail(info, JPEG_TOO_MUCH_MEMORY);
    case JERR_BAD_PRECISION: fail(info, JPEG_PRECISION);
    case JERR_SOF_UNSUPPORTED: fail(info, JPEG_LOSSLESS);
    case JERR_CONVERSION_NOTIMPL: fail(info, JPEG_COLOURS);
    case JERR_IMAGE_TOO_BIG:
    case JERR_WIDTH_OVERFLOW: fail(info, JPEG_TOO_MANY_PIXELS);
    case JERR_EMPTY_IMAGE: fail(info, JPEG_NO_PIXELS);
    case JERR_INPUT_EOF: fail(info, JPEG_TRUNCATED);
    default: fail(info, JPEG_DAMAGED);
    }
}

/// A warning has a level below 0. Cameras leave octets before a restart marker or the end, with nothing lost; every other warning is
/// damage.
static void emit_message(j_common_ptr info, int level) {
    if (level >= 0) {
        return;
    }
    switch (info->err->msg_code) {
    case JWRN_EXTRANEOUS_DATA:
        if (info->err->msg_parm.i[1] < RST0 || info->err->msg_parm.i[1] > EOI) {
            fail(info, JPEG_DAMAGED);
        }
        return;
    case JWRN_HIT_MARKER:
    case JWRN_JPEG_EOF: fail(info, JPEG_TRUNCATED);
    default: fail(info, JPEG_DAMAGED);
    }
}

static void output_message(j_common_ptr info) { (void)info; }

/// Called for each row of blocks: a scan may be a few octets long and cost a pass over the whole picture.
static void watch_scans(j_common_ptr common) {
    struct decoding *decoding = common->client_data;
    j_decompress_ptr info = (j_decompress_ptr)common;
    if (info->input_scan_number > decoding->most_scans) {
        fail(common, JPEG_TOO_MANY_SCANS);
    }
    for (int index = 0; index < info->comps_in_scan; index++) {
        decoding->seen |= 1u << info->cur_comp_info[index]->component_index;
    }
}

/// Where a picture comes in several scans and the last ones are missing, libjpeg shows what there is and does not warn.
static void check_complete(struct decoding *decoding) {
    j_decompress_ptr info = &decoding->info;
    for (int component = 0; component < info->num_components; component++) {
        if ((decoding->seen & 1u << component) == 0) {
            fail((j_common_ptr)info, JPEG_TRUNCATED);
        }
        // The bits each coefficient still lacks; -1 where no scan had it.
        for (int coefficient = 0; info->progressive_mode && coefficient < DCTSIZE2; coefficient++) {
            if (info->coef_bits[component][coefficient] != 0) {
                fail((j_common_ptr)info, JPEG_TRUNCATED);
            }
        }
    }
}

/// Checks what a frame header says. `segment` begins behind its length.
static int check_frame(uint8_t marker, const uint8_t *segment, size_t count, const struct jpeg_limits *limits, struct jpeg_header *header) {
    if (marker > 0xC8) {
        return JPEG_ARITHMETIC;
    }
    if (marker > SOF2) {
        return JPEG_LOSSLESS;
    }
    if (count < 6 || segment[5] == 0 || count != 6 + 3 * (size_t)segment[5]) {
        return JPEG_DAMAGED;
    }
    header->progressive = marker == SOF2;
    header->height = (uint32_t)segment[1] << 8 | segment[2];
    header->width = (uint32_t)segment[3] << 8 | segment[4];
    if (segment[0] != 8) {
        return JPEG_PRECISION;
    }
    if (header->width == 0 || header->height == 0) {
        return JPEG_NO_PIXELS;
    }
    if (header->width > limits->side || header->height > limits->side || (uint64_t)header->width * header->height > limits->pixels) {
        return JPEG_TOO_MANY_PIXELS;
    }
    if (segment[5] != 1 && segment[5] != 3) {
        return JPEG_COLOURS;
    }
    return header->progressive && !limits->several_scans ? JPEG_PROGRESSIVE : JPEG_OK;
}

/// Walks from marker to marker. libjpeg would skip what lies between them; nothing may lie there.
int jpeg_picture_header(const uint8_t *octets, size_t count, const struct jpeg_limits *limits, struct jpeg_header *header) {
    memset(header, 0, sizeof *header);
    if (count > limits->octets) {
        return JPEG_TOO_MANY_OCTETS;
    }
    if (count < 2 || octets[0] != 0xFF || octets[1] != SOI) {
        return JPEG_NO_START;
    }
    size_t position = 2;
    while (position < count) {
        if (octets[position++] != 0xFF) {
            return JPEG_DAMAGED;
        }
        while (position < count && octets[position] == 0xFF) {
            position += 1;
        }
        if (count - position < 3) {
            return JPEG_TRUNCATED;
        }
        uint8_t marker = octets[position];
        size_t length = (size_t)octets[position + 1] << 8 | octets[position + 2];
        // Before the frame header only segments make sense.
        if (marker < SOF0 || (marker >= RST0 && marker <= SOS) || length < 2) {
            return JPEG_DAMAGED;
        }
        position += 3;
        length -= 2;
        if (count - position < length) {
            return JPEG_TRUNCATED;
        }
        if (marker <= SOF15 && marker != DHT && marker != DAC) {
            return check_frame(marker, octets + position, length, limits, header);
        }
        position += length;
    }
    return JPEG_TRUNCATED;
}

static void decode(struct decoding *decoding, const uint8_t *octets, size_t count, const struct jpeg_limits *limits,
                   const struct jpeg_header *header, uint32_t reduction, bool grey, uint8_t *pixels, size_t capacity) {
    struct jpeg_decompress_struct *info = &decoding->info;
    jpeg_create_decompress(info);
    // What libjpeg was built with decides whether more would go to a file; in Debian nothing does, and it is an error.
    info->mem->max_memory_to_use = (long)limits->memory;
    info->progress = &decoding->progress;
    jpeg_mem_src(info, octets, (unsigned long)count);
    jpeg_read_header(info, TRUE);

    if (info->image_width != header->width || info->image_height != header->height || info->arith_code) {
        fail((j_common_ptr)info, JPEG_DAMAGED);
    }
    switch (info->jpeg_color_space) {
    case JCS_GRAYSCALE:
    case JCS_RGB:
    case JCS_YCbCr: break;
    default: fail((j_common_ptr)info, JPEG_COLOURS);
    }
    if (!limits->several_scans && jpeg_has_multiple_scans(info)) {
        fail((j_common_ptr)info, JPEG_TOO_MANY_SCANS);
    }
    info->out_color_space = grey ? JCS_GRAYSCALE : JCS_RGB;
    info->scale_num = 1;
    info->scale_denom = reduction;
    jpeg_start_decompress(info);
    if (jpeg_has_multiple_scans(info)) {
        check_complete(decoding);
    }

    int components = grey ? 1 : 3;
    size_t stride = (size_t)info->output_width * components;
    if (info->output_components != components || stride * info->output_height > capacity) {
        fail((j_common_ptr)info, JPEG_BUFFER_TOO_SMALL);
    }
    while (info->output_scanline < info->output_height) {
        JSAMPROW row = pixels + stride * info->output_scanline;
        jpeg_read_scanlines(info, &row, 1);
    }
    jpeg_finish_decompress(info);
    if (info->src->bytes_in_buffer != 0) {
        fail((j_common_ptr)info, JPEG_DATA_BEHIND_END);
    }
}

int jpeg_picture_decode(const uint8_t *octets, size_t count, const struct jpeg_limits *limits, uint32_t reduction, bool grey,
                        uint8_t *pixels, size_t capacity) {
    struct jpeg_header header;
    int result = jpeg_picture_header(octets, count, limits, &header);
    if (result != JPEG_OK) {
        return result;
    }
    while (count > 0 && octets[count - 1] == 0) {
        count -= 1;
    }
    if (octets[count - 2] != 0xFF || octets[count - 1] != EOI) {
        return JPEG_NO_END;
    }
    if (reduction != 1 && reduction != 2 && reduction != 4) {
        return JPEG_BUFFER_TOO_SMALL;
    }

    struct decoding decoding;
    memset(&decoding, 0, sizeof decoding);
    decoding.info.err = jpeg_std_error(&decoding.errors);
    decoding.errors.error_exit = error_exit;
    decoding.errors.emit_message = emit_message;
    decoding.errors.output_message = output_message;
    decoding.progress.progress_monitor = watch_scans;
    decoding.most_scans = limits->scans > INT32_MAX ? INT32_MAX : (int)limits->scans;
    decoding.info.client_data = &decoding;
    if (setjmp(decoding.failed) == 0) {
        decode(&decoding, octets, count, limits, &header, reduction, grey, pixels, capacity);
    }
    jpeg_destroy_decompress(&decoding.info);
    return decoding.result;
}
