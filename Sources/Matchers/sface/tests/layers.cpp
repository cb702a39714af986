#include "../onnx.h"
#include "../translation.h"
#include "ppm.h"
#include <algorithm>
#include <cstdio>

// Runs one model file over a picture and writes what every activation and every result is, for the comparison layer by layer (compare.py).
//   layers-sface MODEL.onnx PICTURE.ppm FOLDER
// One file of little-endian floats for each value, channel by channel, and a line `NAME channels height width`. The picture's colours are
// taken in the order in which they lie.

int main(int count, char **arguments) {
    if (count != 4) return 2;
    std::ifstream file(arguments[1], std::ios::binary);
    std::vector<uint8_t> octets{std::istreambuf_iterator<char>(file), {}};
    onnx::Graph graph = onnx::graph({octets.data(), octets.size()});
    for (const auto &node : graph.nodes)
        if (node.operation == "Relu" || node.operation == "PRelu" || node.operation == "Add") graph.outputs.push_back(node.output());
    Network network = translated(graph);
    const PPM ppm(arguments[2]);
    network.reserve(ppm.height, ppm.width);
    float *pixels = network.picture(ppm.height, ppm.width);
    for (size_t i = 0; i < ppm.width * ppm.height; i++)
        for (size_t colour = 0; colour < 4; colour++) pixels[4 * i + colour] = colour < 3 ? float(ppm.octets[3 * i + colour]) : 0;
    const fmp_host host{sizeof(fmp_host), nullptr, nullptr, nullptr, [](void *) -> uint64_t { return 0; }, 0, nullptr};
    network.run(Limits{host, UINT64_MAX});
    for (const auto &[name, value] : network.outputs) {
        const Result result = network.result(name);
        std::ofstream out(std::string(arguments[3]) + "/" + name, std::ios::binary);
        for (size_t channel = 0; channel < result.channels; channel++)
            for (size_t pixel = 0; pixel < result.height * result.width; pixel++)
                out.write(reinterpret_cast<const char *>(result.numbers + pixel * result.pitch + channel), sizeof(float));
        std::printf("%s %zu %zu %zu\n", name.c_str(), result.channels, result.height, result.width);
    }
}
