#include "network.h"
#include "kernels.h"
#include <algorithm>
#include <string.h>

void Network::reserve(size_t height, size_t width) { workspace = Workspace(Plan(*this, height, width).count); }

float *Network::picture(size_t height, size_t width) {
    if (plan.height != height || plan.width != width) plan = Plan(*this, height, width);
    if (plan.count > workspace.count) throw Failure{FMP_E_MEMORY};
    return workspace.numbers + plan.places[0].start;
}

void Network::run(const Limits &limits) {
    const auto pixels = [&](uint32_t value) {
        const Plan::Place &place = plan.places[value];
        return kernels::Output{workspace.numbers + place.start, place.height, place.width, values[value].pitch()};
    };
    const auto read = [&](uint32_t value) {
        const auto found = pixels(value);
        return kernels::Input{found.numbers, found.height, found.width, found.pitch};
    };
    float *scratch = workspace.numbers + plan.scratch;
    for (const Layer &layer : layers) {
        limits.check();
        const kernels::Input input = read(layer.input);
        const kernels::Output output = pixels(layer.output);
        switch (layer.kind) {
        case Layer::Kind::dense: kernels::dense(layer, input, output, scratch); break;
        case Layer::Kind::depthwise: kernels::depthwise(layer, input, output); break;
        case Layer::Kind::affine: kernels::affine(layer, input, output); break;
        case Layer::Kind::pool: kernels::pool(input, output); break;
        case Layer::Kind::enlarge: kernels::enlarge(input, output); break;
        case Layer::Kind::sum: kernels::sum(input, read(layer.second), output); break;
        case Layer::Kind::sigmoid: kernels::sigmoid(input, output); break;
        case Layer::Kind::connected: kernels::connected(layer, input, output, scratch); break;
        }
    }
}

Result Network::result(const std::string &name) const {
    const uint32_t value = outputs.at(name);
    const Plan::Place &place = plan.places[value];
    return {workspace.numbers + place.start, place.height, place.width, values[value].channels, values[value].pitch()};
}

void Network::forget() {
    // A plan that was refused is larger than the memory.
    if (workspace.numbers != nullptr) explicit_bzero(workspace.numbers, std::min(plan.count, workspace.count) * sizeof(float));
}
