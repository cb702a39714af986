#pragma once
#include "wire.h"
#include <map>
#include <string>
#include <vector>

/// What the two model files need of ONNX (onnx.proto3), as views of the file's octets. Anything else is refused: FMP_E_MODEL.
namespace onnx {
enum class Element : uint32_t { single = 1, integer8 = 3, integer64 = 7 };

/// TensorProto: little-endian numbers, row by row.
struct Tensor {
    std::string_view name;
    Element element = Element::single;
    std::vector<size_t> sides;
    Octets octets;

    size_t count() const;
    /// Bounds are checked.
    float single(size_t index) const;
    int64_t integer64(size_t index) const;
};

/// AttributeProto.
struct Attribute {
    std::string_view name;
    float single = 0;
    int64_t integer = 0;
    std::string_view text;
    std::vector<int64_t> integers;
};

/// NodeProto.
struct Node {
    std::string_view operation;
    std::vector<std::string_view> inputs, outputs;
    std::vector<Attribute> attributes;

    /// The attribute of that name; null where there is none.
    const Attribute *attribute(std::string_view name) const;
    int64_t integer(std::string_view name, int64_t otherwise) const;
    float single(std::string_view name, float otherwise) const;
    /// Whether the attribute is exactly these numbers.
    bool has(std::string_view name, const std::vector<int64_t> &numbers) const;
    std::string_view input(size_t index) const;
    /// The only output.
    std::string_view output() const;
};

/// GraphProto. `inputs` are those that no tensor of the file stands for.
struct Graph {
    std::vector<Node> nodes;
    std::map<std::string_view, Tensor> tensors;
    std::vector<std::string_view> inputs, outputs;
};

/// Of the octets of a whole file.
Graph graph(Octets file);
}
