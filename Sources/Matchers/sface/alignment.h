#pragma once
#include "face.h"
#include "picture.h"
#include <cstddef>

/// A turn, a scale and a shift: (x, y) to (cosine x - sine y + right, sine x + cosine y + down).
struct Similarity {
    double cosine, sine, right, down;

    /// The one that takes the points of a face nearest to where SFace has them, by least squares. Throws `Failure`: FMP_E_EXTRACT where
    /// they lie all in one place.
    explicit Similarity(const Point points[5]);
    /// Of this cosine and sine, times the scale; takes `from` to `to`.
    Similarity(double cosine, double sine, Point from, Point to);

    /// Where a point comes from.
    Point inverse(Point point) const;
};

/// The side of the picture that SFace takes.
constexpr size_t alignedSide = 112;

/// A square of a picture, turned and scaled, as pixels of four numbers: red, green, blue, 0. Black beyond the picture.
void place(const Picture &picture, const Similarity &placing, size_t side, float *pixels);
