#pragma once
#include "embedding.h"
#include "models.h"
#include <dlib/matrix.h>
#include <dlib/pixel.h>
#include <memory>

using Chip = dlib::matrix<dlib::rgb_pixel>;
constexpr long chipSide = 150;

/// Turns a face into 128 numbers. In a file of its own, since its types take a compiler most of the time.
class Embedder {
public:
    /// Throws dlib's errors where the octets are no such network.
    explicit Embedder(const ModelFile &model);
    ~Embedder();

    /// Of a chip of 150 x 150 pixels. Nothing of it is kept.
    Embedding embedding(const Chip &chip);

private:
    struct Layers;
    std::unique_ptr<Layers> layers;
};
