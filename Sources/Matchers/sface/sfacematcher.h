#pragma once
#include "detector.h"
#include "embedder.h"
#include "matcher.h"
#include "models.h"

/// YuNet finds, SFace compares.
class SFaceMatcher : public Matcher {
public:
    explicit SFaceMatcher(Models models);

    /// A frame is searched at 320 pixels' width; a reference at 320, at 640 and at twice its size, until a face is found.
    std::vector<FoundFace> faces(const Picture &picture, bool isReference, const Limits &limits);

    /// A face with the points of a close-up, or with its own where it is not found in there.
    FoundFace lookedAtAgain(const Picture &picture, const FoundFace &face, const Limits &limits);

protected:
    Embedding embedding(const fmp_image &image, bool isReference, const Limits &limits, fmp_frame_info &info) override;

private:
    Detector detector;
    Embedder embedder;
};
