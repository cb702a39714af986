#pragma once
#include "../onnx.h"
#include "../translation.h"
#include <algorithm>

/// Runs a network, if it is small, over a grey picture; one that does not fit that size of picture says so.
inline void runSmall(Network &network, size_t height, size_t width) {
    constexpr size_t mostNumbers = 1 << 20;
    const fmp_host host{sizeof(fmp_host), nullptr, nullptr, nullptr, [](void *) -> uint64_t { return 0; }, 0, nullptr};
    try {
        size_t weights = 0;
        for (const Layer &layer : network.layers) weights += layer.weights.size() + layer.quantised.numbers.size();
        if (weights > mostNumbers || Plan(network, height, width).count > mostNumbers) return;
        network.reserve(height, width);
        std::fill_n(network.picture(height, width), height * width * network.values[0].pitch(), 100.0f);
        network.run(Limits{host, UINT64_MAX});
        for (const auto &[name, value] : network.outputs) network.result(name);
        network.forget();
        // A larger picture than what was reserved is refused, and no more than that is overwritten.
        try {
            network.picture(2 * height, 2 * width);
        } catch (const Failure &failure) {
            if (failure.status != FMP_E_MEMORY) throw;
        }
        network.forget();
    } catch (const Failure &failure) {
        if (failure.status != FMP_E_MODEL) throw;
    }
}

/// Reads octets as a model and runs what was accepted. Whether it was accepted. Everything but FMP_E_MODEL goes through.
inline bool readAndRun(const uint8_t *data, size_t count) {
    try {
        Network network = translated(onnx::graph({data, count}));
        runSmall(network, 32, 32);
        runSmall(network, 21, 27);
        return true;
    } catch (const Failure &failure) {
        if (failure.status != FMP_E_MODEL) throw;
        return false;
    }
}
