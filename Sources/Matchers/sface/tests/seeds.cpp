#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

// Small models with every operator that is known, for the fuzzer to begin with: seeds-sface FOLDER

namespace {
using Message = std::string;

void varint(Message &message, uint64_t value) {
    for (; value >= 0x80; value >>= 7) message += char(value | 0x80);
    message += char(value);
}
void number(Message &message, unsigned field, uint64_t value) {
    varint(message, field << 3);
    varint(message, value);
}
void octets(Message &message, unsigned field, const std::string &value) {
    varint(message, field << 3 | 2);
    varint(message, value.size());
    message += value;
}

/// TensorProto of so many octets, all alike.
Message tensor(const std::string &name, unsigned type, const std::vector<uint64_t> &sides, const std::string &values) {
    Message tensor;
    for (uint64_t side : sides) number(tensor, 1, side);
    number(tensor, 2, type);
    octets(tensor, 8, name);
    octets(tensor, 9, values);
    return tensor;
}
std::string repeated(float value, size_t count) {
    std::string values;
    for (size_t i = 0; i < count; i++) values.append(reinterpret_cast<const char *>(&value), sizeof value);
    return values;
}
std::string integers(const std::vector<int64_t> &numbers) { return {reinterpret_cast<const char *>(numbers.data()), 8 * numbers.size()}; }

struct Attribute {
    std::string name, text;
    std::vector<int64_t> integers;
};

struct Model {
    Message graph;

    void weights(const std::string &name, const std::vector<uint64_t> &sides, float value = 0.5f) {
        size_t count = 1;
        for (uint64_t side : sides) count *= side;
        octets(graph, 5, tensor(name, 1, sides, repeated(value, count)));
    }
    void node(const std::string &operation, const std::vector<std::string> &inputs, const std::string &output,
              const std::vector<Attribute> &attributes = {}) {
        Message node;
        for (const auto &input : inputs) octets(node, 1, input);
        octets(node, 2, output);
        octets(node, 4, operation);
        for (const auto &attribute : attributes) {
            Message made;
            octets(made, 1, attribute.name);
            if (!attribute.text.empty()) octets(made, 4, attribute.text);
            if (attribute.integers.size() == 1) number(made, 3, uint64_t(attribute.integers[0]));
            else for (int64_t integer : attribute.integers) number(made, 8, uint64_t(integer));
            octets(node, 5, made);
        }
        octets(graph, 1, node);
    }
    /// Weights in int8, a block a row, and the two nodes that make a kernel of them.
    void quantised(const std::string &name, uint64_t rows, uint64_t length, const std::vector<int64_t> &sides) {
        octets(graph, 5, tensor(name + "_q", 3, {rows, length}, std::string(rows * length, 3)));
        octets(graph, 5, tensor(name + "_s", 1, {rows, 1}, repeated(0.1f, rows)));
        octets(graph, 5, tensor(name + "_z", 3, {rows, 1}, std::string(rows, 1)));
        node("DequantizeLinear", {name + "_q", name + "_s", name + "_z"}, name + "_d",
             {{"axis", "", {1}}, {"block_size", "", {int64_t(length)}}});
        if (sides.empty()) return;
        octets(graph, 5, tensor(name + "_shape", 7, {sides.size()}, integers(sides)));
        node("Reshape", {name + "_d", name + "_shape"}, name);
    }
    void convolution(
        const std::string &input, const std::string &kernel, const std::string &output, int64_t side, int64_t stride, int64_t group) {
        const int64_t border = side == 3 ? 1 : 0;
        node("Conv", {input, kernel}, output,
             {{"dilations", "", {1, 1}}, {"group", "", {group}}, {"kernel_shape", "", {side, side}},
              {"pads", "", {border, border, border, border}}, {"strides", "", {stride, stride}}});
    }
    std::string file(const std::vector<std::string> &outputs) {
        for (unsigned field : {11u, 12u})
            for (const auto &name : field == 11 ? std::vector<std::string>{"data"} : outputs) {
                Message value;
                octets(value, 1, name);
                octets(graph, field, value);
            }
        Message model;
        number(model, 1, 6);
        octets(model, 7, graph);
        return model;
    }
};

/// Picture to 4 channels at half its size.
void begin(Model &model) {
    model.weights("number", {1});
    model.node("Sub", {"data", "number"}, "less");
    model.node("Mul", {"less", "number"}, "scaled");
    model.quantised("first", 4, 27, {4, 3, 3, 3});
    model.convolution("scaled", "first", "c1", 3, 2, 1);
    for (const char *name : {"gamma", "beta", "mean", "variance"}) model.weights(name, {4});
    model.node("BatchNormalization", {"c1", "gamma", "beta", "mean", "variance"}, "n1");
    model.weights("slopes", {4, 1, 1});
    model.node("PRelu", {"n1", "slopes"}, "a1");
    model.weights("second", {4, 1, 3, 3});
    model.convolution("a1", "second", "c2", 3, 1, 4);
    model.node("Relu", {"c2"}, "a2");
}

std::string detector() {
    Model model;
    begin(model);
    model.node("MaxPool", {"a2"}, "p",
               {{"ceil_mode", "", {0}}, {"kernel_shape", "", {2, 2}}, {"pads", "", {0, 0, 0, 0}}, {"strides", "", {2, 2}}});
    octets(model.graph, 5, tensor("scales", 1, {4}, repeated(1, 2) + repeated(2, 2)));
    model.node("Resize", {"p", "", "scales"}, "e",
               {{"coordinate_transformation_mode", "asymmetric", {}}, {"mode", "nearest", {}}, {"nearest_mode", "floor", {}}});
    model.node("Add", {"a2", "e"}, "s");
    model.weights("third", {1, 4, 1, 1});
    model.convolution("s", "third", "c3", 1, 1, 1);
    model.node("Transpose", {"c3"}, "t", {{"perm", "", {0, 2, 3, 1}}});
    octets(model.graph, 5, tensor("row", 7, {3}, integers({1, -1, 1})));
    model.node("Reshape", {"t", "row"}, "r");
    model.node("Sigmoid", {"r"}, "out");
    return model.file({"out", "s"});
}

/// For pictures of 32 x 32.
std::string embedder() {
    Model model;
    begin(model);
    model.node("BatchNormalization", {"a2", "gamma", "beta", "mean", "variance"}, "n2");
    model.node("Constant", {}, "ratio");
    model.node("Dropout", {"n2", "ratio"}, "d");
    model.node("Flatten", {"d"}, "f");
    model.quantised("rows", 4, 1024, {});
    model.weights("bias", {4});
    model.node("Gemm", {"f", "rows_d", "bias"}, "g", {{"transB", "", {1}}});
    model.node("BatchNormalization", {"g", "gamma", "beta", "mean", "variance"}, "out");
    return model.file({"out"});
}

/// Weights of no row make a value of no channel, and a kernel takes it: refused, since nothing can be divided by how many it takes.
std::string nothing() {
    Model model;
    model.quantised("rows", 0, 3072, {});
    model.weights("bias", {0});
    model.node("Gemm", {"data", "rows_d", "bias"}, "g", {{"transB", "", {1}}});
    model.weights("kernel", {1, 0, 3, 3});
    model.convolution("g", "kernel", "out", 3, 1, 1);
    return model.file({"out"});
}
}

int main(int count, char **arguments) {
    if (count != 2) return 2;
    std::filesystem::create_directories(arguments[1]);
    std::ofstream(std::string(arguments[1]) + "/detector", std::ios::binary) << detector();
    std::ofstream(std::string(arguments[1]) + "/embedder", std::ios::binary) << embedder();
    std::ofstream(std::string(arguments[1]) + "/nothing", std::ios::binary) << nothing();
}
