#include "onnx.h"
#include <algorithm>
#include <cstring>

namespace onnx {
namespace {
// The larger of the two files has 145 nodes, 261 tensors of at most 6.4 million numbers, and nodes of at most five inputs.
constexpr size_t mostNodes = 1024, mostTensors = 1024, mostNames = 1024, mostInputs = 8, mostAttributes = 16, mostIntegers = 16;
constexpr size_t mostSides = 4, longestSide = 1 << 20, mostNumbers = 1 << 24;

template <typename Item> void append(std::vector<Item> &items, Item item, size_t most) {
    require(items.size() < most);
    items.push_back(std::move(item));
}

/// A repeated integer, packed or not.
void appendIntegers(WireReader &reader, std::vector<int64_t> &integers, size_t most) {
    if (reader.type() == WireReader::Type::varint) return append(integers, int64_t(reader.varint()), most);
    PackedReader packed(reader.octets());
    while (!packed.isAtEnd()) append(integers, int64_t(packed.varint()), most);
}

size_t width(Element element) {
    switch (element) {
    case Element::single: return 4;
    case Element::integer8: return 1;
    case Element::integer64: return 8;
    }
    throw Failure{FMP_E_MODEL};
}

Tensor tensor(Octets message) {
    enum { dims = 1, dataType = 2, segment = 3, floatData = 4, int32Data = 5, stringData = 6, int64Data = 7, name = 8, rawData = 9 };
    enum { external = 13 };
    Tensor tensor;
    std::vector<int64_t> sides;
    uint64_t element = 0;
    bool hasOctets = false;
    WireReader reader(message);
    while (reader.next()) {
        switch (reader.field()) {
        case dims: appendIntegers(reader, sides, mostSides); break;
        case dataType: element = reader.varint(); break;
        case name: tensor.name = reader.text(); break;
        case floatData:
        case rawData:
            // Floats in their own field are packed: the same octets.
            require(!hasOctets);
            hasOctets = true;
            tensor.octets = reader.octets();
            break;
        case segment:
        case int32Data:
        case stringData:
        case int64Data:
        case external: throw Failure{FMP_E_MODEL};
        }
    }
    require(element == 1 || element == 3 || element == 7);
    tensor.element = Element(element);
    for (int64_t side : sides) {
        require(side >= 0 && side <= int64_t(longestSide));
        tensor.sides.push_back(size_t(side));
    }
    require(tensor.count() * width(tensor.element) == tensor.octets.count);
    return tensor;
}

Attribute attribute(Octets message) {
    enum { name = 1, single = 2, integer = 3, text = 4, integers = 8 };
    Attribute attribute;
    WireReader reader(message);
    while (reader.next()) {
        switch (reader.field()) {
        case name: attribute.name = reader.text(); break;
        case single: attribute.single = reader.fixed32(); break;
        case integer: attribute.integer = int64_t(reader.varint()); break;
        case text: attribute.text = reader.text(); break;
        case integers: appendIntegers(reader, attribute.integers, mostIntegers); break;
        }
    }
    return attribute;
}

Node node(Octets message) {
    enum { input = 1, output = 2, operation = 4, attributes = 5, domain = 7 };
    Node node;
    WireReader reader(message);
    while (reader.next()) {
        switch (reader.field()) {
        case input: append(node.inputs, reader.text(), mostInputs); break;
        case output: append(node.outputs, reader.text(), mostInputs); break;
        case operation: node.operation = reader.text(); break;
        case attributes: append(node.attributes, attribute(reader.octets()), mostAttributes); break;
        case domain: require(reader.text().empty()); break;
        }
    }
    return node;
}

/// ValueInfoProto: its name.
std::string_view nameOfValue(Octets message) {
    std::string_view name;
    WireReader reader(message);
    while (reader.next())
        if (reader.field() == 1) name = reader.text();
    return name;
}

Graph graphProto(Octets message) {
    enum { nodes = 1, initializer = 5, input = 11, output = 12, sparse = 15 };
    Graph graph;
    std::vector<std::string_view> inputs;
    WireReader reader(message);
    while (reader.next()) {
        switch (reader.field()) {
        case nodes: append(graph.nodes, node(reader.octets()), mostNodes); break;
        case initializer: {
            Tensor read = tensor(reader.octets());
            require(graph.tensors.size() < mostTensors && graph.tensors.emplace(read.name, read).second);
            break;
        }
        case input: append(inputs, nameOfValue(reader.octets()), mostNames); break;
        case output: append(graph.outputs, nameOfValue(reader.octets()), mostNames); break;
        case sparse: throw Failure{FMP_E_MODEL};
        }
    }
    // Older writers list the tensors among the inputs.
    for (auto name : inputs)
        if (graph.tensors.count(name) == 0) graph.inputs.push_back(name);
    return graph;
}
}

size_t Tensor::count() const {
    size_t count = 1;
    for (size_t side : sides) {
        count *= side;
        require(count <= mostNumbers);
    }
    return count;
}

float Tensor::single(size_t index) const {
    require(element == Element::single && index < octets.count / 4);
    float value;
    std::memcpy(&value, octets.data + 4 * index, sizeof value);
    return value;
}

int64_t Tensor::integer64(size_t index) const {
    require(element == Element::integer64 && index < octets.count / 8);
    int64_t value;
    std::memcpy(&value, octets.data + 8 * index, sizeof value);
    return value;
}

const Attribute *Node::attribute(std::string_view name) const {
    for (const auto &attribute : attributes)
        if (attribute.name == name) return &attribute;
    return nullptr;
}

int64_t Node::integer(std::string_view name, int64_t otherwise) const {
    const Attribute *found = attribute(name);
    return found == nullptr ? otherwise : found->integer;
}

float Node::single(std::string_view name, float otherwise) const {
    const Attribute *found = attribute(name);
    return found == nullptr ? otherwise : found->single;
}

bool Node::has(std::string_view name, const std::vector<int64_t> &numbers) const {
    const Attribute *found = attribute(name);
    return found != nullptr && found->integers == numbers;
}

std::string_view Node::input(size_t index) const {
    require(index < inputs.size());
    return inputs[index];
}

std::string_view Node::output() const {
    require(outputs.size() == 1);
    return outputs[0];
}

Graph graph(Octets file) {
    constexpr uint32_t graphField = 7;
    Octets found;
    WireReader reader(file);
    while (reader.next()) {
        if (reader.field() != graphField) continue;
        require(found.data == nullptr);
        found = reader.octets();
    }
    require(found.data != nullptr);
    return graphProto(found);
}
}
