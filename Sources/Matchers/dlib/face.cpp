#include "face.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace {
constexpr double degrees = 180 / 3.14159265358979323846;

/// The middle between two of the five points.
dlib::dpoint middle(const dlib::full_object_detection &points, unsigned long first, unsigned long second) {
    return (dlib::dpoint(points.part(first)) + dlib::dpoint(points.part(second))) / 2;
}

/// How far the head is turned, from how far the foot of the nose lies beside the middle of the eyes. It lies about 0.4 of the distance
/// between the eyes before them. Rough: a few degrees off near zero, and more for a nose that is not in the middle.
double yaw(dlib::dpoint left, dlib::dpoint right, dlib::dpoint nose) {
    constexpr double depth = 0.4;
    const dlib::dpoint line = right - left, beside = nose - (left + right) / 2;
    return std::atan(beside.dot(line) / line.length_squared() / depth) * degrees;
}
}

fmp_face described(const FoundFace &found, const dlib::full_object_detection &points, double scale, const fmp_image &image) {
    fmp_face face{};
    const double left = std::clamp(found.box.left() * scale, 0.0, double(image.width));
    const double top = std::clamp(found.box.top() * scale, 0.0, double(image.height));
    face.x = float(left);
    face.y = float(top);
    face.w = float(std::clamp((found.box.right() + 1) * scale, left, double(image.width)) - left);
    face.h = float(std::clamp((found.box.bottom() + 1) * scale, top, double(image.height)) - top);
    face.confidence = float(found.confidence);
    face.yaw = face.pitch = face.roll = std::numeric_limits<float>::quiet_NaN();

    // 0 and 1 are the corners of the eye on the right of the picture, 2 and 3 of that on the left, 4 is the foot of the nose.
    dlib::dpoint leftEye = middle(points, 2, 3), rightEye = middle(points, 0, 1);
    if (rightEye.x() < leftEye.x()) std::swap(leftEye, rightEye);
    face.eye_l[0] = float(leftEye.x() * scale);
    face.eye_l[1] = float(leftEye.y() * scale);
    face.eye_r[0] = float(rightEye.x() * scale);
    face.eye_r[1] = float(rightEye.y() * scale);
    const dlib::dpoint line = rightEye - leftEye;
    if (line.length_squared() > 0) {
        face.roll = float(std::atan2(line.y(), line.x()) * degrees);
        face.yaw = float(yaw(leftEye, rightEye, dlib::dpoint(points.part(4))));
    }
    return face;
}

float secondArea(const std::vector<FoundFace> &faces) {
    return faces.size() < 2 ? 0 : float(double(faces[1].box.area()) / double(faces[0].box.area()));
}
