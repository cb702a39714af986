#pragma once
#include "face.h"
#include "network.h"
#include "picture.h"

/// YuNet: finds faces of 10 to 300 pixels and five points of each.
class Detector {
public:
    /// The largest picture that is searched.
    static constexpr size_t largestWidth = 640, largestHeight = 960;

    /// Throws `Failure`: FMP_E_MODEL for another network.
    explicit Detector(Network network);

    /// Searches the picture at another size; what is found is in pixels of the picture itself, the largest face first. Throws as
    /// `Limits::check`.
    std::vector<FoundFace> faces(const Picture &picture, size_t width, size_t height, const Limits &limits);

private:
    void collect(size_t stride, std::vector<FoundFace> &faces) const;

    Network network;
};
