#pragma once
#include "alignment.h"
#include "embedding.h"
#include "network.h"

/// SFace: turns a face into 128 numbers, a vector of length 1.
class Embedder {
public:
    /// Throws `Failure`: FMP_E_MODEL for another network.
    explicit Embedder(Network network);

    /// Of the face with these points. Nothing of it is kept. Throws as `Limits::check`.
    Embedding embedding(const Picture &picture, const Point points[5], const Limits &limits);

private:
    Network network;
    std::string output;
};
