#include "sfacematcher.h"
#include "closeup.h"
#include <algorithm>
#include <cmath>
#include <vector>

const Identity Matcher::identity = {
    "sface-2021dec",
    "1.0",
    "Gatehouse; YuNet by Shiqi Yu, SFace by Yaoyao Zhong, files of OpenCV's model zoo",
    "code: Apache-2.0; models: MIT, Apache-2.0",
    "YuNet 2023mar at 320 wide and once more at the face, 5 points, SFace 2021dec, 128 numbers",
    modelDigest,
    "sface21",
    20,
};

std::unique_ptr<Matcher> Matcher::open(const fmp_host &, const std::string &folder) {
    return std::make_unique<SFaceMatcher>(Models(folder));
}

/// Half of 1 and the cosine of the two vectors: a cosine of 0.5 is 0.75. A mean of several is shorter than 1.
double Matcher::similarity(const Embedding &one, const Embedding &other) {
    double product = 0, ones = 0, others = 0;
    for (size_t i = 0; i < one.size(); i++) {
        product += double(one[i]) * double(other[i]);
        ones += double(one[i]) * double(one[i]);
        others += double(other[i]) * double(other[i]);
    }
    return std::clamp((1 + product / std::sqrt(ones * others)) / 2, 0.0, 1.0);
}

namespace {
/// For what is done before there is a host: no deadline.
constexpr fmp_host nobody{sizeof(fmp_host), nullptr, nullptr, nullptr, [](void *) -> uint64_t { return 0; }, 0, nullptr};

/// A size at which the picture is searched: its shape is kept, unless it is too long and thin to show a face.
struct Size {
    size_t width, height;

    Size(const Picture &picture, size_t widest, double most) {
        const size_t highest = std::min(widest * 3 / 2, Detector::largestHeight);
        const double factor = std::min({most, double(widest) / double(picture.width), double(highest) / double(picture.height)});
        width = std::clamp<size_t>(size_t(std::lround(double(picture.width) * factor)), 1, widest);
        height = std::clamp<size_t>(size_t(std::lround(double(picture.height) * factor)), 1, highest);
    }
};
}

SFaceMatcher::SFaceMatcher(Models models) : detector(std::move(models.detector)), embedder(std::move(models.embedder)) {
    // The first multiplication takes memory that stays: now, while there is somebody to be told that there is none.
    const std::vector<uint8_t> grey(3 * alignedSide * alignedSide, 128);
    const Picture picture(packed(grey, alignedSide, alignedSide));
    detector.faces(picture, alignedSide, alignedSide, Limits{nobody, UINT64_MAX});
    const Point somewhere[5] = {{38, 52}, {74, 52}, {56, 72}, {42, 92}, {70, 92}};
    embedder.embedding(picture, somewhere, Limits{nobody, UINT64_MAX});
}

std::vector<FoundFace> SFaceMatcher::faces(const Picture &picture, bool isReference, const Limits &limits) {
    constexpr size_t usual = 320, wide = Detector::largestWidth;
    limits.check();
    const Size first(picture, usual, 1);
    auto found = detector.faces(picture, first.width, first.height, limits);
    size_t searched = first.width;
    for (const Size &size : {Size(picture, wide, 1), Size(picture, wide, 2)}) {
        if (!isReference || !found.empty() || size.width <= searched) continue;
        found = detector.faces(picture, size.width, size.height, limits);
        searched = size.width;
    }
    return found;
}

FoundFace SFaceMatcher::lookedAtAgain(const Picture &picture, const FoundFace &face, const Limits &limits) {
    // Once for every face; again while the eyes are not level. More looks than three found nothing more.
    constexpr int most = 3;
    constexpr double level = 4;
    FoundFace best = face;
    double turned = 2 * level;
    for (int look = 0; look < most && std::abs(turned) >= level; look++) {
        limits.check();
        const CloseUp closeUp(picture, best);
        const auto found = detector.faces(Picture(closeUp.image()), CloseUp::side, CloseUp::side, limits);
        const FoundFace *same = CloseUp::inMiddle(found);
        if (same == nullptr) break;
        turned = roll(*same);
        best = closeUp.original(*same, face);
    }
    return best;
}

Embedding SFaceMatcher::embedding(const fmp_image &image, bool isReference, const Limits &limits, fmp_frame_info &info) {
    const Picture picture(image);
    const auto found = faces(picture, isReference, limits);
    info.faces = uint32_t(found.size());
    if (found.empty()) throw Failure{FMP_E_NO_FACE};
    const FoundFace face = lookedAtAgain(picture, found[0], limits);
    info.face = described(face, image);
    info.second_area = secondArea(found);
    addFlags(info);
    if (!isReference) limits.checkWanted(info);
    limits.check();
    return embedder.embedding(picture, face.points, limits);
}
