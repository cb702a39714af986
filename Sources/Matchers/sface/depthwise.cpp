#include "four.h"
#include "kernels.h"

namespace {
/// The three rows around one of the output; null outside the picture.
struct Rows {
    const float *rows[3];
};

/// `count` neighbours at once, so that weights are loaded once for all. `from` and `to` bound the taps: fewer at the edges.
template <size_t count>
void columns(const Layer &layer, const Rows &around, ptrdiff_t pitch, ptrdiff_t x, int from, int to, float *output) {
    const ptrdiff_t step = ptrdiff_t(layer.stride) * pitch;
    const float *weights = layer.weights.data();
    for (ptrdiff_t c = 0; c < pitch; c += 4) {
        Four sums[count];
        for (size_t j = 0; j < count; j++) sums[j] = load(&layer.bias[size_t(c)]);
        for (int ky = 0; ky < 3; ky++) {
            if (around.rows[ky] == nullptr) continue;
            for (int kx = from; kx < to; kx++) {
                const Four weight = load(weights + (3 * ky + kx) * pitch + c);
                const float *pixel = around.rows[ky] + (x * ptrdiff_t(layer.stride) + kx - 1) * pitch + c;
                for (size_t j = 0; j < count; j++) sums[j] += weight * load(pixel + ptrdiff_t(j) * step);
            }
        }
        const Four slope = load(&layer.slopes[size_t(c)]);
        for (size_t j = 0; j < count; j++) store(output + (x + ptrdiff_t(j)) * pitch + c, activated(sums[j], slope));
    }
}
}

void kernels::depthwise(const Layer &layer, Input input, Output output) {
    const auto pitch = ptrdiff_t(input.pitch);
    for (size_t y = 0; y < output.height; y++) {
        Rows around;
        for (size_t ky = 0; ky < 3; ky++) {
            const size_t row = y * layer.stride + ky - 1;
            around.rows[ky] = row < input.height ? input.row(row) : nullptr;
        }
        float *made = output.row(y);
        // Where all three columns lie within the picture.
        const size_t inner = (input.width - 1 + layer.stride - 1) / layer.stride;
        size_t x = 0;
        for (; x < output.width; x++) {
            if (x >= 1 && x + 4 <= inner) {
                columns<4>(layer, around, pitch, ptrdiff_t(x), 0, 3, made);
                x += 3;
                continue;
            }
            const size_t centre = x * layer.stride;
            columns<1>(layer, around, pitch, ptrdiff_t(x), centre == 0 ? 1 : 0, centre + 1 < input.width ? 3 : 2, made);
        }
    }
}
