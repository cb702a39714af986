#include "jp2_walk.h"

#include <string.h>

enum { BOX_HEADER = 8, LONG_BOX_HEADER = 16, COLOUR_SRGB = 16, COLOUR_GREY = 17, METHOD_ENUMERATED = 1 };

struct box {
    const uint8_t *type;
    const uint8_t *content;
    size_t size;
};

static bool is(const struct box *box, const char *type) { return memcmp(box->type, type, 4) == 0; }

/// Takes the box at `*position` and moves behind it. Length 0 means up to the end, 1 that the length follows in 64 bits (I.4).
static int next_box(const uint8_t *octets, size_t count, size_t *position, struct box *box) {
    size_t left = count - *position, header = BOX_HEADER;
    if (left < BOX_HEADER) {
        return JP2_DAMAGED;
    }
    uint64_t length = jp2_big32(octets + *position);
    box->type = octets + *position + 4;
    if (length == 1) {
        header = LONG_BOX_HEADER;
        if (left < LONG_BOX_HEADER) {
            return JP2_TRUNCATED;
        }
        length = (uint64_t)jp2_big32(octets + *position + 8) << 32 | jp2_big32(octets + *position + 12);
    } else if (length == 0) {
        length = left;
    }
    if (length < header) {
        return JP2_DAMAGED;
    }
    if (length > left) {
        return JP2_TRUNCATED;
    }
    box->content = octets + *position + header;
    box->size = (size_t)length - header;
    *position += (size_t)length;
    return JP2_OK;
}

/// The brand or, behind it and a version, one of those it is compatible with has to be JP2's own (I.5.2).
static int check_type(const struct box *box) {
    if (!is(box, "ftyp") || box->size < 8 || box->size % 4 != 0) {
        return JP2_DAMAGED;
    }
    for (size_t place = 0; place < box->size; place += 4) {
        if (place != 4 && memcmp(box->content + place, "jp2 ", 4) == 0) {
            return JP2_OK;
        }
    }
    return JP2_UNCOMMON;
}

/// What the samples mean (I.5.3): grey or sRGB. A profile is not read, and its colours are taken for sRGB.
static int check_meaning(const struct box *header) {
    size_t position = 0;
    bool has_size = false, has_colours = false;
    while (position < header->size) {
        struct box box;
        int result = next_box(header->content, header->size, &position, &box);
        if (result != JP2_OK) {
            return JP2_DAMAGED;
        }
        if (is(&box, "pclr") || is(&box, "cmap") || is(&box, "cdef")) {
            return JP2_COLOURS;
        }
        has_size = has_size || is(&box, "ihdr");
        // The first one counts.
        if (!is(&box, "colr") || has_colours) {
            continue;
        }
        has_colours = true;
        if (box.size < 3) {
            return JP2_DAMAGED;
        }
        if (box.content[0] == METHOD_ENUMERATED) {
            if (box.size < 7) {
                return JP2_DAMAGED;
            }
            uint32_t space = jp2_big32(box.content + 3);
            if (space != COLOUR_SRGB && space != COLOUR_GREY) {
                return JP2_COLOURS;
            }
        }
    }
    return has_size && has_colours ? JP2_OK : JP2_DAMAGED;
}

static bool all_zeros(const uint8_t *octets, size_t count) {
    for (size_t index = 0; index < count; index++) {
        if (octets[index] != 0) {
            return false;
        }
    }
    return true;
}

int jp2_walk_boxes(const uint8_t *octets, size_t count, struct jp2_header *header) {
    // The signature box, which was looked at already.
    size_t position = 12;
    struct box box;
    int result = next_box(octets, count, &position, &box);
    if (result == JP2_OK) {
        result = check_type(&box);
    }
    bool has_meaning = false;
    while (result == JP2_OK && position < count) {
        // Zeros are padding, and not a box up to the end without a type.
        if (header->stream != 0 && all_zeros(octets + position, count - position)) {
            break;
        }
        result = next_box(octets, count, &position, &box);
        if (result != JP2_OK) {
            return header->stream != 0 ? JP2_DATA_BEHIND_END : result;
        }
        if (is(&box, "jp2h")) {
            result = has_meaning || header->stream != 0 ? JP2_DAMAGED : check_meaning(&box);
            has_meaning = true;
        } else if (is(&box, "jp2c")) {
            if (!has_meaning || header->stream != 0) {
                return JP2_DAMAGED;
            }
            header->stream = (size_t)(box.content - octets);
            header->stream_size = box.size;
        }
    }
    if (result != JP2_OK) {
        return result;
    }
    return header->stream == 0 ? JP2_TRUNCATED : JP2_OK;
}
