#include "embedder.h"
#include "wire.h"
#include <cmath>

Embedder::Embedder(Network read) : network(std::move(read)) {
    require(network.outputs.size() == 1);
    output = network.outputs.begin()->first;
    network.reserve(alignedSide, alignedSide);
    network.picture(alignedSide, alignedSide);
    const Result result = network.result(output);
    require(result.channels == Embedding().size() && result.height == 1 && result.width == 1);
}

Embedding Embedder::embedding(const Picture &picture, const Point points[5], const Limits &limits) {
    struct Forgetting {
        Network &network;
        ~Forgetting() { network.forget(); }
    } forgetting{network};
    place(picture, Similarity(points), alignedSide, network.picture(alignedSide, alignedSide));
    network.run(limits);
    const Result result = network.result(output);
    Embedding embedding;
    double squares = 0;
    for (size_t i = 0; i < embedding.size(); i++) squares += double(result.numbers[i]) * double(result.numbers[i]);
    if (!(squares > 0) || !std::isfinite(squares)) throw Failure{FMP_E_EXTRACT};
    for (size_t i = 0; i < embedding.size(); i++) embedding[i] = float(double(result.numbers[i]) / std::sqrt(squares));
    return embedding;
}
