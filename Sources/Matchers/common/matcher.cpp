#include "matcher.h"
#include "template.h"
#include <algorithm>
#include <cmath>

namespace {
/// Writes how long a picture took, however it ended.
struct Elapsed {
    const Limits &limits;
    fmp_frame_info &info;
    const uint64_t start = limits.now();

    ~Elapsed() { info.elapsed_us = uint32_t(std::min<uint64_t>((limits.now() - start) / 1000, UINT32_MAX)); }
};
}

void Matcher::createTemplate(
    const fmp_image *images, uint32_t count, bool isReference, const Limits &limits, fmp_buffer &buffer, fmp_frame_info *infos) {
    Embedding sum;
    uint32_t made = 0;
    for (uint32_t i = 0; i < count; i++) {
        const Elapsed elapsed{limits, infos[i]};
        try {
            const Embedding one = embedding(images[i], isReference, limits, infos[i]);
            std::transform(sum.begin(), sum.end(), one.begin(), sum.begin(), [](float a, float b) { return a + b; });
            made++;
        } catch (const Failure &failure) {
            if (failure.status != FMP_E_NO_FACE) throw;
        }
    }
    if (made == 0) throw Failure{FMP_E_NO_FACE};
    for (float &number : sum) number /= float(made);
    facetemplate::write(sum, buffer);
}

void Matcher::addFlags(fmp_frame_info &info) {
    if (info.faces > 1) info.quality_flags |= FMP_Q_MULTIPLE;
    const float eyes = std::hypot(info.face.eye_r[0] - info.face.eye_l[0], info.face.eye_r[1] - info.face.eye_l[1]);
    if (eyes < float(identity.leastEyeDistance)) info.quality_flags |= FMP_Q_SMALL;
}
