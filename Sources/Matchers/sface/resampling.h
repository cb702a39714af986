#pragma once
#include "limits.h"
#include "picture.h"
#include <cstddef>
#include <vector>

/// A picture at another size: each pixel the mean of the area it covers where it becomes smaller, between its neighbours where it becomes
/// larger. Rounded to whole numbers, as the models' authors had their pictures.
class Resampling {
public:
    Resampling(const Picture &picture, size_t width, size_t height);

    /// Into rows of `pitch` pixels of four numbers: blue, green, red, 0. Asks `limits` every few rows.
    void write(float *pixels, size_t pitch, const Limits &limits) const;

private:
    /// What a pixel is made of along one side: weights for some pixels in a row.
    struct Part {
        size_t first;
        std::vector<float> weights;
    };
    static std::vector<Part> parts(size_t from, size_t to);
    /// `sums` has room for a row of the picture.
    void writeRow(size_t y, std::vector<float> &sums, float *pixels) const;

    const Picture &picture;
    std::vector<Part> columns, rows;
};
