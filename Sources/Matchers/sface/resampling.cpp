#include "resampling.h"
#include <algorithm>
#include <cmath>

std::vector<Resampling::Part> Resampling::parts(size_t from, size_t to) {
    std::vector<Part> parts(to);
    const double step = double(from) / double(to);
    for (size_t i = 0; i < to; i++) {
        Part &part = parts[i];
        if (step > 1) {
            const double start = double(i) * step, end = std::min(start + step, double(from));
            part.first = size_t(start);
            for (size_t j = part.first; j < from && double(j) < end; j++)
                part.weights.push_back(float((std::min(double(j) + 1, end) - std::max(double(j), start)) / step));
        } else {
            const double centre = std::clamp((double(i) + 0.5) * step - 0.5, 0.0, double(from - 1));
            part.first = std::min(size_t(centre), from - 1);
            const auto after = float(centre - double(part.first));
            part.weights.push_back(1 - after);
            if (after > 0 && part.first + 1 < from) part.weights.push_back(after);
        }
    }
    return parts;
}

Resampling::Resampling(const Picture &picture, size_t width, size_t height)
    : picture(picture), columns(parts(size_t(picture.width), width)), rows(parts(size_t(picture.height), height)) {}

void Resampling::writeRow(size_t y, std::vector<float> &sums, float *pixels) const {
    const Part &part = rows[y];
    const size_t count = 3 * size_t(picture.width);
    std::fill_n(sums.begin(), count, 0.0f);
    for (size_t j = 0; j < part.weights.size(); j++) {
        const uint8_t *octets = picture.octets + long(part.first + j) * picture.stride;
        const float weight = part.weights[j];
        for (size_t i = 0; i < count; i++) sums[i] += weight * float(octets[i]);
    }
    for (const Part &column : columns) {
        float red = 0.5f, green = 0.5f, blue = 0.5f;
        const float *sum = sums.data() + 3 * column.first;
        for (const float weight : column.weights) {
            red += weight * sum[0];
            green += weight * sum[1];
            blue += weight * sum[2];
            sum += 3;
        }
        // Whole numbers: none is below 0.
        pixels[0] = float(int(blue));
        pixels[1] = float(int(green));
        pixels[2] = float(int(red));
        pixels[3] = 0;
        pixels += 4;
    }
}

void Resampling::write(float *pixels, size_t pitch, const Limits &limits) const {
    std::vector<float> sums(3 * size_t(picture.width));
    size_t read = 0;
    for (size_t y = 0; y < rows.size(); y++) {
        // A row of 8192 pixels takes some 20 microseconds.
        constexpr size_t betweenChecks = 256;
        read += rows[y].weights.size();
        if (read >= betweenChecks) {
            limits.check();
            read = 0;
        }
        writeRow(y, sums, pixels + y * pitch * 4);
    }
}
