#pragma once
#include "embedder.h"
#include "finder.h"
#include "models.h"

/// Pixels between the eyes of a reference that can be relied on.
constexpr uint32_t leastEyeDistance = 30;

/// One open plug-in: its models, and the three calls made with them. Throws `Failure`, dlib's errors and those of memory.
class Matcher {
public:
    Matcher(const fmp_host &host, const Models &models);

    /// The mean of the largest faces of n pictures, of those that show one.
    void createTemplate(const fmp_image *images, uint32_t count, uint32_t role, uint64_t deadline, fmp_buffer &buffer, fmp_frame_info *infos);

private:
    Embedding embedding(const fmp_image &image, bool isReference, const Limits &limits, fmp_frame_info &info);

    fmp_host host;
    Finder finder;
    Embedder embedder;
};

/// 1 less half the distance of the two vectors, 0 to 1: a distance of 0.5 is 0.75.
double similarity(const Embedding &one, const Embedding &other);
