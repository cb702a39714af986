#pragma once
#include "embedding.h"
#include "face_plugin.h"

/// The octets of a template: a name of the format, the start of the models' digest, 128 little-endian numbers.
namespace facetemplate {
constexpr size_t length = 8 + 8 + 4 * 128;

/// Throws `Failure`: FMP_E_BAD_ARG where the buffer is too small.
void write(const Embedding &embedding, fmp_buffer &buffer);
/// Throws `Failure`: FMP_E_TEMPLATE for what `write` did not write with these models.
Embedding read(fmp_bytes bytes);
}
