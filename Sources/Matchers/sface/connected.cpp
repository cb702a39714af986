#include "four.h"
#include "kernels.h"
#include <algorithm>
#include <cstdint>
#include <cstring>

namespace {
typedef int8_t FourOctets __attribute__((vector_size(4)));

Four widened(const int8_t *octets) {
    FourOctets four;
    std::memcpy(&four, octets, sizeof four);
    return __builtin_convertvector(four, Four);
}

float total(Four four) { return (four[0] + four[1]) + (four[2] + four[3]); }

/// What `count` numbers, one after the other, add up to.
float sumOf(const float *numbers, size_t count) {
    float sum = 0;
    for (size_t i = 0; i < count; i++) sum += numbers[i];
    return sum;
}
}

void kernels::connected(const Layer &layer, Input input, Output output, float *scratch) {
    const QuantisedRows &rows = layer.quantised;
    const size_t pixels = input.height * input.width, channels = rows.length / pixels;
    const size_t blocks = rows.length / rows.block;
    float *numbers = scratch, *sums = scratch + rows.length;
    for (size_t channel = 0; channel < channels; channel++)
        for (size_t pixel = 0; pixel < pixels; pixel++) numbers[channel * pixels + pixel] = input.numbers[pixel * input.pitch + channel];
    for (size_t block = 0; block < blocks; block++) sums[block] = sumOf(numbers + block * rows.block, rows.block);

    for (size_t row = 0; row < rows.rows; row++) {
        const int8_t *octets = rows.numbers.data() + row * rows.length;
        const float *scales = rows.scales.data() + row * blocks, *zeros = rows.zeros.data() + row * blocks;
        Four products = all(0);
        float shift = 0;
        for (size_t block = 0; block < blocks; block++) {
            Four one = all(0), other = all(0);
            for (size_t i = block * rows.block; i < (block + 1) * rows.block; i += 8) {
                one += widened(octets + i) * load(numbers + i);
                other += widened(octets + i + 4) * load(numbers + i + 4);
            }
            products += all(scales[block]) * (one + other);
            shift += scales[block] * zeros[block] * sums[block];
        }
        output.numbers[row] = (total(products) - shift) * layer.weights[row] + layer.bias[row];
    }
}
