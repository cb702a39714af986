#pragma once
#include "network.h"
#include "parameter.h"

/// What is multiplied and added for each channel.
struct Scaling {
    std::vector<float> factors, additions;
};

/// Batch normalisation at rest: (x - mean) / sqrt(variance + epsilon) * gamma + beta.
Scaling normalisation(const std::vector<float> &gamma, const std::vector<float> &beta, const std::vector<float> &mean,
                      const std::vector<float> &variance, float epsilon);

/// Folds a scaling into a layer's weights and bias.
void scale(Layer &layer, const Scaling &scaling);

/// The shape of a Conv node: 1 x 1, or 3 x 3 with a border of one; all channels with all, or each by itself.
struct Convolution {
    size_t taken, made, side, stride;
    bool isDepthwise;

    /// Refuses every other shape.
    Convolution(const onnx::Node &node, const Parameter &kernel, size_t channels);
    /// Arranges the kernel as the layer multiplies with it.
    void fill(Layer &layer, const Parameter &kernel, const std::vector<float> &bias) const;
};

void fillConnected(Layer &layer, const Parameter &weights, const std::vector<float> &bias);
