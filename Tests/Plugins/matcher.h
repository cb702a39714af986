/*
 * A matcher without models, for tests. A face is a patch of colour on grey: anything whose strongest channel exceeds its weakest by 60 of
 * 255 is colour. Two patches of the same colour are the same person.
 *
 * How to draw a face it finds: a square of one strong colour, such as (200, 60, 40), at least 24 pixels wide, on grey, and in it two black
 * squares for eyes, so that it is sharp: each an eighth as wide, their centres at 1/4 and 3/4 of its width and at 3/8 of its height. The
 * distance between the eyes is half the square's width. Several squares, at least 16 pixels apart, are several faces. JPEG at a quality of
 * 75 or more does no harm. Similarity is 1 - d / 256, where d is the distance of the two colours in red, green and blue: 0.95 and more for
 * the same colour through a JPEG, 0.875 for colours that differ by 32 in one channel, 0.12 for (200, 60, 40) and (40, 60, 200). A threshold
 * of 0.75 tells people apart.
 */
#pragma once
#include <math.h>
#include <string.h>

#include "face_plugin.h"

enum { CELL = 4, MOST_CELLS = 512 * 512, MOST_FACES = 64 };
enum { TEMPLATE_SIZE = 8 };

struct patch {
    uint32_t left, top, right, bottom, cells; /* cells, the last ones included */
    uint64_t red, green, blue;
};

struct fmp_ctx {
    uint8_t is_colour[MOST_CELLS];
    uint32_t stack[MOST_CELLS];
    struct patch faces[MOST_FACES];
};

static struct fmp_ctx the_context;
static fmp_host matcher_host;

static const uint8_t *pixel_of(const fmp_image *image, uint32_t column, uint32_t row) {
    return image->bytes.data + (size_t)(row * CELL + CELL / 2) * image->stride + (size_t)(column * CELL + CELL / 2) * 3;
}

static int is_colour(const uint8_t *pixel) {
    uint8_t most = pixel[0], least = pixel[0];
    for (int i = 1; i < 3; i++) {
        if (pixel[i] > most) most = pixel[i];
        if (pixel[i] < least) least = pixel[i];
    }
    return most - least >= 60;
}

/* Everything that touches this cell; what is taken is no colour any more. */
static struct patch take_patch(struct fmp_ctx *context, const fmp_image *image, uint32_t columns, uint32_t rows, uint32_t start) {
    struct patch patch = {.left = columns, .top = rows};
    uint32_t depth = 0;
    context->is_colour[start] = 0;
    context->stack[depth++] = start;
    while (depth > 0) {
        uint32_t cell = context->stack[--depth], column = cell % columns, row = cell / columns;
        const uint8_t *pixel = pixel_of(image, column, row);
        if (column < patch.left) patch.left = column;
        if (column > patch.right) patch.right = column;
        if (row < patch.top) patch.top = row;
        if (row > patch.bottom) patch.bottom = row;
        patch.cells++;
        patch.red += pixel[0];
        patch.green += pixel[1];
        patch.blue += pixel[2];
        for (int down = -1; down <= 1; down++)
            for (int across = -1; across <= 1; across++) {
                int64_t x = (int64_t)column + across, y = (int64_t)row + down;
                if (x < 0 || y < 0 || x >= columns || y >= rows || !context->is_colour[y * columns + x]) continue;
                context->is_colour[y * columns + x] = 0;
                context->stack[depth++] = (uint32_t)(y * columns + x);
            }
    }
    return patch;
}

static float area_of(const struct patch *patch) {
    return (float)(patch->right - patch->left + 1) * (float)(patch->bottom - patch->top + 1);
}

/* How many, the largest first. */
static uint32_t find_faces(struct fmp_ctx *context, const fmp_image *image) {
    uint32_t columns = image->width / CELL, rows = image->height / CELL, found = 0;
    if ((uint64_t)columns * rows > MOST_CELLS) return 0;
    for (uint32_t row = 0; row < rows; row++)
        for (uint32_t column = 0; column < columns; column++)
            context->is_colour[row * columns + column] = (uint8_t)is_colour(pixel_of(image, column, row));
    for (uint32_t cell = 0; cell < columns * rows && found < MOST_FACES; cell++) {
        if (!context->is_colour[cell]) continue;
        struct patch patch = take_patch(context, image, columns, rows, cell);
        if (patch.right - patch.left < 5 || patch.bottom - patch.top < 5) continue;
        uint32_t place = found++;
        for (; place > 0 && area_of(&context->faces[place - 1]) < area_of(&patch); place--) context->faces[place] = context->faces[place - 1];
        context->faces[place] = patch;
    }
    return found;
}

static void describe(const struct fmp_ctx *context, uint32_t found, fmp_frame_info *info) {
    info->faces = found;
    if (found == 0) return;
    const struct patch *patch = &context->faces[0];
    float width = (float)(patch->right - patch->left + 1) * CELL, height = (float)(patch->bottom - patch->top + 1) * CELL;
    info->face.x = (float)patch->left * CELL;
    info->face.y = (float)patch->top * CELL;
    info->face.w = width;
    info->face.h = height;
    info->face.confidence = 1;
    info->face.eye_l[0] = info->face.x + width / 4;
    info->face.eye_r[0] = info->face.x + width * 3 / 4;
    info->face.eye_l[1] = info->face.eye_r[1] = info->face.y + height * 3 / 8;
    info->second_area = found > 1 ? area_of(&context->faces[1]) / area_of(patch) : 0;
}

static fmp_status matcher_info(fmp_info *out) {
    uint32_t size = out->struct_size;
    memset(out, 0, sizeof *out);
    out->struct_size = size;
    out->abi_major = FMP_ABI_MAJOR;
    out->abi_minor = FMP_ABI_MINOR;
    out->caps = FMP_CAP_MATCH;
    out->template_max = TEMPLATE_SIZE;
    out->reference_min = 12;
    out->id = "test-colour";
    out->version = "1.0";
    out->vendor = "Gatehouse";
    out->licence = "as the gate's";
    out->algorithm = "colour of a patch";
    out->model_sha256 = "0000000000000000000000000000000000000000000000000000000000000000";
    for (int i = 0; i < 6; i++) out->fmr_score[i] = NAN;
    return FMP_OK;
}

static fmp_status matcher_open(const fmp_host *host, const char *models, fmp_bytes configuration, fmp_ctx **out) {
    (void)models, (void)configuration;
    memcpy(&matcher_host, host, host->struct_size < sizeof matcher_host ? host->struct_size : sizeof matcher_host);
    *out = &the_context;
    return FMP_OK;
}

static void matcher_close(fmp_ctx *context) {
    memset(context, 0, sizeof *context);
}

static fmp_status matcher_create(
    fmp_ctx *context, const fmp_image *images, uint32_t count, uint32_t role, uint64_t deadline, fmp_buffer *out, fmp_frame_info *infos) {
    (void)deadline;
    if (count != 1 || images[0].format != FMP_FMT_RGB24 || out->cap < TEMPLATE_SIZE) return FMP_E_BAD_ARG;
    uint32_t found = find_faces(context, &images[0]);
    describe(context, found, &infos[0]);
    if (found == 0) return FMP_E_NO_FACE;
    if (role == FMP_ROLE_PROBE && matcher_host.wanted && !matcher_host.wanted(matcher_host.host, &infos[0])) return FMP_E_QUALITY;
    const struct patch *patch = &context->faces[0];
    memcpy(out->data, "TMPL", 4);
    out->data[4] = (uint8_t)(patch->red / patch->cells);
    out->data[5] = (uint8_t)(patch->green / patch->cells);
    out->data[6] = (uint8_t)(patch->blue / patch->cells);
    out->data[7] = 0;
    out->len = TEMPLATE_SIZE;
    return FMP_OK;
}

static fmp_status matcher_match(fmp_ctx *context, fmp_bytes probe, fmp_bytes reference, double *similarity) {
    (void)context;
    *similarity = -1;
    if (probe.len != TEMPLATE_SIZE || reference.len != TEMPLATE_SIZE || memcmp(probe.data, "TMPL", 4) || memcmp(reference.data, "TMPL", 4))
        return FMP_E_TEMPLATE;
    double distance = 0;
    for (int i = 4; i < 7; i++) distance += (probe.data[i] - reference.data[i]) * (double)(probe.data[i] - reference.data[i]);
    distance = sqrt(distance);
    *similarity = distance >= 256 ? 0 : 1 - distance / 256;
    return FMP_OK;
}
