#pragma once
#include "limits.h"
#include "plan.h"
#include <cstdint>
#include <map>
#include <string>
#include <vector>

/// What flows between layers: rows of pixels, each of `channels` numbers and zeros up to a multiple of four.
struct Value {
    size_t channels = 0;

    /// Numbers from one pixel to the next.
    size_t pitch() const { return (channels + 3) / 4 * 4; }
};

/// The weights of the last layer as they lie in the file, int8 by blocks: a quarter of the memory that is read for each face.
struct QuantisedRows {
    std::vector<int8_t> numbers;
    std::vector<float> scales, zeros;
    size_t rows = 0, length = 0, block = 0;
};

/// One step. Batch normalisation is folded into the weights, what follows a convolution into its slopes.
struct Layer {
    enum class Kind {
        dense,     // 1 x 1 or 3 x 3, all channels with all
        depthwise, // 3 x 3, each channel by itself
        affine,    // scale and addition for each channel
        pool,      // the largest of 2 x 2
        enlarge,   // each pixel four times
        sum,
        sigmoid,
        connected  // every number of the picture with every row
    };

    Kind kind = Kind::dense;
    uint32_t input = 0, second = 0, output = 0;
    size_t side = 1, stride = 1;
    /// dense: for each tap and input channel the output channels. depthwise: for each tap the channels. affine: the scales.
    std::vector<float> weights;
    std::vector<float> bias;
    /// What numbers below zero are multiplied with: 1 without an activation, 0 for ReLU, learnt ones for PReLU.
    std::vector<float> slopes;
    QuantisedRows quantised;
};

/// A result, in the memory of the network until it is run again.
struct Result {
    const float *numbers;
    size_t height, width, channels, pitch;
};

/// A convolutional network as the two models are, run in one thread in memory that is set aside before.
class Network {
public:
    std::vector<Value> values;
    std::vector<Layer> layers;
    std::map<std::string, uint32_t> outputs;

    /// Takes the memory for pictures of up to this size.
    void reserve(size_t height, size_t width);
    /// Where the picture is put before `run`: three numbers for each pixel and a zero. Throws FMP_E_MEMORY for one larger than what was
    /// reserved, FMP_E_MODEL for one that the layers do not fit.
    float *picture(size_t height, size_t width);
    /// Asks `limits` before every layer.
    void run(const Limits &limits);
    Result result(const std::string &name) const;
    /// Overwrites what was computed.
    void forget();

private:
    Plan plan;
    Workspace workspace;
};
