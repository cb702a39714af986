#pragma once
#include <cstddef>
#include <vector>

class Network;

/// Memory of its own, page by page as it is used, and overwritten at the end.
class Workspace {
public:
    Workspace() = default;
    Workspace(const Workspace &) = delete;
    Workspace &operator=(const Workspace &) = delete;
    Workspace(Workspace &&other) noexcept;
    Workspace &operator=(Workspace &&other) noexcept;
    ~Workspace();

    /// Throws `Failure`: FMP_E_MEMORY.
    explicit Workspace(size_t count);

    float *numbers = nullptr;
    size_t count = 0;
};

/// For one size of picture: how large each value of a network is, and where it lies. Values that are not needed at the same time share
/// memory.
struct Plan {
    struct Place {
        size_t height = 0, width = 0, start = 0, count = 0;
    };

    size_t height = 0, width = 0;
    std::vector<Place> places;
    /// Numbers in all, the scratch at the end among them.
    size_t count = 0;
    size_t scratch = 0;

    Plan() = default;
    /// Throws FMP_E_MODEL where the layers do not fit each other.
    Plan(const Network &network, size_t height, size_t width);
};

/// Numbers of scratch that a layer has.
constexpr size_t scratchCount = 65536;
