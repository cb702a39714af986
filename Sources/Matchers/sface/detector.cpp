#include "detector.h"
#include "resampling.h"
#include "wire.h"
#include <algorithm>
#include <cmath>

namespace {
/// One anchor for each 8 x 8, 16 x 16 and 32 x 32 pixels. Sides are multiples of the last.
constexpr size_t strides[] = {8, 16, 32};
/// OpenCV's are 0.9 and 0.3; from 0.6 on small and dark faces are found as well.
constexpr double leastScore = 0.6, mostOverlap = 0.3;
/// The best so many are compared with each other, as in OpenCV.
constexpr size_t mostCandidates = 5000;
/// A box as wide or high as this is none: its scale would soon be no number.
constexpr double longestSide = 1e6;

size_t padded(size_t side) { return (side + 31) / 32 * 32; }

/// Area of both in areas of either.
double overlap(const FoundFace &a, const FoundFace &b) {
    const double width = std::min(a.x + a.width, b.x + b.width) - std::max(a.x, b.x);
    const double height = std::min(a.y + a.height, b.y + b.height) - std::max(a.y, b.y);
    if (width <= 0 || height <= 0) return 0;
    return width * height / (a.area() + b.area() - width * height);
}

/// Of several boxes around one face the one with the best score.
std::vector<FoundFace> suppressed(std::vector<FoundFace> faces) {
    std::stable_sort(faces.begin(), faces.end(), [](const FoundFace &a, const FoundFace &b) { return a.score > b.score; });
    if (faces.size() > mostCandidates) faces.resize(mostCandidates);
    std::vector<FoundFace> kept;
    for (const FoundFace &face : faces) {
        const auto isSame = [&](const FoundFace &other) { return overlap(face, other) > mostOverlap; };
        if (std::none_of(kept.begin(), kept.end(), isSame)) kept.push_back(face);
    }
    return kept;
}

/// A score of a network's is 0 to 1 whatever it says; none is 0.
double score(float number) { return number > 0 ? std::min(double(number), 1.0) : 0; }
}

Detector::Detector(Network read) : network(std::move(read)) {
    network.reserve(largestHeight, largestWidth);
    network.picture(strides[2], strides[2]);
    for (size_t stride : strides) {
        const struct {
            const char *name;
            size_t channels;
        } results[] = {{"cls_", 1}, {"obj_", 1}, {"bbox_", 4}, {"kps_", 10}};
        for (const auto &result : results) {
            const auto found = network.outputs.find(result.name + std::to_string(stride));
            require(found != network.outputs.end());
            const Result made = network.result(found->first);
            require(made.channels == result.channels && made.height == strides[2] / stride && made.width == strides[2] / stride);
        }
    }
}

void Detector::collect(size_t stride, std::vector<FoundFace> &faces) const {
    const auto name = std::to_string(stride);
    const Result classes = network.result("cls_" + name), objects = network.result("obj_" + name);
    const Result boxes = network.result("bbox_" + name), points = network.result("kps_" + name);
    for (size_t row = 0; row < classes.height; row++)
        for (size_t column = 0; column < classes.width; column++) {
            const size_t anchor = row * classes.width + column;
            const double both = std::sqrt(score(classes.numbers[anchor * classes.pitch]) * score(objects.numbers[anchor * objects.pitch]));
            if (both < leastScore) continue;
            const float *box = boxes.numbers + anchor * boxes.pitch, *point = points.numbers + anchor * points.pitch;
            const double unit = double(stride), across = double(column), down = double(row);
            FoundFace face{};
            face.width = std::exp(double(box[2])) * unit;
            face.height = std::exp(double(box[3])) * unit;
            face.x = (across + double(box[0])) * unit - face.width / 2;
            face.y = (down + double(box[1])) * unit - face.height / 2;
            face.score = both;
            bool isFinite = std::isfinite(face.x) && std::isfinite(face.y) && face.width < longestSide && face.height < longestSide;
            for (size_t i = 0; i < 5; i++) {
                face.points[i] = {(across + double(point[2 * i])) * unit, (down + double(point[2 * i + 1])) * unit};
                isFinite = isFinite && std::isfinite(face.points[i].x) && std::isfinite(face.points[i].y);
            }
            if (isFinite && face.area() > 0) faces.push_back(face);
        }
}

std::vector<FoundFace> Detector::faces(const Picture &picture, size_t width, size_t height, const Limits &limits) {
    struct Forgetting {
        Network &network;
        ~Forgetting() { network.forget(); }
    } forgetting{network};
    const size_t pitch = padded(width), rows = padded(height);
    float *pixels = network.picture(rows, pitch);
    // What is beyond the picture is black.
    std::fill_n(pixels, rows * pitch * 4, 0.0f);
    Resampling(picture, width, height).write(pixels, pitch, limits);
    network.run(limits);
    std::vector<FoundFace> faces;
    for (size_t stride : strides) collect(stride, faces);
    limits.check();
    faces = suppressed(std::move(faces));
    const double across = double(picture.width) / double(width), down = double(picture.height) / double(height);
    for (auto &face : faces) face = face.scaled(across, down);
    std::stable_sort(faces.begin(), faces.end(), [](const FoundFace &a, const FoundFace &b) { return a.area() > b.area(); });
    return faces;
}
