#include "closeup.h"
#include <algorithm>
#include <cmath>

namespace {
constexpr double radians = 3.14159265358979323846 / 180;
/// The width of the face's box in the close-up: enough around it that one that leans lies within.
constexpr double boxWidth = 72;
/// YuNet's points follow a lean by a part: what they say is a third too little where it is much.
constexpr double much = 10, more = 1.5;

Similarity upright(const FoundFace &face) {
    const double scale = boxWidth / std::max(face.width, 1.0), turned = roll(face);
    const double angle = -(std::abs(turned) > much ? more * turned : turned) * radians;
    return {scale * std::cos(angle), scale * std::sin(angle), {face.x + face.width / 2, face.y + face.height / 2},
            {double(CloseUp::side) / 2, double(CloseUp::side) / 2}};
}
}

double roll(const FoundFace &face) {
    return std::atan2(face.points[1].y - face.points[0].y, face.points[1].x - face.points[0].x) / radians;
}

CloseUp::CloseUp(const Picture &picture, const FoundFace &face) : placing(upright(face)), octets(3 * side * side) {
    std::vector<float> pixels(4 * side * side);
    place(picture, placing, side, pixels.data());
    for (size_t i = 0; i < side * side; i++)
        for (size_t colour = 0; colour < 3; colour++) octets[3 * i + colour] = uint8_t(pixels[4 * i + colour]);
}

fmp_image CloseUp::image() const { return packed(octets, side, side); }

const FoundFace *CloseUp::inMiddle(const std::vector<FoundFace> &found) {
    constexpr double middle = double(side) / 2;
    for (const FoundFace &face : found) {
        const bool isAcross = face.x < middle && middle < face.x + face.width;
        if (isAcross && face.y < middle && middle < face.y + face.height) return &face;
    }
    return nullptr;
}

FoundFace CloseUp::original(const FoundFace &found, const FoundFace &before) const {
    FoundFace face = before;
    for (int i = 0; i < 5; i++) face.points[i] = placing.inverse(found.points[i]);
    return face;
}
