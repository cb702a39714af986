#include "four.h"
#include "kernels.h"
#include <algorithm>

// OpenBLAS's own header lies elsewhere on every machine; this is all that is needed of it (CBLAS, 101: row-major, 111: not transposed).
extern "C" void cblas_sgemm(
    int order, int transposedA, int transposedB, int m, int n, int k, float alpha, const float *a, int lda, const float *b, int ldb,
    float beta, float *c, int ldc);

namespace {
void multiply(const float *pixels, size_t count, size_t taken, const std::vector<float> &weights, size_t made, float *output) {
    cblas_sgemm(101, 111, 111, int(count), int(made), int(taken), 1, pixels, int(taken), weights.data(), int(made), 0, output, int(made));
}

void finish(const Layer &layer, float *numbers, size_t count, size_t pitch) {
    for (size_t pixel = 0; pixel < count; pixel++, numbers += pitch)
        for (size_t c = 0; c < pitch; c += 4)
            store(numbers + c, activated(load(numbers + c) + load(&layer.bias[c]), load(&layer.slopes[c])));
}

/// The nine pixels around each of `count` pixels of the output, in a row; zeros where the picture ends.
void gather(const Layer &layer, kernels::Input input, size_t outputWidth, size_t first, size_t count, float *gathered) {
    for (size_t i = first; i < first + count; i++) {
        const size_t y = i / outputWidth * layer.stride, x = i % outputWidth * layer.stride;
        for (size_t ky = 0; ky < 3; ky++)
            for (size_t kx = 0; kx < 3; kx++, gathered += input.pitch) {
                // One less than 0 is far outside.
                const size_t row = y + ky - 1, column = x + kx - 1;
                if (row < input.height && column < input.width) {
                    std::copy_n(input.row(row) + column * input.pitch, input.pitch, gathered);
                } else {
                    std::fill_n(gathered, input.pitch, 0.0f);
                }
            }
    }
}
}

void kernels::dense(const Layer &layer, Input input, Output output, float *scratch) {
    const size_t pixels = output.height * output.width, taken = layer.side * layer.side * input.pitch;
    // As many pixels at a time as stay in the cache until bias and activation were added. Each time the weights are arranged anew, so they
    // have to be few.
    constexpr size_t inCache = 32768, fewWeights = 8192;
    size_t strip = pixels;
    if (layer.side > 1) strip = std::max<size_t>(1, scratchCount / taken);
    else if (taken * output.pitch <= fewWeights) strip = std::max<size_t>(64, inCache / (taken + output.pitch));
    for (size_t first = 0; first < pixels; first += strip) {
        const size_t count = std::min(strip, pixels - first);
        const float *source = input.numbers + first * input.pitch;
        float *made = output.numbers + first * output.pitch;
        if (layer.side > 1) {
            gather(layer, input, output.width, first, count, scratch);
            source = scratch;
        }
        multiply(source, count, taken, layer.weights, output.pitch, made);
        finish(layer, made, count, output.pitch);
    }
}
