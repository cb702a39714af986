#include "translation.h"
#include "convolution.h"
#include "parameter.h"
#include <functional>

namespace {
using onnx::Node;
using Kind = Layer::Kind;

/// Goes through the nodes once. A name stands for a parameter or for a value that a layer makes.
class Translator {
public:
    explicit Translator(const onnx::Graph &graph) : graph(graph) {
        for (const auto &node : graph.nodes)
            for (auto name : node.inputs) uses[name]++;
        for (auto name : graph.outputs) uses[name]++;
        // A picture of three colours. The names of weights from before they were quantised are still listed; nobody uses them.
        network.values.push_back({3});
        for (auto name : graph.inputs)
            if (uses.count(name) > 0) define(name, 0);
        require(values.size() == 1);
    }

    Network translate();

private:
    void dequantise(const Node &node);
    void reshape(const Node &node);
    void transpose(const Node &node);
    void convolve(const Node &node);
    void normalise(const Node &node);
    void activate(const Node &node);
    void shift(const Node &node);
    void pool(const Node &node);
    void enlarge(const Node &node);
    void add(const Node &node);
    void sigmoid(const Node &node);
    void connect(const Node &node);
    /// The same value under another name.
    void rename(const Node &node) { define(node.output(), value(node.input(0))); }

    const onnx::Tensor &tensor(std::string_view name) const;
    Parameter parameter(std::string_view name) const;
    uint32_t value(std::string_view name) const;
    /// Every name is given once.
    void define(std::string_view name, uint32_t value);
    Layer &append(Kind kind, const Node &node, size_t channels);
    /// The layer that made the node's input, if nobody else needs it and it has no activation: scaling may be folded into it.
    Layer *foldable(const Node &node);
    Layer &affine(const Node &node);

    const onnx::Graph &graph;
    Network network;
    std::map<std::string_view, size_t> uses;
    std::map<std::string_view, Parameter> parameters;
    std::map<std::string_view, uint32_t> values;
    /// For each value the layer that makes it, and whether its activation has come.
    std::map<uint32_t, size_t> makers;
    std::map<size_t, bool> isActivated;
};

const onnx::Tensor &Translator::tensor(std::string_view name) const {
    const auto found = graph.tensors.find(name);
    require(found != graph.tensors.end());
    return found->second;
}

Parameter Translator::parameter(std::string_view name) const {
    const auto found = parameters.find(name);
    return found == parameters.end() ? Parameter(tensor(name)) : found->second;
}

uint32_t Translator::value(std::string_view name) const {
    const auto found = values.find(name);
    require(found != values.end());
    return found->second;
}

void Translator::define(std::string_view name, uint32_t value) { require(values.emplace(name, value).second); }

Layer &Translator::append(Kind kind, const Node &node, size_t channels) {
    Layer layer;
    layer.kind = kind;
    layer.input = layer.second = value(node.input(0));
    layer.output = uint32_t(network.values.size());
    network.values.push_back({channels});
    define(node.output(), layer.output);
    makers[layer.output] = network.layers.size();
    network.layers.push_back(std::move(layer));
    return network.layers.back();
}

Layer *Translator::foldable(const Node &node) {
    const auto maker = makers.find(value(node.input(0)));
    if (maker == makers.end() || uses[node.input(0)] != 1 || isActivated[maker->second]) return nullptr;
    Layer &layer = network.layers[maker->second];
    return layer.bias.empty() ? nullptr : &layer;
}

Layer &Translator::affine(const Node &node) {
    if (Layer *layer = foldable(node)) {
        rename(node);
        return *layer;
    }
    const Value of = network.values[value(node.input(0))];
    Layer &layer = append(Kind::affine, node, of.channels);
    layer.weights.assign(of.pitch(), 1);
    layer.bias.assign(of.pitch(), 0);
    return layer;
}

void Translator::dequantise(const Node &node) {
    const Parameter made(node, tensor(node.input(0)), tensor(node.input(1)), tensor(node.input(2)));
    require(parameters.emplace(node.output(), made).second);
}

void Translator::reshape(const Node &node) {
    if (parameters.count(node.input(0)) > 0) {
        require(parameters.emplace(node.output(), parameter(node.input(0)).reshaped(tensor(node.input(1)))).second);
        return;
    }
    // All pixels in a row, which they are.
    const onnx::Tensor &sides = tensor(node.input(1));
    const auto channels = int64_t(network.values[value(node.input(0))].channels);
    require(sides.count() == 3 && sides.integer64(0) == 1 && sides.integer64(1) == -1 && sides.integer64(2) == channels);
    rename(node);
}

void Translator::transpose(const Node &node) {
    // Channels last, which they are.
    require(node.has("perm", {0, 2, 3, 1}));
    rename(node);
}

void Translator::convolve(const Node &node) {
    const Parameter kernel = parameter(node.input(1));
    const Convolution shape(node, kernel, network.values[value(node.input(0))].channels);
    std::vector<float> bias(shape.made);
    if (node.inputs.size() > 2) bias = parameter(node.input(2)).numbers(shape.made);
    shape.fill(append(shape.isDepthwise ? Kind::depthwise : Kind::dense, node, shape.made), kernel, bias);
}

void Translator::normalise(const Node &node) {
    const size_t channels = network.values[value(node.input(0))].channels;
    std::vector<float> numbers[4];
    for (size_t i = 0; i < 4; i++) numbers[i] = parameter(node.input(i + 1)).numbers(channels);
    const auto &[gamma, beta, mean, variance] = numbers;
    scale(affine(node), normalisation(gamma, beta, mean, variance, node.single("epsilon", 1e-5f)));
}

void Translator::activate(const Node &node) {
    Layer *layer = foldable(node);
    require(layer != nullptr && !layer->slopes.empty());
    const size_t channels = network.values[layer->output].channels;
    std::vector<float> slopes(channels, 0);
    if (node.operation == "PRelu") slopes = parameter(node.input(1)).numbers(channels);
    std::copy(slopes.begin(), slopes.end(), layer->slopes.begin());
    isActivated[makers[layer->output]] = true;
    rename(node);
}

void Translator::shift(const Node &node) {
    const float number = parameter(node.input(1)).numbers(1)[0];
    const size_t channels = network.values[value(node.input(0))].channels;
    Scaling scaling{std::vector<float>(channels, 1), std::vector<float>(channels, 0)};
    if (node.operation == "Sub") scaling.additions.assign(channels, -number);
    else scaling.factors.assign(channels, number);
    scale(affine(node), scaling);
}

void Translator::pool(const Node &node) {
    require(node.has("kernel_shape", {2, 2}) && node.has("strides", {2, 2}) && node.has("pads", {0, 0, 0, 0}));
    require(node.integer("ceil_mode", 0) == 0);
    append(Kind::pool, node, network.values[value(node.input(0))].channels);
}

void Translator::enlarge(const Node &node) {
    const auto is = [&](std::string_view name, std::string_view text) {
        const auto *found = node.attribute(name);
        return found != nullptr && found->text == text;
    };
    require(is("mode", "nearest") && is("coordinate_transformation_mode", "asymmetric") && is("nearest_mode", "floor"));
    require(parameter(node.input(2)).numbers(4) == std::vector<float>({1, 1, 2, 2}));
    append(Kind::enlarge, node, network.values[value(node.input(0))].channels);
}

void Translator::add(const Node &node) {
    const uint32_t other = value(node.input(1));
    const size_t channels = network.values[value(node.input(0))].channels;
    require(network.values[other].channels == channels);
    append(Kind::sum, node, channels).second = other;
}

void Translator::sigmoid(const Node &node) { append(Kind::sigmoid, node, network.values[value(node.input(0))].channels); }

void Translator::connect(const Node &node) {
    require(node.integer("transA", 0) == 0 && node.integer("transB", 0) == 1);
    require(node.single("alpha", 1) == 1 && node.single("beta", 1) == 1);
    const Parameter weights = parameter(node.input(1));
    require(weights.sides.size() == 2 && weights.isQuantised());
    const size_t rows = weights.sides[0];
    const auto bias = parameter(node.input(2)).numbers(rows);
    fillConnected(append(Kind::connected, node, rows), weights, bias);
}

Network Translator::translate() {
    using Step = void (Translator::*)(const Node &);
    static const std::map<std::string_view, Step> steps = {
        {"DequantizeLinear", &Translator::dequantise},
        {"Reshape", &Translator::reshape},
        {"Transpose", &Translator::transpose},
        {"Conv", &Translator::convolve},
        {"BatchNormalization", &Translator::normalise},
        {"Relu", &Translator::activate},
        {"PRelu", &Translator::activate},
        {"Sub", &Translator::shift},
        {"Mul", &Translator::shift},
        {"MaxPool", &Translator::pool},
        {"Resize", &Translator::enlarge},
        {"Add", &Translator::add},
        {"Sigmoid", &Translator::sigmoid},
        {"Dropout", &Translator::rename},
        {"Flatten", &Translator::rename},
        {"Gemm", &Translator::connect},
    };
    for (const Node &node : graph.nodes) {
        // Dropout's ratio, of which nothing depends when a network is only used.
        if (node.operation == "Constant") continue;
        const auto step = steps.find(node.operation);
        require(step != steps.end());
        (this->*step->second)(node);
    }
    require(!network.layers.empty() && !graph.outputs.empty());
    for (auto name : graph.outputs) network.outputs.emplace(std::string(name), value(name));
    return std::move(network);
}
}

Network translated(const onnx::Graph &graph) { return Translator(graph).translate(); }
