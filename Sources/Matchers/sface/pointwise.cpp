#include "four.h"
#include "kernels.h"
#include <cmath>
#include <cstddef>

void kernels::affine(const Layer &layer, Input input, Output output) {
    const size_t pixels = input.height * input.width;
    for (size_t pixel = 0; pixel < pixels; pixel++)
        for (size_t c = 0; c < input.pitch; c += 4) {
            const size_t place = pixel * input.pitch + c;
            store(output.numbers + place, load(input.numbers + place) * load(&layer.weights[c]) + load(&layer.bias[c]));
        }
}

void kernels::pool(Input input, Output output) {
    for (size_t y = 0; y < output.height; y++)
        for (size_t x = 0; x < output.width; x++) {
            const float *above = input.row(2 * y) + 2 * x * input.pitch, *below = above + input.width * input.pitch;
            float *made = output.row(y) + x * output.pitch;
            for (size_t c = 0; c < input.pitch; c += 4) {
                const Four upper = larger(load(above + c), load(above + input.pitch + c));
                store(made + c, larger(upper, larger(load(below + c), load(below + input.pitch + c))));
            }
        }
}

void kernels::enlarge(Input input, Output output) {
    for (size_t y = 0; y < output.height; y++)
        for (size_t x = 0; x < output.width; x++) {
            const float *pixel = input.row(y / 2) + x / 2 * input.pitch;
            float *made = output.row(y) + x * output.pitch;
            for (size_t c = 0; c < input.pitch; c += 4) store(made + c, load(pixel + c));
        }
}

void kernels::sum(Input one, Input other, Output output) {
    const size_t count = one.height * one.width * one.pitch;
    for (size_t i = 0; i < count; i += 4) store(output.numbers + i, load(one.numbers + i) + load(other.numbers + i));
}

void kernels::sigmoid(Input input, Output output) {
    const size_t count = input.height * input.width * input.pitch;
    for (size_t i = 0; i < count; i++) output.numbers[i] = 1 / (1 + std::exp(-input.numbers[i]));
}
