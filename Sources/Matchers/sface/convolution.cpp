#include "convolution.h"
#include <algorithm>
#include <cmath>

namespace {
/// Numbers between two pixels, see `Value::pitch`.
size_t pitch(size_t channels) { return Value{channels}.pitch(); }
constexpr size_t mostChannels = 4096;
}

Scaling normalisation(const std::vector<float> &gamma, const std::vector<float> &beta, const std::vector<float> &mean,
                      const std::vector<float> &variance, float epsilon) {
    Scaling scaling;
    for (size_t i = 0; i < gamma.size(); i++) {
        const float divisor = std::sqrt(variance[i] + epsilon);
        require(divisor > 0);
        scaling.factors.push_back(gamma[i] / divisor);
        scaling.additions.push_back(beta[i] - mean[i] * gamma[i] / divisor);
    }
    return scaling;
}

void scale(Layer &layer, const Scaling &scaling) {
    const size_t channels = scaling.factors.size(), step = layer.bias.size();
    require(channels <= step && step > 0 && layer.weights.size() % step == 0);
    for (size_t i = 0; i < layer.weights.size(); i += step)
        for (size_t c = 0; c < channels; c++) layer.weights[i + c] *= scaling.factors[c];
    for (size_t c = 0; c < channels; c++) layer.bias[c] = layer.bias[c] * scaling.factors[c] + scaling.additions[c];
}

Convolution::Convolution(const onnx::Node &node, const Parameter &kernel, size_t channels) {
    require(kernel.sides.size() == 4 && kernel.sides[2] == kernel.sides[3] && node.has("dilations", {1, 1}));
    made = kernel.sides[0];
    side = kernel.sides[2];
    const int64_t group = node.integer("group", 1);
    isDepthwise = side == 3 && kernel.sides[1] == 1 && size_t(group) == channels && made == channels;
    taken = isDepthwise ? 1 : channels;
    require((group == 1 || isDepthwise) && kernel.sides[1] == taken && made >= 1 && made <= mostChannels);
    stride = node.has("strides", {2, 2}) ? 2 : 1;
    require(stride == 2 || node.has("strides", {1, 1}));
    if (side == 3) require(node.has("pads", {1, 1, 1, 1}));
    else require(side == 1 && stride == 1 && node.has("pads", {0, 0, 0, 0}));
}

void Convolution::fill(Layer &layer, const Parameter &kernel, const std::vector<float> &bias) const {
    const size_t taps = side * side, pitchTaken = isDepthwise ? 1 : pitch(taken), pitchMade = pitch(made);
    require(taps * pitchTaken <= scratchCount);
    // In the file: for each channel made, for each taken, the taps.
    const auto numbers = kernel.numbers(made * taken * taps);
    layer.side = side;
    layer.stride = stride;
    layer.weights.assign(taps * pitchTaken * pitchMade, 0);
    for (size_t out = 0; out < made; out++)
        for (size_t in = 0; in < taken; in++)
            for (size_t tap = 0; tap < taps; tap++)
                layer.weights[(tap * pitchTaken + in) * pitchMade + out] = numbers[(out * taken + in) * taps + tap];
    layer.bias = bias;
    layer.bias.resize(pitchMade, 0);
    layer.slopes.assign(pitchMade, 1);
}

void fillConnected(Layer &layer, const Parameter &weights, const std::vector<float> &bias) {
    QuantisedRows &rows = layer.quantised;
    rows.rows = weights.sides[0];
    rows.length = weights.sides[1];
    rows.block = weights.blockLength();
    const size_t blocks = weights.blocksInRow();
    // The layer takes eight at a time, and puts the picture and a sum for each block into the scratch.
    require(rows.rows >= 1 && rows.rows <= mostChannels);
    require(rows.block % 8 == 0 && rows.length == blocks * rows.block && rows.length + blocks <= scratchCount);
    const Octets octets = weights.quantised();
    rows.numbers.assign(reinterpret_cast<const int8_t *>(octets.data), reinterpret_cast<const int8_t *>(octets.data) + octets.count);
    for (size_t row = 0; row < rows.rows; row++)
        for (size_t block = 0; block < blocks; block++) {
            require(std::isfinite(weights.scale(row, block)));
            rows.scales.push_back(weights.scale(row, block));
            rows.zeros.push_back(float(weights.zero(row, block)));
        }
    // Factors and additions of each row: what is folded into it later.
    layer.weights.assign(pitch(rows.rows), 1);
    layer.bias = bias;
    layer.bias.resize(pitch(rows.rows), 0);
}
