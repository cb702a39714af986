#include "parameter.h"
#include <cmath>

Parameter::Parameter(const onnx::Tensor &values) : sides(values.sides), values(values) { require(values.element == onnx::Element::single); }

Parameter::Parameter(const onnx::Node &node, const onnx::Tensor &values, const onnx::Tensor &scales, const onnx::Tensor &zeros)
    : sides(values.sides), values(values), scales(scales), zeros(zeros) {
    using onnx::Element;
    require(values.element == Element::integer8 && scales.element == Element::single && zeros.element == Element::integer8);
    require(!sides.empty() && sides.back() > 0);
    require(node.integer("axis", 1) == int64_t(sides.size()) - 1);
    rowLength = sides.back();
    const int64_t length = node.integer("block_size", 0);
    require(length > 0 && length <= int64_t(rowLength));
    block = size_t(length);
    blocks = (rowLength + block - 1) / block;
    auto expected = sides;
    expected.back() = blocks;
    require(scales.sides == expected && zeros.sides == expected);
}

Parameter Parameter::reshaped(const onnx::Tensor &wanted) const {
    Parameter other = *this;
    other.sides.clear();
    size_t product = 1;
    require(wanted.sides.size() == 1 && wanted.sides[0] <= 4);
    for (size_t i = 0; i < wanted.sides[0]; i++) {
        const int64_t side = wanted.integer64(i);
        require(side > 0 && side <= int64_t(count()));
        product *= size_t(side);
        require(product <= count());
        other.sides.push_back(size_t(side));
    }
    require(product == count());
    return other;
}

std::vector<float> Parameter::numbers(size_t wanted) const {
    require(count() == wanted);
    std::vector<float> numbers(wanted);
    for (size_t i = 0; i < wanted; i++) {
        if (isQuantised()) {
            const size_t row = i / rowLength, column = i % rowLength;
            numbers[i] = float(int8_t(values.octets.data[i]) - zero(row, column / block)) * scale(row, column / block);
        } else {
            numbers[i] = values.single(i);
        }
        require(std::isfinite(numbers[i]));
    }
    return numbers;
}
