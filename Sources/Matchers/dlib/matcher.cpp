#include "matcher.h"
#include "template.h"
#include <algorithm>
#include <cmath>
#include <limits>

Matcher::Matcher(const fmp_host &host, const Models &models) : host(host), finder(models.points), embedder(models.network) {
    // The first use takes memory that stays: now, while there is somebody to be told that there is none.
    embedder.embedding(dlib::uniform_matrix<dlib::rgb_pixel>(chipSide, chipSide, dlib::rgb_pixel(0, 0, 0)));
}

Embedding Matcher::embedding(const fmp_image &image, bool isReference, const Limits &limits, fmp_frame_info &info) {
    const uint64_t start = limits.now();
    struct Elapsed {
        const Limits &limits;
        uint64_t start;
        fmp_frame_info &info;
        ~Elapsed() { info.elapsed_us = uint32_t(std::min<uint64_t>((limits.now() - start) / 1000, UINT32_MAX)); }
    } elapsed{limits, start, info};

    const Finding finding = finder.find(Picture(image), isReference, limits);
    info.faces = uint32_t(finding.faces.size());
    if (finding.faces.empty()) throw Failure{FMP_E_NO_FACE};
    info.face = described(finding.faces[0], finding.points, finding.scale, image);
    info.second_area = secondArea(finding.faces);
    if (finding.faces.size() > 1) info.quality_flags |= FMP_Q_MULTIPLE;
    const float eyes = std::hypot(info.face.eye_r[0] - info.face.eye_l[0], info.face.eye_r[1] - info.face.eye_l[1]);
    if (eyes < float(leastEyeDistance)) info.quality_flags |= FMP_Q_SMALL;
    limits.check();
    return embedder.embedding(finding.chip);
}

void Matcher::createTemplate(
    const fmp_image *images, uint32_t count, uint32_t role, uint64_t deadline, fmp_buffer &buffer, fmp_frame_info *infos) {
    const Limits limits{host, deadline};
    Embedding sum;
    uint32_t made = 0;
    for (uint32_t i = 0; i < count; i++) {
        try {
            const Embedding one = embedding(images[i], role == FMP_ROLE_REFERENCE, limits, infos[i]);
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

double similarity(const Embedding &one, const Embedding &other) {
    double squares = 0;
    for (size_t i = 0; i < one.size(); i++) {
        const double difference = double(one[i]) - double(other[i]);
        squares += difference * difference;
    }
    return std::clamp(1 - std::sqrt(squares) / 2, 0.0, 1.0);
}
