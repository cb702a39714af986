#pragma once
#include "pixels.h"
#include <dlib/image_processing/full_object_detection.h>
#include <vector>

/// A face found in a picture, in pixels of that picture.
struct FoundFace {
    dlib::rectangle box;
    double confidence;
};

/// What the header says of a face: box, eyes, angles. `scale` is the width of the host's picture in widths of the one that was searched.
fmp_face described(const FoundFace &face, const dlib::full_object_detection &points, double scale, const fmp_image &image);

/// Area of the second largest in areas of the largest; 0 where there is none. `faces` begins with the largest.
float secondArea(const std::vector<FoundFace> &faces);
