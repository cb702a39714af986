#include "alignment.h"
#include "failure.h"
#include <algorithm>
#include <cmath>

namespace {
/// Where the eyes, the nose and the corners of the mouth are in a picture for SFace, as in ArcFace's and OpenCV's.
constexpr Point places[5] = {{38.2946, 51.6963}, {73.5318, 51.5014}, {56.0252, 71.7366}, {41.5493, 92.3655}, {70.7299, 92.2041}};

Point middle(const Point points[5]) {
    Point sum{0, 0};
    for (int i = 0; i < 5; i++) sum = {sum.x + points[i].x, sum.y + points[i].y};
    return {sum.x / 5, sum.y / 5};
}

/// The four pixels around a place, by how near they are; those beyond the picture are black.
struct Sample {
    const Picture &picture;

    double pixel(long x, long y, int colour) const {
        if (x < 0 || y < 0 || x >= picture.width || y >= picture.height) return 0;
        return picture.octets[y * picture.stride + 3 * x + colour];
    }

    void write(double x, double y, float *pixel4) const {
        const long column = long(std::floor(x)), row = long(std::floor(y));
        const double right = x - double(column), below = y - double(row);
        for (int colour = 0; colour < 3; colour++) {
            const double upper = pixel(column, row, colour) * (1 - right) + pixel(column + 1, row, colour) * right;
            const double lower = pixel(column, row + 1, colour) * (1 - right) + pixel(column + 1, row + 1, colour) * right;
            pixel4[colour] = float(std::nearbyint(upper * (1 - below) + lower * below));
        }
        pixel4[3] = 0;
    }
};
}

Similarity::Similarity(const Point points[5]) {
    const Point from = middle(points), to = middle(places);
    double squares = 0, along = 0, across = 0;
    for (int i = 0; i < 5; i++) {
        const Point point{points[i].x - from.x, points[i].y - from.y}, place{places[i].x - to.x, places[i].y - to.y};
        squares += point.x * point.x + point.y * point.y;
        along += point.x * place.x + point.y * place.y;
        across += point.x * place.y - point.y * place.x;
    }
    if (!(squares > 0) || !(along * along + across * across > 0)) throw Failure{FMP_E_EXTRACT};
    *this = Similarity(along / squares, across / squares, from, to);
}

Similarity::Similarity(double cosine, double sine, Point from, Point to)
    : cosine(cosine), sine(sine), right(to.x - (cosine * from.x - sine * from.y)), down(to.y - (sine * from.x + cosine * from.y)) {}

Point Similarity::inverse(Point point) const {
    const double squared = cosine * cosine + sine * sine, x = point.x - right, y = point.y - down;
    return {(cosine * x + sine * y) / squared, (cosine * y - sine * x) / squared};
}

void place(const Picture &picture, const Similarity &placing, size_t side, float *pixels) {
    // Far outside, where a number of pixels has no meaning.
    const double farthest = 4 * double(std::max(picture.width, picture.height)) + 4;
    const Sample sample{picture};
    for (size_t y = 0; y < side; y++)
        for (size_t x = 0; x < side; x++) {
            const Point from = placing.inverse({double(x), double(y)});
            sample.write(std::clamp(from.x, -farthest, farthest), std::clamp(from.y, -farthest, farthest), pixels + 4 * (y * side + x));
        }
}
