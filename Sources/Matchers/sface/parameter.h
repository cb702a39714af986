#pragma once
#include "onnx.h"

/// Numbers of a model that do not change: single precision as they lie in the file, or int8 in blocks along the last side, each block with
/// a scale and a zero point (ONNX DequantizeLinear, `block_size`).
class Parameter {
public:
    std::vector<size_t> sides;

    explicit Parameter(const onnx::Tensor &values);
    /// As DequantizeLinear makes of them.
    Parameter(const onnx::Node &node, const onnx::Tensor &values, const onnx::Tensor &scales, const onnx::Tensor &zeros);

    /// The same numbers with other sides.
    Parameter reshaped(const onnx::Tensor &sides) const;
    size_t count() const { return values.count(); }
    bool isQuantised() const { return block > 0; }

    /// All numbers, finite ones. Refused where there are other than `count` of them.
    std::vector<float> numbers(size_t count) const;

    // For what is multiplied as it is: rows of the last side, blocks of each row.
    size_t blockLength() const { return block; }
    size_t blocksInRow() const { return blocks; }
    Octets quantised() const { return values.octets; }
    float scale(size_t row, size_t blockInRow) const { return scales.single(row * blocks + blockInRow); }
    int zero(size_t row, size_t blockInRow) const { return int8_t(zeros.octets.data[row * blocks + blockInRow]); }

private:
    onnx::Tensor values, scales, zeros;
    size_t block = 0, blocks = 0, rowLength = 0;
};
