#include "face.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace {
constexpr double degrees = 180 / 3.14159265358979323846;

/// How far the head is turned, from how far the tip of the nose lies beside the middle of the eyes. It lies about 0.6 of the distance
/// between the eyes before them. Rough: a few degrees off near zero, and more for a nose that is not in the middle.
double yaw(Point left, Point right, Point nose) {
    constexpr double depth = 0.6;
    const Point line{right.x - left.x, right.y - left.y}, beside{nose.x - (left.x + right.x) / 2, nose.y - (left.y + right.y) / 2};
    const double squared = line.x * line.x + line.y * line.y;
    return std::atan((beside.x * line.x + beside.y * line.y) / squared / depth) * degrees;
}
}

FoundFace FoundFace::scaled(double across, double down) const {
    FoundFace face{x * across, y * down, width * across, height * down, score, {}};
    for (int i = 0; i < 5; i++) face.points[i] = {points[i].x * across, points[i].y * down};
    return face;
}

fmp_face described(const FoundFace &found, const fmp_image &image) {
    fmp_face face{};
    const double left = std::clamp(found.x, 0.0, double(image.width)), top = std::clamp(found.y, 0.0, double(image.height));
    face.x = float(left);
    face.y = float(top);
    face.w = float(std::clamp(found.x + found.width, left, double(image.width)) - left);
    face.h = float(std::clamp(found.y + found.height, top, double(image.height)) - top);
    face.confidence = float(found.score);
    face.yaw = face.pitch = face.roll = std::numeric_limits<float>::quiet_NaN();

    Point leftEye = found.points[0], rightEye = found.points[1];
    if (rightEye.x < leftEye.x) std::swap(leftEye, rightEye);
    face.eye_l[0] = float(leftEye.x);
    face.eye_l[1] = float(leftEye.y);
    face.eye_r[0] = float(rightEye.x);
    face.eye_r[1] = float(rightEye.y);
    if (rightEye.x - leftEye.x > 0) {
        face.roll = float(std::atan2(rightEye.y - leftEye.y, rightEye.x - leftEye.x) * degrees);
        face.yaw = float(yaw(leftEye, rightEye, found.points[2]));
    }
    return face;
}

float secondArea(const std::vector<FoundFace> &faces) { return faces.size() < 2 ? 0 : float(faces[1].area() / faces[0].area()); }
