#include "template.h"
#include "failure.h"
#include "matcher.h"
#include <cmath>
#include <cstring>

void facetemplate::write(const Embedding &embedding, fmp_buffer &buffer) {
    if (buffer.data == nullptr || buffer.cap < length) throw Failure{FMP_E_BAD_ARG};
    std::memcpy(buffer.data, Matcher::identity.templateName, 8);
    std::memcpy(buffer.data + 8, Matcher::identity.modelDigest, 8);
    std::memcpy(buffer.data + 16, embedding.data(), 4 * embedding.size());
    buffer.len = length;
}

Embedding facetemplate::read(fmp_bytes bytes) {
    if (bytes.data == nullptr || bytes.len != length) throw Failure{FMP_E_TEMPLATE};
    if (std::memcmp(bytes.data, Matcher::identity.templateName, 8) != 0) throw Failure{FMP_E_TEMPLATE};
    if (std::memcmp(bytes.data + 8, Matcher::identity.modelDigest, 8) != 0) throw Failure{FMP_E_TEMPLATE};
    Embedding embedding;
    std::memcpy(embedding.data(), bytes.data + 16, 4 * embedding.size());
    // A matcher's vectors are about one long; what is far from that was not made by it.
    double squares = 0;
    for (float number : embedding) squares += double(number) * number;
    if (!(squares > 0.01 && squares < 100)) throw Failure{FMP_E_TEMPLATE};
    return embedding;
}
