#pragma once
#include "models.h"
#include <array>
#include <cstdint>
#include <dlib/matrix.h>
#include <dlib/pixel.h>
#include <memory>
#include <string.h>

using Chip = dlib::matrix<dlib::rgb_pixel>;
/// What the network makes of a face; overwritten when it is no longer needed.
struct Embedding : std::array<float, 128> {
    Embedding() { fill(0); }
    Embedding(const Embedding &) = default;
    Embedding &operator=(const Embedding &) = default;
    ~Embedding() { explicit_bzero(data(), sizeof(float) * size()); }
};
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
