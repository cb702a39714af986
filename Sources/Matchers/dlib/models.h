#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

/// SHA-256 of the two files one after the other, the network first. `make models` fetches them.
constexpr char modelDigest[] = "b07578e076b45393750962187fb798ba127f6622ab75c3f69e0002d45ae4407a";

/// A whole file in memory of its own. Not the allocator's: that would keep tens of megabytes when they are no longer needed.
class ModelFile {
public:
    /// Throws `Failure`: FMP_E_MODEL unless the file is there and has `length` octets and not one more.
    ModelFile(const char *path, size_t length);
    ModelFile(const ModelFile &) = delete;
    ModelFile &operator=(const ModelFile &) = delete;
    ~ModelFile();

    uint8_t *octets;
    const size_t length;
};

/// The octets of the model files: exactly those that were pinned.
struct Models {
    ModelFile network, points;

    /// Reads both files of a folder and compares them with what was pinned. What is parsed later are the octets that were compared.
    /// Throws `Failure`: FMP_E_MODEL where a file is missing, has another length or other content.
    explicit Models(const std::string &folder);
};
