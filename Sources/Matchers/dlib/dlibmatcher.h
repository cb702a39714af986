#pragma once
#include "embedder.h"
#include "finder.h"
#include "matcher.h"
#include "models.h"

/// dlib's detector, points and network.
class DlibMatcher : public Matcher {
public:
    /// `eyeDistance`: pixels between the eyes of the smallest face of a probe that has to be found; 0 where every face has to be.
    DlibMatcher(const Models &models, double eyeDistance);

protected:
    Embedding embedding(const fmp_image &image, bool isReference, const Limits &limits, fmp_frame_info &info) override;

private:
    Finder finder;
    Embedder embedder;
};
