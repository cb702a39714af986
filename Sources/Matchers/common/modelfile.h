#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

/// A whole file in memory of its own. Not the allocator's: that would keep tens of megabytes when they are no longer needed.
class ModelFile {
public:
    /// Throws `Failure`: FMP_E_MODEL unless the file is there and has `length` octets and not one more.
    ModelFile(const std::string &path, size_t length);
    ModelFile(const ModelFile &) = delete;
    ModelFile &operator=(const ModelFile &) = delete;
    ~ModelFile();

    uint8_t *octets;
    const size_t length;
};

/// Throws `Failure`: FMP_E_MODEL unless `digest` is the SHA-256 of the two files, one after the other.
void checkDigest(const ModelFile &first, const ModelFile &second, const char *digest);
