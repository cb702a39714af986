#include "plan.h"
#include "network.h"
#include "wire.h"
#include <algorithm>
#include <sys/mman.h>
#include <utility>

Workspace::Workspace(size_t count) : count(count) {
    void *memory = mmap(nullptr, count * sizeof(float), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw Failure{FMP_E_MEMORY};
    numbers = static_cast<float *>(memory);
}

Workspace::Workspace(Workspace &&other) noexcept : numbers(std::exchange(other.numbers, nullptr)), count(std::exchange(other.count, 0)) {}

Workspace &Workspace::operator=(Workspace &&other) noexcept {
    std::swap(numbers, other.numbers);
    std::swap(count, other.count);
    return *this;
}

Workspace::~Workspace() {
    if (numbers != nullptr) munmap(numbers, count * sizeof(float));
}

namespace {
using Kind = Layer::Kind;

/// Of one value, and of all that are needed at the same time: 64 MiB. The detector takes 20 at its largest.
constexpr size_t mostNumbers = 1 << 24;
constexpr size_t longest = 4096;

/// Height and width of what a layer makes.
Plan::Place made(const Network &network, const Layer &layer, const std::vector<Plan::Place> &places) {
    Plan::Place place = places[layer.input];
    switch (layer.kind) {
    case Kind::dense:
    case Kind::depthwise:
        place.height = (place.height - 1) / layer.stride + 1;
        place.width = (place.width - 1) / layer.stride + 1;
        break;
    case Kind::pool:
        place.height /= 2;
        place.width /= 2;
        break;
    case Kind::enlarge:
        place.height *= 2;
        place.width *= 2;
        break;
    case Kind::sum: require(place.height == places[layer.second].height && place.width == places[layer.second].width); break;
    case Kind::connected:
        require(place.height * place.width * network.values[layer.input].channels == layer.quantised.length);
        place.height = place.width = 1;
        break;
    case Kind::affine:
    case Kind::sigmoid: break;
    }
    require(place.height > 0 && place.width > 0 && place.height <= longest && place.width <= longest);
    place.count = place.height * place.width * network.values[layer.output].pitch();
    require(place.count <= mostNumbers);
    return place;
}

/// The lowest place that no value has which is needed at the same time.
size_t freeStart(size_t count, const std::vector<Plan::Place> &places, const std::vector<bool> &isNeeded) {
    std::vector<std::pair<size_t, size_t>> taken;
    for (size_t i = 0; i < places.size(); i++)
        if (isNeeded[i]) taken.push_back({places[i].start, places[i].start + places[i].count});
    std::sort(taken.begin(), taken.end());
    size_t start = 0;
    for (const auto &[from, to] : taken) {
        if (from >= start + count) break;
        start = std::max(start, to);
    }
    return start;
}
}

Plan::Plan(const Network &network, size_t height, size_t width) : height(height), width(width), places(network.values.size()) {
    // After which layer a value is no longer needed; results are needed to the end.
    std::vector<size_t> last(places.size(), 0);
    for (size_t i = 0; i < network.layers.size(); i++) last[network.layers[i].input] = last[network.layers[i].second] = i;
    for (const auto &[name, value] : network.outputs) last[value] = network.layers.size();
    std::vector<bool> isNeeded(places.size(), false);

    const auto put = [&](size_t value) {
        // Lines of a cache, so that rows of pixels begin with one.
        places[value].count = (places[value].count + 15) / 16 * 16;
        places[value].start = freeStart(places[value].count, places, isNeeded);
        isNeeded[value] = true;
        scratch = std::max(scratch, places[value].start + places[value].count);
    };
    require(height > 0 && width > 0 && height <= longest && width <= longest);
    places[0] = {height, width, 0, height * width * network.values[0].pitch()};
    put(0);
    for (size_t i = 0; i < network.layers.size(); i++) {
        const Layer &layer = network.layers[i];
        places[layer.output] = made(network, layer, places);
        put(layer.output);
        for (size_t value = 0; value < places.size(); value++)
            if (isNeeded[value] && last[value] <= i) isNeeded[value] = false;
    }
    require(scratch <= mostNumbers);
    count = scratch + scratchCount;
}
