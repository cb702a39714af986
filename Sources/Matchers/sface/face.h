#pragma once
#include "face_plugin.h"
#include <vector>

struct Point {
    double x, y;
};

/// A face found in a picture, in pixels of that picture.
struct FoundFace {
    double x, y, width, height, score;
    /// As YuNet has them: the eye on the left of the picture, that on the right, the tip of the nose, the corners of the mouth.
    Point points[5];

    double area() const { return width * height; }
    /// The same in a picture that is larger.
    FoundFace scaled(double across, double down) const;
};

/// What the header says of a face: box, eyes, angles.
fmp_face described(const FoundFace &face, const fmp_image &image);

/// Area of the second largest in areas of the largest; 0 where there is none. `faces` begins with the largest.
float secondArea(const std::vector<FoundFace> &faces);
