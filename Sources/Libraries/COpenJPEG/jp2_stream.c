#include "jp2_walk.h"

#include <string.h>

enum {
    SOC = 0xFF4F, SIZ = 0xFF51, COD = 0xFF52, COC = 0xFF53, TLM = 0xFF55, PLM = 0xFF57, PLT = 0xFF58, QCD = 0xFF5C, QCC = 0xFF5D,
    RGN = 0xFF5E, POC = 0xFF5F, CRG = 0xFF63, COM = 0xFF64, SOT = 0xFF90, SOD = 0xFF93, EOC = 0xFFD9,
};

/// OpenJPEG has some 6 kB for each tile, some 600 octets for each code-block, and a pass over all precincts for each layer.
enum { MOST_TILES = 1024, MOST_LEVELS = 10, MOST_BLOCKS = 1 << 16, MOST_LAYERS = 128 };

struct walk {
    const uint8_t *octets;
    size_t count;
    size_t position;
    struct jp2_header *header;
    bool has_styles;
    bool has_quantization;
    uint8_t tile_seen[MOST_TILES / 8];
};

/// The image and tile size (A.5.1). `segment` begins behind the length.
static int read_size(const uint8_t *segment, size_t size, const struct jp2_limits *limits, struct jp2_header *header) {
    if (size < 36 + 3 || size != 36 + 3 * (size_t)jp2_big16(segment + 34)) {
        return JP2_DAMAGED;
    }
    header->width = jp2_big32(segment + 2);
    header->height = jp2_big32(segment + 6);
    header->components = jp2_big16(segment + 34);
    uint32_t tile_width = jp2_big32(segment + 18), tile_height = jp2_big32(segment + 22);
    if (header->width == 0 || header->height == 0) {
        return JP2_NO_PIXELS;
    }
    if (header->width > limits->side || header->height > limits->side || (uint64_t)header->width * header->height > limits->pixels) {
        return JP2_TOO_MANY_PIXELS;
    }
    // Capabilities of part 1 alone (bit 14 is part 15's, bit 15 part 2's), and neither picture nor tiles away from the origin.
    if (jp2_big16(segment) & 0xC000 || jp2_big32(segment + 10) | jp2_big32(segment + 14) | jp2_big32(segment + 26) | jp2_big32(segment + 30)) {
        return JP2_UNCOMMON;
    }
    if (header->components != 1 && header->components != 3) {
        return JP2_COLOURS;
    }
    for (uint32_t component = 0; component < header->components; component++) {
        const uint8_t *one = segment + 36 + 3 * component;
        if (one[0] != 7) {
            return JP2_PRECISION;
        }
        if (one[1] != 1 || one[2] != 1) {
            return JP2_COLOURS;
        }
    }
    if (tile_width == 0 || tile_height == 0) {
        return JP2_DAMAGED;
    }
    uint64_t across = ((uint64_t)header->width + tile_width - 1) / tile_width, down = ((uint64_t)header->height + tile_height - 1) / tile_height;
    if (across * down > MOST_TILES || (uint64_t)header->width * header->height * header->components * 4 > limits->memory) {
        return JP2_TOO_MUCH_MEMORY;
    }
    header->tiles = (uint32_t)(across * down);
    header->tile_width = tile_width < header->width ? tile_width : header->width;
    header->tile_height = tile_height < header->height ? tile_height : header->height;
    return JP2_OK;
}

/// The code-blocks that one component of one tile has at a resolution, or a few more: one band at the lowest, three at another, whose
/// blocks are no larger than its precincts (B.7).
static uint64_t count_blocks(const uint8_t *style, uint8_t precinct, uint32_t resolution, const struct jp2_header *header) {
    uint32_t levels = style[0], halved = resolution == 0 ? 0 : 1, shift = levels - resolution + halved;
    uint32_t across = precinct & 0x0F, down = precinct >> 4;
    across = across > halved ? across - halved : 0;
    down = down > halved ? down - halved : 0;
    across = across < style[1] + 2u ? across : style[1] + 2u;
    down = down < style[2] + 2u ? down : style[2] + 2u;
    // A band is a part of its tile, and may begin and end within a block.
    uint64_t wide = ((header->tile_width >> shift) >> across) + 2, high = ((header->tile_height >> shift) >> down) + 2;
    return wide * high * (halved != 0 ? 3 : 1);
}

/// The coding style of components (A.6.1 and A.6.2) from the number of decompositions on.
static int read_style(const uint8_t *style, size_t size, bool has_precincts, struct jp2_header *header) {
    if (size < 5 || style[1] > 8 || style[2] > 8 || style[1] + style[2] > 8) {
        return JP2_DAMAGED;
    }
    uint32_t levels = style[0];
    if (size != 5 + (has_precincts ? (size_t)levels + 1 : 0)) {
        return JP2_DAMAGED;
    }
    // Bits above the sixth are part 15's.
    if (levels > MOST_LEVELS || style[3] & 0xC0) {
        return JP2_UNCOMMON;
    }
    uint64_t blocks = 0;
    for (uint32_t resolution = 0; resolution <= levels; resolution++) {
        blocks += count_blocks(style, has_precincts ? style[5 + resolution] : 0xFF, resolution, header);
    }
    if (blocks * header->tiles * header->components > MOST_BLOCKS) {
        return JP2_TOO_MUCH_MEMORY;
    }
    header->levels = levels < header->levels ? levels : header->levels;
    return JP2_OK;
}

/// One marker segment of the main header or of a tile-part's. What is on no list is refused: packed packet headers (PPM, PPT), and
/// everything of the standard's other parts.
static int read_segment(struct walk *walk, uint32_t marker, const uint8_t *segment, size_t size, bool in_tile) {
    switch (marker) {
    case COD:
        if (size < 10) {
            return JP2_DAMAGED;
        }
        walk->has_styles = true;
        if (jp2_big16(segment + 2) == 0) {
            return JP2_DAMAGED;
        }
        if (jp2_big16(segment + 2) > MOST_LAYERS) {
            return JP2_TOO_MUCH_MEMORY;
        }
        return read_style(segment + 5, size - 5, segment[0] & 1, walk->header);
    case COC:
        return size < 7 || segment[0] >= walk->header->components ? JP2_DAMAGED
                                                                  : read_style(segment + 2, size - 2, segment[1] & 1, walk->header);
    case QCD: walk->has_quantization = true; return JP2_OK;
    case QCC:
    case RGN:
    case POC:
    case COM: return JP2_OK;
    case PLT: return in_tile ? JP2_OK : JP2_DAMAGED;
    case TLM:
    case PLM:
    case CRG: return in_tile ? JP2_DAMAGED : JP2_OK;
    default: return JP2_UNCOMMON;
    }
}

/// Segments up to the marker that ends them, which is left where it is.
static int read_segments(struct walk *walk, size_t end, uint32_t last, uint32_t other, bool in_tile) {
    for (;;) {
        if (end - walk->position < 2) {
            return JP2_TRUNCATED;
        }
        uint32_t marker = jp2_big16(walk->octets + walk->position);
        if (marker == last || marker == other) {
            return JP2_OK;
        }
        if (marker < 0xFF00) {
            return JP2_DAMAGED;
        }
        if (end - walk->position < 4) {
            return JP2_TRUNCATED;
        }
        size_t size = jp2_big16(walk->octets + walk->position + 2);
        if (size < 2) {
            return JP2_DAMAGED;
        }
        if (end - walk->position - 2 < size) {
            return JP2_TRUNCATED;
        }
        int result = read_segment(walk, marker, walk->octets + walk->position + 4, size - 2, in_tile);
        if (result != JP2_OK) {
            return result;
        }
        walk->position += 2 + size;
    }
}

/// A tile-part (A.4.2): its length may be 0 in the last one, and means up to EOC then.
static int read_tile_part(struct walk *walk) {
    enum { SOT_SIZE = 12 };
    size_t begin = walk->position;
    if (walk->count - begin < SOT_SIZE) {
        return JP2_TRUNCATED;
    }
    const uint8_t *start = walk->octets + begin;
    uint32_t tile = jp2_big16(start + 4);
    uint64_t size = jp2_big32(start + 6);
    if (jp2_big16(start + 2) != 10 || tile >= walk->header->tiles) {
        return JP2_DAMAGED;
    }
    if (size == 0) {
        if (walk->count - begin < SOT_SIZE + 2) {
            return JP2_TRUNCATED;
        }
        size = walk->count - 2 - begin;
    }
    if (size > walk->count - begin) {
        return JP2_TRUNCATED;
    }
    size_t end = begin + (size_t)size;
    if (size < SOT_SIZE + 2) {
        return JP2_DAMAGED;
    }
    walk->position += SOT_SIZE;
    int result = read_segments(walk, end, SOD, SOD, true);
    if (result != JP2_OK) {
        return result == JP2_TRUNCATED ? JP2_DAMAGED : result;
    }
    walk->tile_seen[tile / 8] |= (uint8_t)(1 << tile % 8);
    walk->position = end;
    return JP2_OK;
}

int jp2_walk_stream(const uint8_t *octets, size_t count, const struct jp2_limits *limits, struct jp2_header *header) {
    struct walk walk = {.octets = octets, .count = count, .position = 6, .header = header};
    if (count < 6 || jp2_big16(octets) != SOC || jp2_big16(octets + 2) != SIZ) {
        return count < 4 ? JP2_TRUNCATED : JP2_DAMAGED;
    }
    size_t size = jp2_big16(octets + 4);
    if (size < 2) {
        return JP2_DAMAGED;
    }
    if (size - 2 > count - walk.position) {
        return JP2_TRUNCATED;
    }
    int result = read_size(octets + walk.position, size - 2, limits, header);
    header->levels = MOST_LEVELS;
    walk.position += size - 2;
    if (result == JP2_OK) {
        result = read_segments(&walk, count, SOT, EOC, false);
    }
    if (result == JP2_OK && (!walk.has_styles || !walk.has_quantization)) {
        result = JP2_DAMAGED;
    }
    while (result == JP2_OK && count - walk.position >= 2 && jp2_big16(octets + walk.position) == SOT) {
        result = read_tile_part(&walk);
    }
    if (result != JP2_OK) {
        return result;
    }
    if (count - walk.position < 2 || jp2_big16(octets + walk.position) != EOC) {
        return JP2_NO_END;
    }
    if (count - walk.position != 2) {
        return JP2_DATA_BEHIND_END;
    }
    // OpenJPEG would leave a tile black that never came.
    for (uint32_t tile = 0; tile < header->tiles; tile++) {
        if ((walk.tile_seen[tile / 8] & 1 << tile % 8) == 0) {
            return JP2_TRUNCATED;
        }
    }
    return JP2_OK;
}
