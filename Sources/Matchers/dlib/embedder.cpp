#include "embedder.h"
#include "failure.h"
#include "network.h"
#include "octetstream.h"
#include <algorithm>

struct Embedder::Layers {
    network::Embedding network;
};

Embedder::Embedder(const ModelFile &model) : layers(std::make_unique<Layers>()) {
    OctetStream stream(model.octets, model.length);
    deserialize(layers->network, stream);
}

Embedder::~Embedder() = default;

Embedding Embedder::embedding(const Chip &chip) {
    // What the layers computed goes back with every call, also with one that ends early: `operator delete` overwrites it.
    struct Cleaning {
        network::Embedding &network;
        ~Cleaning() { network.clean(); }
    } cleaning{layers->network};
    dlib::resizable_tensor input;
    layers->network.to_tensor(&chip, &chip + 1, input);
    const dlib::tensor &output = layers->network.subnet().forward(input);
    Embedding embedding;
    if (output.size() != embedding.size()) throw Failure{FMP_E_EXTRACT};
    std::copy_n(output.host(), embedding.size(), embedding.begin());
    return embedding;
}
