#pragma once
#include "alignment.h"
#include <vector>

/// A face once more, upright as its eyes say and at one size: the detector's points follow a head that leans by a part only, and of a small
/// face they are coarse.
class CloseUp {
public:
    static constexpr size_t side = 160;

    CloseUp(const Picture &picture, const FoundFace &face);

    fmp_image image() const;
    /// Of the faces found in a close-up the one that is looked at: it lies in the middle, whoever stands beside it. Null where none does.
    static const FoundFace *inMiddle(const std::vector<FoundFace> &found);
    /// A face of the close-up in pixels of the picture. The box stays what it was.
    FoundFace original(const FoundFace &found, const FoundFace &before) const;

private:
    Similarity placing;
    std::vector<uint8_t> octets;
};

/// By how much the line between the eyes is turned, in degrees.
double roll(const FoundFace &face);
