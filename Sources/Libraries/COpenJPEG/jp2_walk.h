#pragma once

#include "jp2_decoding.h"

/// Finds the code stream of a JP2 file (annex I): `header->stream` and `header->stream_size`.
int jp2_walk_boxes(const uint8_t *octets, size_t count, struct jp2_header *header);

/// Walks a code stream (annex A) from SOC to EOC and fills the rest of the header.
int jp2_walk_stream(const uint8_t *octets, size_t count, const struct jp2_limits *limits, struct jp2_header *header);

static inline uint32_t jp2_big16(const uint8_t *octets) { return (uint32_t)octets[0] << 8 | octets[1]; }

static inline uint32_t jp2_big32(const uint8_t *octets) { return jp2_big16(octets) << 16 | jp2_big16(octets + 2); }
