#include "dlibmatcher.h"
#include <algorithm>
#include <cmath>
#include <dlib/revision.h>

#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)

const Identity Matcher::identity = {
    "dlib-resnet-v1",
    "1.0-dlib" TEXT(DLIB_MAJOR_VERSION) "." TEXT(DLIB_MINOR_VERSION) "." TEXT(DLIB_PATCH_VERSION),
    "Gatehouse; dlib and its models by Davis E. King",
    "code: Boost; models: CC0",
    "HOG frontal detector, 5 points, residual network of 29 layers, 128 numbers",
    modelDigest,
    "dlibrn1",
    30,
};

std::unique_ptr<Matcher> Matcher::open(const fmp_host &host, const std::string &folder) {
    return std::make_unique<DlibMatcher>(Models(folder), host.eye_distance);
}

/// 1 less half the distance of the two vectors: a distance of 0.5 is 0.75.
double Matcher::similarity(const Embedding &one, const Embedding &other) {
    double squares = 0;
    for (size_t i = 0; i < one.size(); i++) {
        const double difference = double(one[i]) - double(other[i]);
        squares += difference * difference;
    }
    return std::clamp(1 - std::sqrt(squares) / 2, 0.0, 1.0);
}

DlibMatcher::DlibMatcher(const Models &models, double eyeDistance) : finder(models.points, eyeDistance), embedder(models.network) {
    // The first use takes memory that stays: now, while there is somebody to be told that there is none.
    embedder.embedding(dlib::uniform_matrix<dlib::rgb_pixel>(chipSide, chipSide, dlib::rgb_pixel(0, 0, 0)));
}

Embedding DlibMatcher::embedding(const fmp_image &image, bool isReference, const Limits &limits, fmp_frame_info &info) {
    const Picture picture(image);
    const Finding finding = isReference ? finder.reference(picture, limits) : finder.probe(picture, image.capture_ns, limits);
    info.faces = uint32_t(finding.faces.size());
    if (finding.faces.empty()) throw Failure{FMP_E_NO_FACE};
    info.face = described(finding.faces[0], finding.points, finding.scale, image);
    info.second_area = secondArea(finding.faces);
    addFlags(info);
    if (!isReference) limits.checkWanted(info);
    limits.check();
    return embedder.embedding(finding.chip);
}
