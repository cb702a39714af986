#pragma once
#include "network.h"

/// What each kind of layer does to the numbers. Pixels lie one after the other, their channels together, by fours.
namespace kernels {
/// The pixels that a layer reads or writes.
template <typename Number> struct Pixels {
    Number *numbers;
    size_t height, width, pitch;

    Number *row(size_t y) const { return numbers + y * width * pitch; }
};
using Input = Pixels<const float>;
using Output = Pixels<float>;

/// `scratch` has `scratchCount` numbers.
void dense(const Layer &layer, Input input, Output output, float *scratch);
void depthwise(const Layer &layer, Input input, Output output);
void affine(const Layer &layer, Input input, Output output);
void pool(Input input, Output output);
void enlarge(Input input, Output output);
void sum(Input one, Input other, Output output);
void sigmoid(Input input, Output output);
/// The numbers of the input are taken channel by channel, as the model's author had them.
void connected(const Layer &layer, Input input, Output output, float *scratch);
}
